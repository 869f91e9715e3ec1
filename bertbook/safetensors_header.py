"""The header of a safetensors file: JSON that says where each tensor lies.

For each name the header gives a dtype, a shape, and the first and last byte::

    {"bias": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}, ...}

`parse_header` believes none of it until it agrees with the size of the file;
`build_header` is its inverse.
"""

import json
import math
import reprlib
from collections.abc import Mapping

import numpy as np

__all__ = ["build_header", "parse_header"]

# What each dtype of the format is to NumPy, which has no bfloat16: it is read as
# 16 plain bits. From the last row to the first is the order of tensors in a file:
# with wide numbers first, every tensor starts at a multiple of its width.
DTYPES = {
    "BOOL": "|b1",
    "U8": "|u1",
    "I8": "|i1",
    "I16": "<i2",
    "U16": "<u2",
    "F16": "<f2",
    "BF16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "F32": "<f4",
    "F64": "<f8",
    "I64": "<i8",
    "U64": "<u8",
}
FILE_ORDER = [name for name in reversed(DTYPES) if name != "BF16"]
MAX_DIMS = 64  # of a NumPy array

# The file chooses its names and values, so messages show only the start of them.
_shown = reprlib.Repr()
_shown.maxstring = _shown.maxother = 100
show = _shown.repr


def parse_header(text, data_size):
    """Return where the tensors lie, after checking that they fit the data.

    Parameters
    ----------
    text : bytes
        The header as it stands in the file.
    data_size : int
        The number of bytes that follow it.

    Returns
    -------
    dict of str to tuple
        (dtype, shape, start) by name: a dtype of `DTYPES`, a list of int, and the
        offset of the first byte from the start of the data.

    Raises
    ------
    ValueError
        If the text is not the JSON it should be, or the tensors overlap, leave a
        hole, exceed the data, do not fill it, or disagree with their shapes.
    """
    header = _parse_json(text)
    _check_metadata(header.pop("__metadata__", {}))
    tensors = {name: _parse_entry(name, entry) for name, entry in header.items()}
    end = 0
    for start, stop, name in sorted(
        (start, stop, name) for name, (_, _, start, stop) in tensors.items()
    ):
        if start != end:
            fault = "overlaps another" if start < end else "leaves a hole"
            raise ValueError(
                f"tensor {show(name)} {fault}: it starts at byte {show(start)} of the "
                f"data, expected {show(end)}"
            )
        end = stop
    if end != data_size:
        fault = "it is cut short" if end > data_size else "something was appended"
        raise ValueError(
            f"the tensors take {show(end)} bytes, but {data_size} are there: {fault}"
        )
    return {name: entry[:3] for name, entry in tensors.items()}


def build_header(tensors, metadata=None):
    """Return the header of a file that holds these arrays one after the other.

    Parameters
    ----------
    tensors : dict of str to ndarray
        In file order.
    metadata : mapping of str to str, optional

    Returns
    -------
    bytes
        Padded with blanks to a multiple of 8, which keeps the data aligned.

    Raises
    ------
    TypeError
        If the metadata is not text by name.
    """
    header = {}
    if metadata is not None:
        try:
            header["__metadata__"] = _check_metadata(metadata)
        except ValueError as error:
            raise TypeError(str(error)) from None
    start = 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": dtype_name(array.dtype),
            "shape": list(array.shape),
            "data_offsets": [start, start + array.nbytes],
        }
        start += array.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % 8)


def dtype_name(dtype):
    """Return the name that the format gives to a NumPy dtype, or None."""
    little_endian = dtype.newbyteorder("<").str
    return next((name for name in FILE_ORDER if DTYPES[name] == little_endian), None)


def check_name(name):
    """Refuse a name that UTF-8 cannot hold, such as half of a surrogate pair."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the name {show(name)} is not valid Unicode") from None


def _parse_json(text):
    """Return the JSON object in `text`; accept nothing that JSON leaves open."""
    try:
        # Decoded first, for json.loads would guess the encoding of bytes.
        header = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_dict_of_pairs,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise ValueError("the header is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the header is not sound JSON: {error}") from None
    if not isinstance(header, dict):
        raise ValueError(f"the header is {show(header)}, expected a JSON object")
    return header


def _dict_of_pairs(pairs):
    """Build a dict, where json alone would silently keep the last of two."""
    result = {}
    for name, value in pairs:
        check_name(name)
        if name in result:
            raise ValueError(f"the name {show(name)} occurs twice")
        result[name] = value
    return result


def _refuse_constant(constant):
    """Refuse NaN and Infinity, which Python reads but JSON does not have."""
    raise ValueError(f"it holds {constant}")


def _check_metadata(metadata):
    """Return the free text of a header as a dict of str to str."""
    if not isinstance(metadata, Mapping):
        raise ValueError(f"the metadata is {show(metadata)}, expected text by name")
    for key, value in metadata.items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise ValueError(
                f"the metadata has {show(key)}: {show(value)}, expected two strings"
            )
    return dict(metadata)


def _parse_entry(name, entry):
    """Return (dtype, shape, start, stop) of one tensor, if they agree."""
    what = f"tensor {show(name)}"
    if not isinstance(entry, dict):
        raise ValueError(f"{what} is {show(entry)}, expected a JSON object")
    dtype, shape, offsets = map(entry.get, ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in DTYPES:
        known = ", ".join(DTYPES)
        raise ValueError(f"{what} has dtype {show(dtype)}, expected one of {known}")
    if not _are_sizes(shape) or len(shape) > MAX_DIMS:
        raise ValueError(f"{what} has shape {show(shape)}, expected sizes")
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise ValueError(
            f"{what} has data_offsets {show(offsets)}, expected [start, stop]"
        )
    # Integers do not overflow in Python, so an absurd shape is only a wrong one.
    n_bytes = math.prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    if n_bytes != offsets[1] - offsets[0]:
        raise ValueError(
            f"{what} has {show(offsets[1] - offsets[0])} bytes, but {dtype} of shape "
            f"{show(shape)} takes {show(n_bytes)}"
        )
    return dtype, shape, *offsets


def _are_sizes(values):
    """Tell whether `values` is a list of integers that fit into 63 bits."""
    # type() rather than isinstance(): in Python, True is an int too.
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value < 2**63 for value in values
    )
