"""Writing a file of tensors: whole or not at all."""

import os

import numpy as np
import pytest
from safetensors_helpers import assert_same, file_bytes

from bertbook import checkpoint, safetensors_format
from bertbook.safetensors_format import read_safetensors, write_safetensors


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


def test_the_bytes_that_are_written(path):
    write_safetensors(path, {"x": np.float32([1, -2])})
    header = b'{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    data = bytes.fromhex("0000803f 000000c0")
    assert path.read_bytes() == file_bytes(header.ljust(56), data)


def test_wide_numbers_come_first_then_names_in_order(path):
    arrays = {"b": np.zeros(1, np.int8), "c": np.zeros(1), "a": np.zeros(1, np.int8)}
    write_safetensors(path, arrays)
    assert list(read_safetensors(path)) == ["c", "a", "b"]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
        np.arange(9, dtype=np.int16)[::-2],
        np.broadcast_to(np.float64(3), (2, 2)),
        np.array(7, np.uint64),
        np.zeros((0, 3), np.float16),
    ],
    ids=["transposed", "strided", "broadcast", "scalar", "empty"],
)
def test_any_memory_layout_is_written_in_reading_order(path, array):
    write_safetensors(path, {"x": array})
    assert_same(read_safetensors(path), {"x": array})


def test_big_endian_arrays_are_written_little_endian(path):
    write_safetensors(path, {"x": np.array([1, 2], ">f4"), "y": np.array([3], ">i8")})
    got = read_safetensors(path)
    assert_same(got, {"x": np.array([1, 2], "<f4"), "y": np.array([3], "<i8")})


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.array([None]), "object"),
        (np.array([1j]), "complex128"),
        (np.array(["a"]), "<U1"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
        (np.zeros(1, [("a", "f4")]), "a"),
        ([1.0, 2.0], "list"),
        (1.0, "float"),
    ],
)
def test_values_that_the_format_lacks_are_refused(path, value, kind):
    with pytest.raises(TypeError, match=f"'x' holds .*{kind}.*, expected an array of"):
        write_safetensors(path, {"x": value})
    assert not path.exists()


def test_names_must_be_text(path):
    with pytest.raises(TypeError, match="the name 1 is no str"):
        write_safetensors(path, {1: np.zeros(1)})


def test_names_must_be_valid_unicode(path):
    with pytest.raises(ValueError, match=r"the name '\\ud800' is not valid Unicode"):
        write_safetensors(path, {"\ud800": np.zeros(1)})


def test_the_name_of_the_metadata_is_reserved(path):
    with pytest.raises(ValueError, match="'__metadata__' is reserved"):
        write_safetensors(path, {"__metadata__": np.zeros(1)})


def test_metadata_must_be_text(path):
    with pytest.raises(TypeError, match="the metadata has 'step': 3, expected two str"):
        write_safetensors(path, {"x": np.zeros(1)}, {"step": 3})


def test_a_header_over_the_limit_of_the_format_is_refused(path, monkeypatch):
    monkeypatch.setattr(safetensors_format, "MAX_HEADER", 50)
    with pytest.raises(ValueError, match="the header takes 56 bytes, .* at most 50"):
        write_safetensors(path, {"x": np.zeros(1)})


def test_a_file_may_be_replaced_while_its_arrays_are_in_use(path):
    if os.name == "nt":
        pytest.skip("Windows cannot replace a mapped file")
    write_safetensors(path, {"x": np.float32([1, 2])})
    old = read_safetensors(path)["x"]
    write_safetensors(path, {"x": old[::-1]})
    np.testing.assert_array_equal(old, [1, 2])
    np.testing.assert_array_equal(read_safetensors(path)["x"], [2, 1])


def test_a_failure_in_the_middle_leaves_the_former_file_and_nothing_else(
    path, monkeypatch
):
    write_safetensors(path, {"x": np.float32([1, 2])})
    before = path.read_bytes()
    written = []

    def fail_at_the_second(array):
        written.append(array)
        if len(written) == 2:
            raise OSError("no space left")
        return array

    monkeypatch.setattr(safetensors_format, "_little_endian", fail_at_the_second)
    with pytest.raises(OSError, match="no space left"):
        write_safetensors(path, {"x": np.zeros(1), "y": np.zeros(1)})
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == [path.name]


def test_a_new_file_has_the_usual_permissions(path):
    usual = path.with_name("usual")
    usual.touch()
    write_safetensors(path, {})
    assert path.stat().st_mode == usual.stat().st_mode


def test_the_function_is_importable_from_checkpoint():
    assert checkpoint.write_safetensors is write_safetensors
