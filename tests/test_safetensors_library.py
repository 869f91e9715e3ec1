"""Our files and those of the safetensors library are the same."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_st
from safetensors import SafetensorError
from safetensors import numpy as library
from safetensors_helpers import assert_same

from bertbook.safetensors_format import read_safetensors, write_safetensors

# Nothing is covered here alone, and to note each line would double the time.
pytestmark = pytest.mark.no_cover
SMALL = library.save(
    {
        "a": np.arange(3, dtype=np.float32),
        "b": np.ones((2, 2), np.int16),
        "c": np.array([7, 8], np.uint8),
    },
    {"k": "v"},
)
DTYPES = [
    np.dtype(code)
    for code in ("b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
]
# Every name that UTF-8 can hold, control characters and quotes included.
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays_st.arrays(
        dtype, arrays_st.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    )
)
TENSORS = st.dictionaries(
    NAMES.filter(lambda n: n != "__metadata__"), ARRAYS, max_size=5
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("library") / "weights.safetensors"


@given(tensors=TENSORS)
@settings(max_examples=150, deadline=None)
def test_what_we_write_is_byte_for_byte_what_the_library_writes(path, tensors):
    write_safetensors(path, tensors, {"format": "pt"})
    assert path.read_bytes() == library.save(tensors, {"format": "pt"})


@given(tensors=TENSORS)
@settings(max_examples=150, deadline=None)
def test_what_we_write_the_library_reads(path, tensors):
    write_safetensors(path, tensors)
    assert_same(library.load_file(path), tensors)


@given(tensors=TENSORS)
@settings(max_examples=150, deadline=None)
def test_what_the_library_writes_we_read(path, tensors):
    path.write_bytes(library.save(tensors, {"format": "pt"}))
    assert_same(read_safetensors(path), tensors)


@given(tensors=TENSORS)
@settings(max_examples=50, deadline=None)
def test_everything_that_we_write_lies_aligned(path, tensors):
    write_safetensors(path, tensors)
    for array in read_safetensors(path).values():
        assert array.base is not None or array.dtype == bool


EDITS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["change", "delete", "insert", "cut"]),
        st.sampled_from(list(b'0123456789{}[]",:aFIU \\ue\xff\x00')),
    ),
    min_size=1,
    max_size=3,
)


def edited(content, edits):
    """Return broken bytes; the length at the start follows most edits."""
    for where, kind, byte in edits:
        at = int(where * len(content))
        before, after, grown = content[:at], content[at:], 0
        if kind == "cut":
            after = b""
        elif kind == "insert":
            after, grown = bytes([byte]) + after, 1
        elif kind == "delete":
            after, grown = after[1:], -1
        else:
            after = bytes([byte]) + after[1:]
        content = before + after
        if at >= 8 and grown:
            length = int.from_bytes(content[:8], "little") + grown
            content = max(length, 0).to_bytes(9, "little")[:8] + content[8:]
    return content


@given(edits=EDITS)
@example(edits=[(0.5, "cut", 0)])
@settings(max_examples=400, deadline=None)
def test_broken_files_are_accepted_only_if_the_library_accepts_them(path, edits):
    content = edited(SMALL, edits)
    path.write_bytes(content)
    try:
        expected = library.load(content)
    except (SafetensorError, KeyError):
        with pytest.raises(ValueError, match="cannot read"):
            read_safetensors(path)
    else:
        assert_same(read_safetensors(path), expected)
