"""Exercises of chapter 10 on files; `chapter_10_parity` has those on loading."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

ITEM_SIZES = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8}


def byte_of_element(header_length, entry, row, column):
    """Return the place in the file of one number of a matrix."""
    item_size = ITEM_SIZES[entry["dtype"]]
    index = row * entry["shape"][1] + column
    return 8 + header_length + entry["data_offsets"][0] + index * item_size


def _without_length(header_length, entry, row, column):
    return byte_of_element(header_length, entry, row, column) - 8


def _without_header(header_length, entry, row, column):
    return byte_of_element(0, entry, row, column)


def _without_offset(header_length, entry, row, column):
    start = entry["data_offsets"][0]
    return byte_of_element(header_length, entry, row, column) - start


def _counts_numbers(header_length, entry, row, column):
    start = 8 + header_length + entry["data_offsets"][0]
    return start + row * entry["shape"][1] + column


def _always_four_bytes(header_length, entry, row, column):
    return byte_of_element(header_length, {**entry, "dtype": "F32"}, row, column)


def _column_by_column(header_length, entry, row, column):
    turned = {**entry, "shape": entry["shape"][::-1]}
    return byte_of_element(header_length, turned, column, row)


def _entry(dtype, rows, columns, start):
    """Return an entry of a header as the format has it."""
    stop = start + rows * columns * ITEM_SIZES[dtype]
    return {"dtype": dtype, "shape": [rows, columns], "data_offsets": [start, stop]}


register(
    Exercise(
        name="weights-byte",
        question="At which byte of the file does the number [row, column] begin?",
        solution=byte_of_element,
        cases=[
            (11408, _entry("F32", 30522, 384, 796672), 7592, 5),
            (72, _entry("F64", 3, 5, 40), 2, 1),
            (128, _entry("F16", 6, 2, 12), 4, 1),
            (64, _entry("F32", 2, 3, 16), 0, 0),
        ],
        mistakes=[
            Mistake(
                "length of the header",
                "you are 8 bytes too early: before the header stand the 8 bytes that "
                "say how long it is.",
                _without_length,
            ),
            Mistake(
                "header",
                "you count from the start of the data as if it were the start of the "
                "file: the header lies between.",
                _without_header,
            ),
            Mistake(
                "offset",
                "you assume that the tensor is the first one in the data: the header "
                "says where it begins.",
                _without_offset,
            ),
            Mistake(
                "numbers for bytes",
                "you add up numbers and bytes: each number takes several bytes.",
                _counts_numbers,
            ),
            Mistake(
                "four bytes",
                "right for F32, but not every dtype takes 4 bytes: the digits in its "
                "name are bits.",
                _always_four_bytes,
            ),
            Mistake(
                "column by column",
                "you walk down the columns, as Fortran does: in the file one row "
                "follows the other, so a step in the row skips a whole row of numbers.",
                _column_by_column,
            ),
        ],
        praise="you can find any weight of any model with a hex editor.",
    )
)


def read_bf16(raw):
    """Return the float32 numbers that stand in bytes of bfloat16."""
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)


def _as_float16(raw):
    return np.frombuffer(raw, "<f2").astype(np.float32)


def _as_integers(raw):
    return np.frombuffer(raw, "<u2").astype(np.float32)


def _without_shift(raw):
    return np.frombuffer(raw, "<u2").astype(np.uint32).view(np.float32)


def _big_endian(raw):
    return (np.frombuffer(raw, ">u2").astype(np.uint32) << 16).view(np.float32)


def _is_zero(inputs, got, expected):
    """Return whether nothing but zeros came out."""
    return got.shape == expected.shape and not got.any()


def _to_bf16(*values):
    """Return the upper halves of float32 numbers as bytes."""
    bits = np.array(values, np.float32).view(np.uint32) >> 16
    return bits.astype("<u2").tobytes()


register(
    Exercise(
        name="weights-bf16",
        question="Turn bytes of bfloat16 into float32 numbers.",
        solution=read_bf16,
        cases=[
            (_to_bf16(1, -2, 0.5),),
            (_to_bf16(3.140625, 1e20, -1e-3, 0, np.inf),),
            (b"",),
        ],
        mistakes=[
            Mistake(
                "shifted out",
                "all values are zero: the bits were shifted out of a 16-bit number "
                "before there was room for them.",
                recognise=_is_zero,
            ),
            Mistake(
                "float16",
                "F16 and BF16 both have 16 bits, but share them out differently: "
                "float16 has 5 bits for the exponent, bfloat16 has 8, as float32.",
                _as_float16,
            ),
            Mistake(
                "integers",
                "you turned the bit patterns into numbers by their value: the bits "
                "have to stay and only be looked at as another dtype.",
                _as_integers,
            ),
            Mistake(
                "lower half",
                "all values are next to zero: the 16 bits have landed in the lower "
                "half of the float32, and belong into the upper one.",
                _without_shift,
            ),
            Mistake(
                "byte order",
                "the two bytes of each number are swapped: the file is little-endian.",
                _big_endian,
            ),
        ],
        praise="bfloat16 is the upper half of a float32, and nothing more.",
    )
)
