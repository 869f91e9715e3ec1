"""Pictures and tables that several chapters share.

matplotlib is imported at the first picture only, so that the package itself needs
nothing but NumPy.
"""

from pathlib import Path

import numpy as np

from bertbook.tables import comparison_table, shape_table, trace_shapes
from bertbook.viewer import attention_viewer

__all__ = [
    "attention_viewer",
    "comparison_table",
    "heat_map",
    "shape_table",
    "trace_shapes",
    "use_book_style",
]


def use_book_style():
    """Draw all pictures from here on in the style of the book."""
    from matplotlib import style

    style.use(Path(__file__).with_name("book.mplstyle"))


def heat_map(
    ax,
    values,
    *,
    row_labels=None,
    column_labels=None,
    diverging=False,
    annotate=False,
    digits=2,
    limits=None,
    colorbar_label=None,
):
    """Draw a matrix as a grid of colours.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    values : ndarray of shape (n_rows, n_columns)
        The matrix.
    row_labels, column_labels : sequence of str, optional
        Labels of the ticks: tokens, for attention.
    diverging : bool, default=False
        Whether zero is the middle of the colours; otherwise the colours go from the
        smallest value to the largest.
    annotate : bool, default=False
        Whether each value is written into its square.
    digits : int, default=2
        Decimals of the written values.
    limits : tuple of float, optional
        Values of the first and the last colour, to compare pictures.
    colorbar_label : str, optional
        What the colours mean; without it there is no colour bar.

    Returns
    -------
    matplotlib AxesImage
        The grid.

    Raises
    ------
    ValueError
        If the values are no matrix, or the number of labels is not that of the rows or
        columns.
    """
    values = np.asarray(values)
    _check_matrix(values, row_labels, column_labels)
    low, high = limits or (float(values.min()), float(values.max()))
    if diverging:
        low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
    cmap = "RdBu_r" if diverging else "viridis"
    image = ax.imshow(values, cmap=cmap, vmin=low, vmax=high)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    if column_labels is not None:
        slanted = max(map(len, column_labels)) > 2
        style = {"rotation": 45, "ha": "right"} if slanted else {}
        ax.set_xticks(range(values.shape[1]), column_labels, **style)
    if row_labels is not None:
        ax.set_yticks(range(values.shape[0]), row_labels)
    if annotate:
        _write_values(ax, image, values, digits)
    if colorbar_label is not None:
        bar = ax.figure.colorbar(image, ax=ax, label=colorbar_label)
        bar.outline.set_visible(False)
    return image


def _check_matrix(values, row_labels, column_labels):
    """Refuse what cannot be drawn as a labelled matrix."""
    if values.ndim != 2 or values.size == 0:
        raise ValueError(
            f"got values of shape {values.shape}, expected a matrix (n_rows, "
            "n_columns) with at least one value; choose one head or one layer"
        )
    for labels, length, what in zip(
        (row_labels, column_labels), values.shape, ("row", "column"), strict=True
    ):
        if labels is not None and len(labels) != length:
            raise ValueError(
                f"got {len(labels)} {what} labels, expected {length} as in the matrix"
            )


def _write_values(ax, image, values, digits):
    """Write each value into its square, in black or white, whichever is readable."""
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = image.cmap(image.norm(value))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        color = "white" if dark else "black"
        text = f"{value:.{digits}f}"
        ax.text(column, row, text, ha="center", va="center", color=color, fontsize=8)
