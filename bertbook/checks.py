"""What a public entry refuses, and the one sentence that says why.

Every message has the same four parts: what was wrong, what was got, what was
expected, and the way out. The checks run before any arithmetic.
"""

import math

import numpy as np

FLOAT_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def as_float_array(values, name):
    """Return `values` as a float32 or float64 array, or refuse them.

    Half precision is refused because the constants of the model do not survive
    in it: a layer norm's ``eps`` of 1e-12 is zero there.
    """
    array = _as_array(values, name)
    if array.dtype not in FLOAT_DTYPES:
        way = ".astype(np.float32)"
        if not hasattr(values, "astype"):
            way = f"np.array({name}, dtype=np.float32)"
        raise TypeError(
            f"{name} holds {array.dtype}, expected float32 or float64; "
            f"convert with {way}"
        )
    return array


def _as_array(values, name):
    """Return `values` as a plain array; refuse what would silently lose a part."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, expected a plain one; "
            f"give its .filled(0), and its mask as attention_mask"
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} is a list of rows of different lengths, expected one length; "
            f"pad the rows, as the tokenizer does"
        ) from None


def check_dtype(dtype):
    """Return `dtype` as a NumPy dtype if parameters can be stored in it."""
    if dtype is None:  # which NumPy would read as float64
        raise TypeError(
            "dtype is None, expected float32 or float64; leave it out for float32"
        )
    dtype = np.dtype(dtype)
    if dtype not in FLOAT_DTYPES:
        raise TypeError(
            f"dtype is {dtype}, expected float32 or float64; "
            f"float32 is the usual choice"
        )
    return dtype


def check_rng(rng):
    """Return the generator, or one seeded with 0 for None; refuse anything else."""
    if rng is None:
        return np.random.default_rng(0)
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng is {rng!r}, expected a numpy.random.Generator; "
            f"pass np.random.default_rng(seed)"
        )
    return rng


def check_last_axis(array, size, name):
    """Refuse `array` unless its last axis has `size` entries."""
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(
            f"{name} has shape {array.shape}, expected a last axis of {size}; "
            f"pass one vector of {size} numbers per token"
        )


def as_hidden_states(hidden_states, parameter):
    """Return vectors of tokens in the dtype of the parameter that they will meet."""
    array = as_float_array(hidden_states, "hidden_states")
    check_last_axis(array, parameter.shape[0], "hidden_states")
    check_axes(array, 2, "hidden_states", "(..., seq, d_model)")
    return array.astype(parameter.dtype, copy=False)


def check_axes(array, at_least, name, expected):
    """Refuse an array that lacks axes."""
    if array.ndim < at_least:
        raise ValueError(
            f"{name} has shape {array.shape}, expected {expected}; "
            f"add the missing axes with np.newaxis"
        )


def check_shape(array, shape, name):
    """Refuse `array` unless it has just this shape: none that only broadcasts."""
    if array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape}, expected {shape}; "
            f"give one entry per feature"
        )


def as_eps(eps, dtype):
    """Return `eps` in the dtype that it is added to, or refuse what is not there.

    Without it the variance zero of a constant vector would be divided by.
    """
    kinds = (int, float, np.integer, np.floating)
    if isinstance(eps, bool) or not isinstance(eps, kinds):
        raise TypeError(f"eps is {eps!r}, expected a number; BERT uses 1e-12")
    if not np.finfo(dtype).tiny <= eps < math.inf:
        raise ValueError(
            f"eps is {eps}, expected a positive number that {dtype} can hold; "
            f"BERT uses 1e-12"
        )
    return dtype.type(eps)


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
    if value not in list(choices):  # a list, for no hash is asked of the value
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}, expected {listed}; choose one of these")


def as_ids(ids, limit, name, table):
    """Return `ids` as an integer array whose entries are all below `limit`.

    NumPy would read a negative id as a row counted from the end of the table,
    so negative ids are refused like those that are too large.
    """
    array = _as_array(ids, name)
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
    mask = _as_array(attention_mask, "attention_mask")
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
