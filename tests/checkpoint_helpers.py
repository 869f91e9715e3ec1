"""Make small model folders, sound or broken."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

DATA = Path(__file__).parent / "data"
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdef"]
KEY_CASES = json.loads((DATA / "checkpoint_key_cases.json").read_text(encoding="utf-8"))
CONFIG = KEY_CASES["config"] | {"model_type": "bert"}


def canonical_tensors():
    """Return the tensors of the reference checkpoint, heads of pretraining included."""
    with np.load(DATA / "checkpoint_base.npz", allow_pickle=False) as archive:
        return dict(archive)


def encoder_tensors():
    """Return those that belong to the encoder, under names without a prefix."""
    return {
        name.removeprefix("bert."): array
        for name, array in canonical_tensors().items()
        if name.startswith("bert.")
    }


def make_folder(folder, tensors, **config):
    """Write a model folder with these tensors and changes to the config."""
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG | config), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(VOCAB) + "\n", encoding="utf-8")
    return folder


def variant_tensors(case_id):
    """Return the tensors of a recorded case: its names, with the canonical values."""
    (case,) = (case for case in KEY_CASES["cases"] if case["id"] == case_id)
    values = canonical_tensors()
    tensors = {}
    for name, (shape, dtype) in case["keys"].items():
        plain = name.removeprefix("module.").replace("distilbert.", "bert.")
        plain = plain.replace(".gamma", ".weight").replace(".beta", ".bias")
        array = values.get(plain, values.get(f"bert.{plain}"))
        if array is None:
            array = np.zeros(shape, dtype)
        elif list(array.shape) != shape:
            array = array.T
        tensors[name] = np.ascontiguousarray(array, dtype=dtype)
        assert list(tensors[name].shape) == shape
    return tensors
