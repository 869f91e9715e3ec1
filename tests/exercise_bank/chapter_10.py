"""Answers to the exercises of chapter 10, as readers would give them."""

import struct

import numpy as np

BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16}


def byte_by_product(header_length, entry, row, column):
    start, stop = entry["data_offsets"]
    rows, columns = entry["shape"]
    width = (stop - start) // (rows * columns)
    return 8 + header_length + start + width * (row * columns + column)


def byte_by_strides(header_length, entry, row, column):
    itemsize = BITS[entry["dtype"]] // 8
    array = np.empty(entry["shape"], f"V{itemsize}")
    offset = row * array.strides[0] + column * array.strides[1]
    return header_length + 8 + entry["data_offsets"][0] + offset


def byte_no_eight(header_length, entry, row, column):
    start = header_length + entry["data_offsets"][0]
    width = BITS[entry["dtype"]] // 8
    return start + width * (row * entry["shape"][1] + column)


def byte_no_header(header_length, entry, row, column):
    width = BITS[entry["dtype"]] // 8
    cells = row * entry["shape"][1] + column
    return 8 + entry["data_offsets"][0] + width * cells


def byte_no_start(header_length, entry, row, column):
    width = BITS[entry["dtype"]] // 8
    return 8 + header_length + width * (row * entry["shape"][-1] + column)


def byte_of_numbers(header_length, entry, row, column):
    begin = entry["data_offsets"][0] + header_length + 8
    return begin + entry["shape"][1] * row + column


def byte_of_fours(header_length, entry, row, column):
    begin = entry["data_offsets"][0] + header_length + 8
    return begin + (entry["shape"][1] * row + column) * 4


def byte_down_the_columns(header_length, entry, row, column):
    rows, columns = entry["shape"]
    width = BITS[entry["dtype"]] // 8
    return 8 + header_length + entry["data_offsets"][0] + width * (column * rows + row)


def byte_of_next(header_length, entry, row, column):
    return byte_by_product(header_length, entry, row, column + 1)


def byte_as_float(header_length, entry, row, column):
    width = BITS[entry["dtype"]] / 8
    cells = row * entry["shape"][1] + column
    return 8 + header_length + entry["data_offsets"][0] + width * cells


LINEAR = ("query.weight", "key.weight", "value.weight", "dense.weight")


def ours_by_list(name, array, shape):
    if name.endswith(LINEAR):
        return np.swapaxes(array, 0, 1)
    return array


def ours_by_exclusion(name, array, shape):
    if array.ndim < 2 or "_embeddings" in name:
        return array.copy()
    return np.ascontiguousarray(array.transpose())


def ours_if_needed(name, array, shape):
    if array.shape != shape:
        array = np.transpose(array)
    return array


def ours_as_is(name, array, shape):
    return np.array(array)


def ours_all_weights(name, array, shape):
    if name.endswith("weight"):
        array = array.transpose()
    return array


def ours_reshaped(name, array, shape):
    return np.reshape(array, shape)


def ours_dense(name, array, shape):
    if name.endswith("dense.weight"):
        return array.T
    return array


def ours_attention_only(name, array, shape):
    if "attention" in name and array.ndim == 2:
        return array.T
    return array


def ours_flipped(name, array, shape):
    return array[::-1].T if name.endswith(LINEAR) else array


def bf16_by_shift(raw):
    halves = np.frombuffer(raw, dtype=np.uint16)
    return np.left_shift(halves, 16, dtype=np.uint32).view("f4")


def bf16_by_padding(raw):
    padded = b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))
    return np.frombuffer(padded, "<f4").copy()


def bf16_by_struct(raw):
    pairs = struct.unpack(f"<{len(raw) // 2}H", raw)
    words = struct.pack(f"<{len(pairs)}I", *(pair * 65536 for pair in pairs))
    return np.frombuffer(words, np.float32)


def bf16_half(raw):
    return np.frombuffer(raw, dtype=np.float16).astype("f4")


def bf16_cast(raw):
    return np.float32(np.frombuffer(raw, dtype=np.uint16))


def bf16_low(raw):
    padded = b"".join(raw[i : i + 2] + b"\0\0" for i in range(0, len(raw), 2))
    return np.frombuffer(padded, "<f4").copy()


def bf16_swapped(raw):
    halves = np.frombuffer(raw, dtype=np.uint16).byteswap()
    return (halves.astype("u4") * np.uint32(65536)).view("f4")


def bf16_too_late(raw):
    halves = np.frombuffer(raw, dtype=np.uint16)
    return np.left_shift(halves, np.uint16(16)).astype(np.uint32).view("f4")


