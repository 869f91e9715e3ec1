"""Files of tensors: read, mapped and refused."""

import os
import pickle
import tracemalloc

import numpy as np
import pytest
from safetensors import numpy as library
from safetensors_helpers import assert_same, entry, file_bytes, reference_cases

from bertbook import checkpoint, safetensors_format
from bertbook.safetensors_format import read_safetensors

CASES = reference_cases()
# Why each of the broken reference files is refused.
REASONS = {
    "st_metadata_not_strings": "the metadata has 'n': 1, expected two strings",
    "st_empty_file": "it has 0 bytes, expected 8",
    "st_length_only": "claims 10 bytes but only 0 follow: it is cut short",
    "st_header_length_beyond_file": "claims 1000000 bytes but only 81 follow",
    "st_header_length_too_small": "the header is not sound JSON: Unterminated",
    "st_header_length_zero": "the header is not sound JSON",
    "st_header_over_100MB_claim": "claims 100000001 bytes, over 100000000",
    "st_truncated_half": "claims 57 bytes but only 36 follow: it is cut short",
    "st_trailing_byte": "24 bytes, but 25 are there: something was appended",
    "st_header_not_json": "the header is not sound JSON",
    "st_header_is_list": r"the header is \[1, 2\], expected a JSON object",
    "st_html_error_page": "it looks like a web page",
    "st_git_lfs_pointer": "it is a Git LFS pointer; run `git lfs pull`",
    "st_zip_magic": "it looks like a zip of pickles, .* convert the file",
    "st_overlap": "tensor 'b' overlaps another: it starts at byte 8 .* expected 16",
    "st_starts_after_zero": "tensor 'a' leaves a hole",
    "st_size_mismatch_shape": r"24 bytes, but F32 of shape \[2, 2\] takes 16",
    "st_reversed_offsets": r"data_offsets \[24, 0\], expected \[start, stop\]",
    "st_negative_offset": r"data_offsets \[-24, 0\]",
    "st_offset_beyond_data": "40 bytes, but 24 are there: it is cut short",
    "st_three_offsets": r"data_offsets \[0, 24, 24\]",
    "st_unknown_dtype": "dtype 'F33', expected one of BOOL",
    "st_negative_shape": r"shape \[-6\], expected sizes",
    "st_shape_overflow": "24 bytes, but F32 of shape .* takes 147573952589676412928",
    "st_duplicate_name": "the name 'a' occurs twice",
    "st_big_endian_length": "over 100000000",
}
SMALL = library.save(
    {
        "a": np.arange(3, dtype=np.float32),
        "b": np.ones((2, 2), np.int16),
        "c": np.array([7, 8], np.uint8),
    },
    {"k": "v"},
)


@pytest.fixture
def write(tmp_path):
    def write(content, name="weights.safetensors"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_the_bytes_of_a_file_written_by_hand(write):
    data = bytes.fromhex("0000803f 000000c0 0000003f")
    path = write(file_bytes({"x": entry("F32", (3,), (0, 12))}, data))
    np.testing.assert_array_equal(read_safetensors(path)["x"], [1.0, -2.0, 0.5])


@pytest.mark.parametrize(
    ("content", "expected"),
    [(c[1], c[3]) for c in CASES if c[2] == "ok"],
    ids=[c[0] for c in CASES if c[2] == "ok"],
)
def test_sound_reference_files_are_read(write, content, expected):
    assert_same(read_safetensors(write(content)), expected)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(c[1], REASONS.get(c[0])) for c in CASES if c[2] == "error" and c[0] != "st_bf16"],
    ids=[c[0] for c in CASES if c[2] == "error" and c[0] != "st_bf16"],
)
def test_broken_reference_files_are_refused_with_the_reason(write, content, reason):
    path = write(content)
    with pytest.raises(ValueError, match=reason) as caught:
        read_safetensors(path)
    assert str(caught.value).startswith(f"cannot read {str(path)!r}: ")


def test_bfloat16_is_the_upper_half_of_float32(write):
    (content,) = (c[1] for c in CASES if c[0] == "st_bf16")
    array = read_safetensors(write(content))["a"]
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array, [1.0, -2.0])


