"""What a public entry refuses, and the one sentence that says why.

Every message has the same four parts: what was wrong, what was got, what was
expected, and the way out. The checks run before any arithmetic.
"""

import numpy as np

FLOAT_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def as_float_array(values, name):
    """Return `values` as a float32 or float64 array, or refuse them.

    Half precision is refused because the constants of the model do not survive
    in it: a layer norm's ``eps`` of 1e-12 is zero there.
    """
    array = np.asarray(values)
    if array.dtype not in FLOAT_DTYPES:
        raise TypeError(
            f"{name} holds {array.dtype}, expected float32 or float64; "
            f"convert with .astype(np.float32)"
        )
    return array


def check_dtype(dtype):
    """Return `dtype` as a NumPy dtype if parameters can be stored in it."""
    dtype = np.dtype(dtype)
    if dtype not in FLOAT_DTYPES:
        raise TypeError(
            f"dtype is {dtype}, expected float32 or float64; "
            f"float32 is the usual choice"
        )
    return dtype


def check_last_axis(array, size, name):
    """Refuse `array` unless its last axis has `size` entries."""
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(
            f"{name} has shape {array.shape}, expected a last axis of {size}; "
            f"pass one vector of {size} numbers per token"
        )


def check_positive(**sizes):
    """Refuse any size that is not an integer of at least one."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
            raise TypeError(
                f"{name} is {size!r}, expected an integer; pass a size such as 12"
            )
        if size < 1:
            raise ValueError(
                f"{name} is {size}, expected at least 1; pass a size such as 12"
            )


def check_choice(value, choices, name):
    """Refuse `value` unless it is one of the named choices."""
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}, expected {listed}; choose one of these")


def as_ids(ids, limit, name, table):
    """Return `ids` as an integer array whose entries are all below `limit`.

    NumPy would read a negative id as a row counted from the end of the table,
    so negative ids are refused like those that are too large.
    """
    try:
        array = np.asarray(ids)
    except ValueError:
        raise ValueError(
            f"{name} is a list of rows of different lengths, expected one length; "
            f"pad the rows, as the tokenizer does"
        ) from None
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype(np.int64)  # np.asarray([]) knows no integers
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} holds {array.dtype}, expected integers; "
            f"convert with .astype(np.int64)"
        )
    if array.size and (array.min() < 0 or array.max() >= limit):
        bad = array.min() if array.min() < 0 else array.max()
        raise ValueError(
            f"{name} has the entry {bad}, expected 0 to {limit - 1}; "
            f"{table} has {limit} rows"
        )
    return array


def as_token_ids(token_ids, vocab_size, max_position):
    """Return token ids of shape (seq,) or (batch, seq), or say what is wrong."""
    ids = as_ids(token_ids, vocab_size, "token_ids", "the token table")
    if ids.ndim not in (1, 2):
        raise ValueError(
            f"token_ids has shape {ids.shape}, expected (seq,) or (batch, seq); "
            f"reshape it to one row per text"
        )
    if ids.shape[-1] == 0:
        raise ValueError(
            f"token_ids has shape {ids.shape}, expected at least one token per row; "
            f"even an empty text is [CLS] [SEP]"
        )
    if ids.shape[-1] > max_position:
        raise ValueError(
            f"token_ids has {ids.shape[-1]} tokens per row, expected at most "
            f"{max_position} (max_position); truncate the text, for example with "
            f"tokenizer(texts, max_length={max_position})"
        )
    return ids


def as_mask(attention_mask, shape):
    """Return a boolean mask of exactly `shape`, or say what is wrong with it."""
    mask = np.asarray(attention_mask)
    if mask.dtype.kind not in "biuf":
        raise TypeError(
            f"attention_mask holds {mask.dtype}, expected numbers or booleans; "
            f"use 1 for a real token and 0 for padding"
        )
    if mask.shape != shape:
        raise ValueError(
            f"attention_mask has shape {mask.shape}, expected {shape}; "
            f"give one entry per token"
        )
    keep = mask != 0
    if not np.array_equal(mask, keep):
        raise ValueError(
            "attention_mask holds values other than 0 and 1, expected 1 for a real "
            "token and 0 for padding; compare with a threshold first"
        )
    return keep


def check_rows_have_tokens(keep):
    """Refuse a boolean mask of shape (..., seq) with a row of padding alone."""
    empty = ~keep.any(axis=-1)
    if empty.any():
        where = "the text" if keep.ndim == 1 else f"row {int(np.argmax(empty))}"
        raise ValueError(
            f"attention_mask hides every token of {where}, expected at least one "
            f"real token; drop the row, or keep its [CLS] and [SEP]"
        )
