"""Tables traced from real runs: shapes of arrays, differences from a reference."""

import html
import sys

import numpy as np


class Table:
    """A small table that a notebook shows, and that a screen reader can read.

    Parameters
    ----------
    caption : str
        What the table shows.
    columns : sequence of str
        Heads of the columns; the first column names the rows.
    rows : sequence of sequence of str
        The cells.
    """

    def __init__(self, caption, columns, rows):
        self.caption = caption
        self.columns = list(columns)
        self.rows = [[str(cell) for cell in row] for row in rows]

    def __repr__(self):
        """Return the table as text, in aligned columns."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        text.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([self.caption, *text])

    def _repr_html_(self):
        """Return the table as HTML with a caption and header cells."""
        head = "".join(f'<th scope="col">{html.escape(c)}</th>' for c in self.columns)
        body = []
        for first, *rest in self.rows:
            cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in rest)
            body.append(f'<tr><th scope="row">{html.escape(first)}</th>{cells}</tr>')
        return (
            f'<table class="dataframe"><caption>{html.escape(self.caption)}</caption>'
            f"<thead><tr>{head}</tr></thead>\n<tbody>"
            + "\n".join(body)
            + "</tbody></table>"
        )


def shape_table(arrays, caption="Shapes in this run"):
    """Return a table of names, shapes and dtypes, read off the arrays themselves.

    Parameters
    ----------
    arrays : dict, or sequence of tuple (str, array)
        Name and array; a tuple or list of arrays of one shape makes one row.
    caption : str, optional
        What the table shows.

    Returns
    -------
    Table
        Columns name, shape, dtype.

    Examples
    --------
    >>> shape_table([("token_ids", np.zeros((2, 8), dtype=np.int64))])
    Shapes in this run
    name       shape   dtype
    ---------  ------  -----
    token_ids  (2, 8)  int64
    """
    pairs = arrays.items() if isinstance(arrays, dict) else arrays
    rows = [(name, *_describe(array)) for name, array in pairs]
    return Table(caption, ["name", "shape", "dtype"], rows)


def _describe(array):
    """Return the shape and the dtype of an array, or of several alike."""
    if isinstance(array, tuple | list) and array and hasattr(array[0], "shape"):
        shapes = {(part.shape, str(part.dtype)) for part in array}
        if len(shapes) > 1:
            raise ValueError(
                f"got arrays of {len(shapes)} different shapes or dtypes for one row, "
                "expected one; give each its own name"
            )
        shape, dtype = shapes.pop()
        return f"{len(array)} x {shape}", dtype
    array = np.asarray(array)
    return str(array.shape), str(array.dtype)


def trace_shapes(function, *args, caption=None, **kwargs):
    """Run a function and return the shape of every array it makes on the way.

    Parameters
    ----------
    function : callable
        A function, a method, or an object with ``__call__``, written in Python.
    *args
        Its arguments.
    caption : str, optional
        What the table shows; by default the name of the function.
    **kwargs
        Its arguments given by name.

    Returns
    -------
    Table
        One row for each local variable that holds an array, in the order in which they
        get their value, and again whenever the shape or the dtype under a name changes;
        last the returned arrays. The result itself is in the attribute ``result``.

    Raises
    ------
    TypeError
        If the function is not written in Python.
    """
    code = _find_code(function)
    notes = _ShapeNotes()

    def watch(frame, event, _argument):
        if frame.f_code is not code:
            return None
        notes.take(frame.f_locals.items())
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        result = function(*args, **kwargs)
    finally:
        sys.settrace(before)
    notes.take(_name_results(result))
    name = getattr(function, "__name__", type(function).__name__)
    caption = caption or f"Shapes inside {name}"
    table = Table(caption, ["name", "shape", "dtype"], notes.rows)
    table.result = result
    return table


class _ShapeNotes:
    """Rows of name, shape, dtype; a name gets a new row when these change."""

    def __init__(self):
        self.rows = []
        self._latest = {}

    def take(self, named_values):
        """Note the arrays among the values."""
        for name, value in named_values:
            if not isinstance(value, np.ndarray):
                continue
            shape_and_dtype = _describe(value)
            if self._latest.get(name) != shape_and_dtype:
                self._latest[name] = shape_and_dtype
                self.rows.append((name, *shape_and_dtype))


def _find_code(function):
    """Return the code object that runs when a function is called."""
    for candidate in (function, vars(type(function)).get("__call__")):
        code = getattr(getattr(candidate, "__func__", candidate), "__code__", None)
        if code is not None:
            return code
    raise TypeError(
        f"got {type(function).__name__}, expected a function written in Python; "
        "wrap it in a function of your own"
    )


def _name_results(result):
    """Return names and values of what a function returned."""
    if isinstance(result, dict):
        return [(f"returned {key!r}", value) for key, value in result.items()]
    if isinstance(result, tuple):
        return [(f"returned, part {k + 1}", part) for k, part in enumerate(result)]
    return [("returned", result)]


def comparison_table(rows, *, tolerance=1e-5, caption="Compared with the reference"):
    """Return a table that says tensor by tensor whether two computations agree.

    Parameters
    ----------
    rows : sequence of tuple (str, ndarray, ndarray)
        Name, computed array, reference array.
    tolerance : float, default=1e-5
        Largest absolute difference that counts as agreement.
    caption : str, optional
        What the table shows.

    Returns
    -------
    Table
        Columns tensor, shape, largest difference, verdict. ``table.passed`` says
        whether all agree, ``table.largest`` is the largest difference (inf where shapes
        differ or where only one of two values is NaN).

    Raises
    ------
    ValueError
        If there are no rows.

    Notes
    -----
    A difference within the tolerance is shown as ``< 1e-05`` only: its digits are
    rounding error, and change from processor to processor.
    """
    rows = list(rows)
    if not rows:  # which would agree with anything
        raise ValueError("got no rows, expected at least one; look where they get lost")
    found = [_largest_difference(got, expected) for _, got, expected in rows]
    cells = [
        (name, np.shape(got), *_verdict(got, expected, gap, tolerance))
        for (name, got, expected), gap in zip(rows, found, strict=True)
    ]
    table = Table(caption, ["tensor", "shape", "largest difference", "verdict"], cells)
    table.largest = max(found)
    table.passed = table.largest <= tolerance
    return table


def _verdict(got, expected, gap, tolerance):
    """Return the largest difference and the verdict, both in words."""
    if gap <= tolerance:
        return f"< {tolerance:.0e}", "agrees"
    if np.shape(got) != np.shape(expected):
        return "none", f"OTHER SHAPE: {np.shape(expected)} expected"
    if np.isinf(gap):
        return "none", "NaN"
    return f"{gap:.1e}", "DIFFERS"


def _largest_difference(got, expected):
    """Return the largest absolute difference of two arrays, inf if not comparable."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    if got.shape != expected.shape or (np.isnan(got) != np.isnan(expected)).any():
        return np.inf
    # Equal infinities and NaN on both sides are no difference.
    unequal = (got != expected) & ~np.isnan(got)
    return float(np.max(np.abs(got[unequal] - expected[unequal]), initial=0.0))