@pytest.mark.parametrize(
    ("dtype", "code"),
    [("b1", "BOOL"), ("f2", "F16"), ("f4", "F32"), ("f8", "F64")]
    + [(f"{kind}{width // 8}", f"{kind.upper()}{width}")
       for kind in "iu" for width in (8, 16, 32, 64)],
)  # fmt: skip
def test_each_dtype_is_read_as_it_is_stored(write, dtype, code):
    array = np.array([[0, 1], [1, 0]]).astype(f"<{dtype}")
    header = {"x": entry(code, (2, 2), (0, array.nbytes))}
    got = read_safetensors(write(file_bytes(header, array.tobytes())))
    assert_same(got, {"x": array})


def test_any_byte_but_zero_is_true(write):
    path = write(file_bytes({"x": entry("BOOL", (3,), (0, 3))}, b"\x02\x00\xff"))
    array = read_safetensors(path)["x"]
    assert array.dtype == bool
    assert array.view(np.uint8).tolist() == [1, 0, 1]


def test_arrays_are_views_of_one_map(write):
    arrays = read_safetensors(write(SMALL))
    a, b = arrays["a"], arrays["b"]
    assert type(a.base).__name__ == "mmap"
    assert a.base is b.base


def test_writing_to_an_array_leaves_the_file_alone(write):
    path = write(SMALL)
    first, second = read_safetensors(path), read_safetensors(path)
    first["a"][:] = 9
    assert path.read_bytes() == SMALL
    np.testing.assert_array_equal(second["a"], [0, 1, 2])
    np.testing.assert_array_equal(first["a"], 9)


@pytest.mark.parametrize("n_blanks", range(4))
def test_misaligned_tensors_are_copied_to_where_they_are_aligned(write, n_blanks):
    header = file_bytes({"x": entry()})[8:].ljust(92 + n_blanks)
    path = write(file_bytes(header, np.float32([1, 2]).tobytes()))
    array = read_safetensors(path)["x"]
    assert array.flags.aligned
    assert array.flags.writeable
    np.testing.assert_array_equal(array, [1, 2])
    assert (array.base is None) == (n_blanks != 0)


def test_an_empty_tensor_of_absurd_other_sizes_is_refused(write):
    header = {"x": entry(shape=(0, 2**62, 8), data_offsets=(0, 0))}
    with pytest.raises(ValueError, match="cannot read"):
        read_safetensors(write(file_bytes(header)))


def test_a_header_over_the_limit_is_refused_even_if_it_is_there(write, monkeypatch):
    monkeypatch.setattr(safetensors_format, "MAX_HEADER", 50)
    with pytest.raises(ValueError, match="the header claims 51 bytes, over 50"):
        read_safetensors(write(file_bytes(b"{}".ljust(51))))
    assert read_safetensors(write(file_bytes(b"{}".ljust(50)))) == {}


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="it is a folder, .* use load_pretrained"):
        read_safetensors(tmp_path)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_safetensors(tmp_path / "none.safetensors")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a pipe or a device, expected a regular"):
        read_safetensors(tmp_path / "pipe")


class Trap:
    """A pickle of this makes a file when it is opened."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "A.PT"])
def test_a_pickle_is_never_opened(tmp_path, write, name, protocol):
    path = write(pickle.dumps(Trap(tmp_path / "sprung"), protocol), name)
    with pytest.raises(ValueError, match="cannot read") as caught:
        read_safetensors(path)
    assert not (tmp_path / "sprung").exists()
    if name != "model.safetensors" or protocol >= 2:
        assert "runs code of whoever wrote it" in str(caught.value)


def test_a_sound_file_whose_length_looks_like_a_pickle_is_read(write):
    header = file_bytes({"x": entry()})[8:].ljust(0x0280)
    content = file_bytes(header, np.float32([1, 2]).tobytes())
    assert content.startswith(b"\x80\x02")
    assert read_safetensors(write(content)).keys() == {"x"}


def test_what_a_broken_header_claims_is_never_allocated(write):
    claim = entry("U8", (10**12,), (0, 10**12))
    path = write(file_bytes({"x": claim}, b"12345678"))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is cut short"):
            read_safetensors(path)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_the_functions_are_importable_from_checkpoint():
    assert checkpoint.read_safetensors is read_safetensors
