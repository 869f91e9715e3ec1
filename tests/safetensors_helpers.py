"""Make the bytes of safetensors files by hand, sound or broken."""

import base64
import json
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"


def file_bytes(header, data=b""):
    """Return a file of this header (a dict, text or bytes) and data."""
    if isinstance(header, dict):
        header = json.dumps(header)
    if isinstance(header, str):
        header = header.encode()
    return len(header).to_bytes(8, "little") + header + data


def entry(dtype="F32", shape=(2,), data_offsets=(0, 8)):
    """Return the description of one tensor."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(data_offsets)}


def reference_cases():
    """Return the recorded files: (id, bytes, verdict, {name: array} or None)."""
    cases = json.loads((DATA / "safetensors_cases.json").read_text(encoding="utf-8"))
    return [
        (
            case["id"],
            base64.b64decode(case["bytes_base64"]),
            case["library"],
            {
                name: np.array(tensor["values"], tensor["dtype"]).reshape(
                    tensor["shape"]
                )
                for name, tensor in case.get("tensors", {}).items()
            },
        )
        for case in cases["cases"]
    ]


def assert_same(got, expected):
    """Compare two {name: array} in names, dtypes, shapes and every bit."""
    assert got.keys() == expected.keys()
    for name, array in expected.items():
        assert got[name].dtype == array.dtype
        assert got[name].shape == array.shape
        assert got[name].tobytes() == array.tobytes()