def bf16_numbers_shifted(raw):
    return (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).astype("f4")


def bf16_of_64_bits(raw):
    return bf16_by_shift(raw).astype(float)


def first_by_allclose(rungs, tolerance):
    for name, got, expected in rungs:
        same_shape = np.shape(got) == np.shape(expected)
        if not same_shape or not np.allclose(got, expected, rtol=0, atol=tolerance):
            return name


def first_by_testing(rungs, tolerance):
    for name, got, expected in rungs:
        try:
            np.testing.assert_allclose(
                got, expected, rtol=0, atol=tolerance, strict=True
            )
        except AssertionError:
            return name
    return None


def first_max(rungs, tolerance):
    broken = [n for n, a, b in rungs if np.max(np.abs(a - b)) > tolerance]
    return broken[0] if broken else None


def first_broadcast(rungs, tolerance):
    for name, got, expected in rungs:
        if not np.isclose(got, expected, rtol=0, atol=tolerance).all():
            return name
    return None


def first_no_infinity(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape or not np.max(abs(got - expected)) <= tolerance:
            return name
    return None


def first_relative(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        if not np.isclose(got, expected, atol=tolerance).all():
            return name
    return None


def first_signed(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        fine = np.logical_or(got == expected, got <= expected + tolerance)
        if not np.all(fine):
            return name
    return None


def first_worst(rungs, tolerance):
    gaps = {}
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            gaps[name] = float("inf")
            continue
        differs = ~(got == expected)
        gap = np.abs(got[differs] - expected[differs])
        gap[np.isnan(gap)] = np.inf
        gaps[name] = gap.max(initial=0)
    name = max(gaps, key=gaps.get)
    return name if gaps[name] > tolerance else None


def first_average(rungs, tolerance):
    for name, got, expected in rungs:
        if np.shape(got) != np.shape(expected):
            return name
        unequal = got[got != expected] - expected[got != expected]
        total = np.abs(unequal).sum() / got.size
        if np.isnan(total) or total > tolerance:
            return name
    return None


def first_norm(rungs, tolerance):
    for name, got, expected in rungs:
        if np.shape(got) != np.shape(expected):
            return name
        unequal = got[got != expected] - expected[got != expected]
        if not np.linalg.norm(unequal) <= tolerance:
            return name
    return None


def first_nan_as_zero(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        gap = np.nan_to_num(got) - np.nan_to_num(expected)
        if np.abs(gap).max() > tolerance:
            return name
    return None


def first_last(rungs, tolerance):
    return first_by_allclose(rungs[::-1], tolerance)


def first_index(rungs, tolerance):
    name = first_by_allclose(rungs, tolerance)
    return None if name is None else [n for n, _, _ in rungs].index(name)


ANSWERS = {
    "weights-byte": {
        "right": [byte_by_product, byte_by_strides],
        "wrong": {
            "length of the header": byte_no_eight,
            "header": byte_no_header,
            "offset": byte_no_start,
            "numbers for bytes": byte_of_numbers,
            "four bytes": byte_of_fours,
            "column by column": byte_down_the_columns,
            "general: one column too far": byte_of_next,
            "general: a float": byte_as_float,
        },
    },
    "weights-to-ours": {
        "right": [ours_by_list, ours_by_exclusion],
        "wrong": {
            "by shape": ours_if_needed,
            "nothing turned": ours_as_is,
            "tables turned": ours_all_weights,
            "reshape": ours_reshaped,
            "dense only": ours_dense,
            "general: attention alone": ours_attention_only,
            "general: upside down": ours_flipped,
        },
    },
    "weights-bf16": {
        "right": [bf16_by_shift, bf16_by_padding, bf16_by_struct],
        "wrong": {
            "float16": bf16_half,
            "integers": bf16_cast,
            "lower half": bf16_low,
            "byte order": bf16_swapped,
            "shifted out": bf16_too_late,
            "general: shifted, then by value": bf16_numbers_shifted,
            "general: float64": bf16_of_64_bits,
        },
    },
    "parity-first-broken": {
        "right": [first_by_allclose, first_by_testing],
        "wrong": {
            "plain": first_max,
            "shapes": first_broadcast,
            "nan": first_nan_as_zero,
            "infinity": first_no_infinity,
            "relative": first_relative,
            "signed": first_signed,
            "worst": first_worst,
            "average": first_average,
            "general: the length of the difference": first_norm,
            "general: the last": first_last,
            "general: its index": first_index,
        },
    },
}
