"""The header: what it says is believed only where it agrees with the data."""

import json
import tracemalloc

import numpy as np
import pytest
from safetensors_helpers import entry

from bertbook.safetensors_header import build_header, parse_header


def parse(header, data_size=8):
    text = header if isinstance(header, str) else json.dumps(header)
    return parse_header(text.encode(), data_size)


def test_an_entry_becomes_dtype_shape_and_start():
    header = {"a": entry(), "b": entry("I64", (1, 2), (8, 24))}
    assert parse(header, 24) == {"a": ("F32", [2], 0), "b": ("I64", [1, 2], 8)}


def test_the_order_of_the_header_is_kept_whatever_the_order_of_the_data():
    header = {"b": entry(data_offsets=(8, 16)), "a": entry()}
    assert list(parse(header, 16)) == ["b", "a"]


def test_a_scalar_has_an_empty_shape():
    assert parse({"a": entry("F64", (), (0, 8))}) == {"a": ("F64", [], 0)}


def test_empty_tensors_may_lie_at_any_border():
    header = {"x": entry(), "y": entry(shape=(0,), data_offsets=(8, 8))}
    header["z"] = entry(shape=(0, 5), data_offsets=(0, 0))
    assert parse(header).keys() == {"x", "y", "z"}


def test_metadata_is_no_tensor():
    assert parse({"__metadata__": {"format": "pt"}, "a": entry()}).keys() == {"a"}


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("{", "not sound JSON"),
        ("", "not sound JSON"),
        ("{} {}", "not sound JSON"),
        ("\ufeff{}", "not sound JSON"),
        ("[]", r"the header is \[\], expected a JSON object"),
        ('{"a": 1, "a": 2}', "the name 'a' occurs twice"),
        ('{"__metadata__": {"a": "1", "a": "2"}}', "the name 'a' occurs twice"),
        ('{"\\ud800": 1}', "not valid Unicode"),
        ('{"a": NaN}', "it holds NaN"),
        ('{"a": ' + "9" * 5000 + "}", "not sound JSON"),
        ({"__metadata__": {"n": 1}}, "the metadata has 'n': 1, expected two strings"),
        ({"__metadata__": None}, "the metadata is None, expected text by name"),
        ({"__metadata__": ["n"]}, "the metadata is .*, expected text by name"),
        ({"a": ["F32", [2], [0, 8]]}, "tensor 'a' is .*, expected a JSON object"),
        ({"a": {}}, "tensor 'a' has dtype None"),
        ({"a": entry("F33")}, "has dtype 'F33', expected one of BOOL, .* F32, F64"),
        ({"a": entry("f32")}, "has dtype 'f32'"),
        ({"a": entry() | {"dtype": ["F32"]}}, r"has dtype \['F32'\]"),
        ({"a": {"dtype": "F32", "data_offsets": [0, 8]}}, "has shape None"),
        ({"a": {"dtype": "F32", "shape": [2]}}, "has data_offsets None"),
        ({"a": entry(shape=(-2,))}, r"has shape \[-2\], expected sizes"),
        ({"a": entry(shape=(2.0,))}, r"has shape \[2.0\]"),
        ({"a": entry("F64", shape=(True,))}, r"has shape \[True\]"),
        ({"a": entry(shape=("2",))}, r"has shape \['2'\]"),
        ({"a": entry() | {"shape": 2}}, "has shape 2"),
        ({"a": entry(shape=(1,) * 65)}, "has shape"),
        ({"a": entry(shape=(2**63,))}, "has shape"),
        ({"a": entry(data_offsets=(8, 0))}, r"data_offsets \[8, 0\], expected \[start"),
        ({"a": entry(data_offsets=(-8, 0))}, "data_offsets"),
        ({"a": entry(data_offsets=(0, 8.0))}, "data_offsets"),
        ({"a": entry(data_offsets=(False, 8))}, "data_offsets"),
        ({"a": entry(data_offsets=(0, 8, 8))}, "data_offsets"),
        ({"a": entry(data_offsets=(8,))}, "data_offsets"),
        ({"a": entry(shape=(3,))}, r"has 8 bytes, but F32 of shape \[3\] takes 12"),
        ({"a": entry(shape=(2**62, 8))}, "has 8 bytes, but F32 .* takes 1475739525"),
        (
            {"a": entry(), "b": entry()},
            "tensor 'b' overlaps another: it starts at byte 0",
        ),
        (
            {"a": entry(), "b": entry(data_offsets=(4, 12))},
            "tensor 'b' overlaps another: it starts at byte 4 of the data, expected 8",
        ),
        ({"a": entry(data_offsets=(8, 16))}, "tensor 'a' leaves a hole"),
        ({"a": entry(shape=(4,), data_offsets=(0, 16))}, "16 bytes, .* is cut short"),
        ({"a": entry(shape=(1,), data_offsets=(0, 4))}, "something was appended"),
        ({}, "something was appended"),
    ],
)
def test_a_broken_header_is_refused_with_its_reason(header, reason):
    with pytest.raises(ValueError, match=reason):
        parse(header)


def test_bytes_that_are_no_utf_8_are_refused_and_not_guessed():
    for text in (b'{"\xff": 1}', '{"a": 1}'.encode("utf-16")):
        with pytest.raises(ValueError, match="not sound JSON: .*utf-8"):
            parse_header(text, 0)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused(opening):
    with pytest.raises(ValueError, match="nested too deeply"):
        parse(opening * 200_000)


def test_a_claim_of_exabytes_costs_nothing():
    shape = (2**60,)
    header = json.dumps({"a": entry("U8", shape, (0, 2**60))}).encode()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is cut short"):
            parse_header(header, 8)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_a_huge_name_does_not_make_a_huge_message():
    with pytest.raises(ValueError, match="has dtype 'F33'") as caught:
        parse({"a" * 100_000: entry("F33")})
    assert len(str(caught.value)) < 400


def test_building_is_the_inverse_of_parsing():
    arrays = {"b": np.zeros((2, 3), np.float32), "a": np.zeros((), np.int8)}
    header = build_header(arrays, {"format": "pt"})
    assert header == (
        b'{"__metadata__":{"format":"pt"},'
        b'"b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},'
        b'"a":{"dtype":"I8","shape":[],"data_offsets":[24,25]}}   '
    )
    assert parse_header(header, 25) == {"b": ("F32", [2, 3], 0), "a": ("I8", [], 24)}


@pytest.mark.parametrize("metadata", [{"a": 1}, {1: "a"}, "text"])
def test_metadata_that_is_not_text_is_a_wrong_kind(metadata):
    with pytest.raises(TypeError, match="the metadata"):
        build_header({}, metadata)
