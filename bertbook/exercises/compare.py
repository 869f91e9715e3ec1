"""Say in words how a reader's value differs from the expected one."""

import numpy as np

SHOWN_ELEMENTS = 12


def show(value):
    """Return a short text for any value, also for one that refuses to be shown."""
    if isinstance(value, np.ndarray) and value.size > SHOWN_ELEMENTS:
        return f"array of shape {value.shape}, {value.dtype}"
    try:
        with np.printoptions(precision=4, suppress=True, linewidth=1000):
            text = str(value.tolist()) if _is_small_integer(value) else _short(value)
    except Exception:
        return f"an object of type {type(value).__name__} that cannot be shown"
    text = " ".join(text.split())
    return text if len(text) <= 120 else text[:117] + "..."


def _is_small_integer(value):
    """Return whether a value is an array that a plain list shows best."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biu"


def _short(value):
    """Return a number with four digits, an array as NumPy prints it, else the repr."""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, np.integer | np.bool_):
        return str(value)
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ")
    return repr(value)


def find_difference(got, expected, *, rtol, atol):
    """Return how two values differ, as the end of a sentence, or None.

    Parameters
    ----------
    got : object
        What the reader's answer gave.
    expected : object
        What it should give: an array, a number, a text, or a tuple, list or dict of
        these.
    rtol, atol : float
        Relative and absolute tolerance of floating-point values.

    Returns
    -------
    str or None
        None if the values agree. The dtype of arrays is not looked at here.
    """
    if isinstance(got, np.ma.MaskedArray):  # which agrees with anything where masked
        return "a masked array where a plain one is expected"
    if isinstance(expected, np.ndarray) and expected.ndim:
        return _array_difference(got, expected, rtol, atol)
    if isinstance(expected, dict):
        return _dict_difference(got, expected, rtol, atol)
    if isinstance(expected, tuple | list):
        return _sequence_difference(got, expected, rtol, atol)
    if isinstance(expected, bool | np.bool_ | str) or not _is_number(expected):
        return _plain_difference(got, expected)
    return _number_difference(got, expected, rtol, atol)


def _is_number(value):
    """Return whether a value is one real number, of Python or of NumPy."""
    return (
        isinstance(value, int | float | np.number | np.ndarray)
        and not isinstance(value, bool)
        and np.ndim(value) == 0
        and np.asarray(value).dtype.kind in "iuf"
    )


def _plain_difference(got, expected):
    """Compare texts, truth values and whatever else knows ``==``."""
    if isinstance(expected, bool | np.bool_):
        same_kind = isinstance(got, bool | np.bool_) or (
            isinstance(got, np.ndarray) and got.ndim == 0 and got.dtype == bool
        )
    else:
        same_kind = isinstance(got, type(expected))
    if not same_kind:
        return f"{_kind(got)} where {_kind(expected)} is expected"
    if bool(got == expected):
        return None
    return f"{show(got)}, expected {show(expected)}"


def _number_difference(got, expected, rtol, atol):
    """Compare two numbers; an integer is expected to be an integer."""
    if not _is_number(got):
        return f"{_kind(got)} where one number ({show(expected)}) is expected"
    if np.isnan(got) and not np.isnan(expected):
        return f"NaN (not a number), expected {show(expected)}"
    exact = np.asarray(expected).dtype.kind in "iu"
    if exact and np.asarray(got).dtype.kind == "f" and got == expected:
        return f"{show(got)} as a float where the integer {expected} is expected"
    if exact:
        return None if got == expected else f"{got}, expected {expected}"
    if np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True):
        return None
    return f"{float(got):.6g}, expected {float(expected):.6g}"


def _array_difference(got, expected, rtol, atol):
    """Compare two arrays: kind, shape, NaN, values, in this order."""
    if not isinstance(got, np.ndarray):
        return f"{_kind(got)} where a NumPy array is expected"
    numeric = expected.dtype.kind in "biuf"
    if numeric and got.dtype.kind not in "biuf":
        return f"an array of dtype {got.dtype} where numbers are expected"
    if got.shape != expected.shape:
        return f"an array of shape {got.shape} where {expected.shape} is expected"
    if not numeric:
        wrong = np.asarray(got != expected)
    else:
        new_nan = np.isnan(got) & ~np.isnan(expected)
        if new_nan.any():
            where = _first(new_nan)
            return (
                f"NaN (not a number) at index {show(where)} and in {new_nan.sum()} of "
                f"{got.size} places, expected {show(expected[where])} there"
            )
        wrong = ~np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not wrong.any():
        return None
    where = _first(wrong)
    return (
        f"{show(got[where])} at index {show(where)}, expected {show(expected[where])} "
        f"({wrong.sum()} of {wrong.size} values differ)"
    )


def _first(mask):
    """Return the index of the first True as a tuple of int."""
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _sequence_difference(got, expected, rtol, atol):
    """Compare tuples or lists element by element."""
    if not isinstance(got, tuple | list):
        name = type(expected).__name__
        return f"{_kind(got)} where a {name} of {len(expected)} values is expected"
    if len(got) != len(expected):
        return f"{len(got)} values where {len(expected)} are expected"
    for k, (a, b) in enumerate(zip(got, expected, strict=True)):
        if problem := find_difference(a, b, rtol=rtol, atol=atol):
            return f"as value {k}: {problem}"
    return None


def _dict_difference(got, expected, rtol, atol):
    """Compare dicts key by key."""
    if not isinstance(got, dict):
        return f"{_kind(got)} where a dict is expected"
    if got.keys() != expected.keys():
        missing, extra = expected.keys() - got.keys(), got.keys() - expected.keys()
        parts = [f"without the keys {sorted(map(str, missing))}"] * bool(missing)
        parts += [f"with unknown keys {sorted(map(str, extra))}"] * bool(extra)
        return f"a dict {' and '.join(parts)}"
    for key in expected:
        if problem := find_difference(got[key], expected[key], rtol=rtol, atol=atol):
            return f"under {key!r}: {problem}"
    return None


def find_dtype_difference(got, expected):
    """Return how the dtypes of two values that agree differ, or None."""
    if isinstance(expected, tuple | list):
        pairs = zip(got, expected, strict=True)
    elif isinstance(expected, dict):
        pairs = ((got[key], expected[key]) for key in expected)
    elif not (hasattr(expected, "dtype") and hasattr(got, "dtype")):
        return None
    elif expected.dtype.kind in "iu" and got.dtype.kind in "iu":
        return None  # the width of an integer depends on the platform
    elif got.dtype == expected.dtype:
        return None
    else:
        return f"{got.dtype} where {expected.dtype} is expected"
    found = (find_dtype_difference(a, b) for a, b in pairs)
    return next((problem for problem in found if problem), None)


def _kind(value):
    """Return the kind of a value in words."""
    if value is None:
        return "None"
    known = {str: "a text", bool: "a truth value", np.bool_: "a truth value"}
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    if _is_number(value):
        return f"the number {show(value)}"
    name = type(value).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return known.get(type(value), f"{article} {name}")
