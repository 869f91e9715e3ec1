"""Exercises of chapter 2 on sums of tables, and on what a look-up learns."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def fold_projection(tables, weight):
    """Multiply each table by its own rows of the weight."""
    ends = np.cumsum([table.shape[1] for table in tables])
    blocks = np.split(weight, ends[:-1])
    return [table @ block for table, block in zip(tables, blocks, strict=True)]


def _first_block_for_all(tables, weight):
    """Multiply every table by the first rows."""
    return [table @ weight[: table.shape[1]] for table in tables]


def _blocks_backwards(tables, weight):
    """Hand out the rows from the last table to the first."""
    return fold_projection(tables[::-1], weight)[::-1]


def _equal_blocks(tables, weight):
    """Cut the weight into blocks of one size."""
    blocks = np.array_split(weight, len(tables))
    return [table @ block for table, block in zip(tables, blocks, strict=True)]


def _whole_product(tables, weight):
    """Multiply the rows that stand at the same place of all tables."""
    shortest = min(map(len, tables))
    return np.concatenate([table[:shortest] for table in tables], axis=1) @ weight


def _mean_of_tables(tables, weight):
    """Divide by the number of tables."""
    return [folded / len(tables) for folded in fold_projection(tables, weight)]


def table_gradient(ids, dy, n_rows):
    """Collect the gradient of each row of a table."""
    gradient = np.zeros((n_rows, dy.shape[-1]), dtype=dy.dtype)
    np.add.at(gradient, ids, dy)
    return gradient


def _last_one_wins(ids, dy, n_rows):
    """Let NumPy's fancy += drop all but one of equal ids."""
    gradient = np.zeros((n_rows, dy.shape[-1]), dtype=dy.dtype)
    gradient[ids] += dy
    return gradient


def _one_row_after_the_other(ids, dy, n_rows):
    """Loop over the first axis of the ids only."""
    gradient = np.zeros((n_rows, dy.shape[-1]), dtype=dy.dtype)
    for row_ids, row_dy in zip(ids, dy, strict=True):
        gradient[row_ids] += row_dy
    return gradient


def _padding_left_out(ids, dy, n_rows):
    """Keep the gradient of row 0 at zero, as a padding index of PyTorch does."""
    gradient = table_gradient(ids, dy, n_rows)
    gradient[0] = 0
    return gradient


def _mean_over_uses(ids, dy, n_rows):
    """Divide by how often a row was used."""
    uses = np.bincount(np.ravel(ids), minlength=n_rows).clip(1)
    gradient = table_gradient(ids, dy, n_rows)
    return (gradient / uses[:, np.newaxis]).astype(dy.dtype)


def _used_rows_only(ids, dy, n_rows):
    """Return no row for ids that do not occur."""
    return table_gradient(ids, dy, n_rows)[np.unique(ids)]


def _float64(ids, dy, n_rows):
    """Collect in an array of NumPy's usual dtype."""
    return table_gradient(ids, dy, n_rows).astype(np.float64)


def _rng_arrays(*shapes, seed=0):
    """Draw arrays in float32."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]


_TABLES = _rng_arrays((6, 4), (5, 3), (2, 2))
_WEIGHT, _SQUARE_WEIGHT = _rng_arrays((9, 5), (12, 4), seed=1)
_EVEN = _rng_arrays((7, 4), (3, 4), (2, 4), seed=2)

register(
    Exercise(
        name="embeddings-fold",
        question="Fold a projection of joined embeddings into the tables.",
        solution=fold_projection,
        cases=[
            (_TABLES, _WEIGHT),
            (_EVEN, _SQUARE_WEIGHT),
            (_EVEN[:1], _SQUARE_WEIGHT[:4]),
        ],
        mistakes=[
            Mistake(
                "first block",
                "every table meets the same rows of the weight; each has rows of its "
                "own, one after the other.",
                _first_block_for_all,
            ),
            Mistake(
                "backwards",
                "the rows are handed out in the wrong order: the first table owns the "
                "first rows.",
                _blocks_backwards,
            ),
            Mistake(
                "equal blocks",
                "your blocks are all of one size, but a table owns as many rows of "
                "the weight as it has columns.",
                _equal_blocks,
            ),
            Mistake(
                "one product",
                "you multiply rows that happen to stand at the same place. The tables "
                "have different lengths and stay apart: return one for each.",
                _whole_product,
            ),
            Mistake("mean", "no division: the parts are added.", _mean_of_tables),
        ],
        praise="the sum of the folded rows is the projection of the joined rows.",
    )
)

_DY = _rng_arrays((5, 3), (2, 4, 3), (1, 2), (3, 2), seed=3)

register(
    Exercise(
        name="embeddings-gradient",
        question="Collect the gradient of an embedding table.",
        solution=table_gradient,
        cases=[
            (np.array([2, 0, 2, 3, 2]), _DY[0], 5),
            (np.array([[1, 1, 1, 2], [2, 1, 0, 1]]), _DY[1], 4),
            (np.array([3]), _DY[2], 6),
            (np.array([0, 0, 0]), _DY[3] * 1000, 1),
        ],
        mistakes=[
            Mistake(
                "last one wins",
                "where an id occurs twice, only one of its gradients is left: "
                "`gradient[ids] += dy` reads each row once and writes it once.",
                _last_one_wins,
            ),
            Mistake(
                "first axis only",
                "one text is right, a batch is not: your loop takes a whole row of "
                "ids at once, and of equal ids within it only one counts.",
                _one_row_after_the_other,
            ),
            Mistake(
                "padding",
                "row 0 gets no gradient, as with padding_idx=0 in PyTorch. By the "
                "product with one-hot rows it is a row like any other.",
                _padding_left_out,
            ),
            Mistake(
                "mean",
                "you divide by the number of uses. A row that was used three times "
                "gets the sum of three gradients.",
                _mean_over_uses,
            ),
            Mistake(
                "used rows",
                "the gradient has a row for each row of the table; those that were "
                "not used are zero.",
                _used_rows_only,
            ),
            Mistake(
                "float64",
                "the values are right, but in float64: make the zeros in the dtype of "
                "dy.",
                _float64,
            ),
        ],
        praise="every use of a row adds to its gradient: one_hot(ids).T @ dy.",
    )
)
