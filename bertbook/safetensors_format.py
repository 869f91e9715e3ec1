"""Read and write safetensors, the file format of published weights.

A file has three parts, and none of them can run::

    8 bytes     n, the length of the header: an unsigned little-endian integer
    n bytes     the header, which says where each tensor lies
    the rest    the data: the numbers of one tensor after the other

The data is mapped into memory rather than read: opening a file costs the same
whatever its size, and a number is fetched from the disk when it is first used.
"""

import mmap
import os
import stat
from pathlib import Path

import numpy as np

from bertbook.atomic import replacing
from bertbook.safetensors_header import (
    DTYPES,
    FILE_ORDER,
    build_header,
    check_name,
    dtype_name,
    parse_header,
)

__all__ = ["read_safetensors", "write_safetensors"]

MAX_HEADER = 100_000_000  # bytes, a limit of the format
PICKLE_SUFFIXES = {".bin", ".ckpt", ".pickle", ".pkl", ".pt", ".pth"}
NO_PICKLES = (
    "opening a pickle runs code of whoever wrote it; get model.safetensors from "
    "the publisher, or convert the file to safetensors where you trust it"
)
# What people have instead of a safetensors file, by its first bytes.
IMPOSTORS = {
    b"<": "it looks like a web page; the download failed, so fetch it again",
    b"version https://git-lfs": "it is a Git LFS pointer; run `git lfs pull`",
    b"PK": f"it looks like a zip of pickles, and {NO_PICKLES}",
    b"\x80": f"it looks like a pickle, and {NO_PICKLES}",
}


def read_safetensors(path):
    """Map the tensors of a safetensors file into memory.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    dict of str to ndarray
        The tensors in the order of the header, in the dtypes of the file; BF16,
        which NumPy lacks, becomes float32. The arrays are views of a private map
        of the file: writing to them changes memory and never the file. Only BF16,
        BOOL and misaligned tensors are copies.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not a regular file, is a pickle (which is never opened), or is
        broken: cut short, or with a header that disagrees with the data.

    Notes
    -----
    Nothing is mapped before the header agrees with the size of the file, so a
    header that claims terabytes costs no more than an honest one.

    References
    ----------
    The format: https://github.com/huggingface/safetensors#format
    """
    path = Path(path)
    try:
        _check_kind(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = _read_header(file, size)
            data_start = 8 + len(header)
            tensors = parse_header(header, size - data_start)
            data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
        return {
            name: _view(data, dtype, shape, data_start + start)
            for name, (dtype, shape, start) in tensors.items()
        }
    except ValueError as error:
        raise ValueError(f"cannot read {str(path)!r}: {error}") from None


def write_safetensors(path, arrays, metadata=None):
    """Write arrays to a safetensors file, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        Replaced in one step at the end. If anything fails before, a former file
        stays as it was and nothing else is left.
    arrays : mapping of str to ndarray
        Booleans, integers of 8 to 64 bits, floats of 16 to 64 bits; of any shape,
        memory layout and byte order.
    metadata : mapping of str to str, optional
        Free text to store in the header.

    Raises
    ------
    TypeError
        If a name or something in the metadata is not a str, or a value is not an
        array of these dtypes.
    ValueError
        If a name cannot be stored, the header exceeds the format's limit, or the
        suffix of `path` means a pickle, which could not be read again.

    See Also
    --------
    read_safetensors : The inverse.
    """
    if Path(path).suffix.lower() in PICKLE_SUFFIXES:
        raise ValueError(
            f"path is {str(path)!r}, by its suffix a pickle, which read_safetensors "
            f"never opens, expected another suffix; choose .safetensors"
        )
    tensors = _in_file_order(arrays)
    header = build_header(tensors, metadata)
    if len(header) > MAX_HEADER:
        raise ValueError(
            f"the header takes {len(header)} bytes, expected at most {MAX_HEADER}; "
            f"write several files"
        )
    with replacing(path) as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for array in tensors.values():
            file.write(_little_endian(array).reshape(-1).view(np.uint8).data)


def check_not_pickle(path):
    """Refuse a path whose suffix means a pickle."""
    if path.suffix.lower() in PICKLE_SUFFIXES:
        raise ValueError(f"{path.name} is a pickle by its name, and {NO_PICKLES}")


def _check_kind(path):
    """Refuse pickles, and what is no regular file: opening a pipe would wait."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise ValueError("it is a folder, expected a file; use load_pretrained")
    check_not_pickle(path)
    if not stat.S_ISREG(mode):
        raise ValueError("it is a pipe or a device, expected a regular file")


def _read_header(file, size):
    """Return the bytes of the header of an open file of `size` bytes."""
    first_bytes = file.read(8)
    length = int.from_bytes(first_bytes, "little")
    if 8 <= size and length <= min(size - 8, MAX_HEADER):
        return file.read(length)
    first_bytes += file.read(20)
    for magic, what_it_is in IMPOSTORS.items():
        if first_bytes.startswith(magic):
            raise ValueError(what_it_is)
    if size < 8:
        raise ValueError(f"it has {size} bytes, expected 8 for the header's length")
    if length > MAX_HEADER:
        raise ValueError(f"the header claims {length} bytes, over {MAX_HEADER}")
    raise ValueError(
        f"the header claims {length} bytes but only {size - 8} follow: it is cut short"
    )


def _view(data, dtype, shape, start):
    """Return the tensor that starts at byte `start` of the mapped file."""
    array = np.ndarray(shape, DTYPES[dtype], buffer=data, offset=start)
    if dtype == "BF16":
        # bfloat16 is the upper half of a float32.
        return (array.astype("<u4") << 16).view("<f4")
    if dtype == "BOOL":
        return array.view(np.uint8) != 0  # other bytes than 0 and 1 confuse NumPy
    return array if array.flags.aligned else array.copy()


def _in_file_order(arrays):
    """Return the arrays by name, widest dtype first, then by name."""
    ranked = []
    for name, array in arrays.items():
        if not isinstance(name, str):
            raise TypeError(f"the name {name!r} is no str, expected text; rename it")
        check_name(name)
        if name == "__metadata__":
            raise ValueError("'__metadata__' is reserved by the format; rename it")
        if not isinstance(array, np.ndarray) or dtype_name(array.dtype) is None:
            kind = getattr(array, "dtype", type(array).__name__)
            raise TypeError(
                f"{name!r} holds {kind}, expected an array of {', '.join(FILE_ORDER)}; "
                f"convert it with np.asarray(...).astype(np.float32)"
            )
        ranked.append((FILE_ORDER.index(dtype_name(array.dtype)), name))
    return {name: arrays[name] for _, name in sorted(ranked)}


def _little_endian(array):
    """Return the array as the file holds it: a copy only if it is not so yet."""
    return np.asarray(array, dtype=DTYPES[dtype_name(array.dtype)], order="C")
