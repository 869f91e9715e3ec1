"""Exercises of chapter 2 on what the tables hold and where positions are added."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def add_positions(x, position_table):
    """Add to each token the row of its place."""
    return x + position_table[: x.shape[-2]]


def _from_one(x, position_table):
    """Count the places from one."""
    return x + position_table[1 : x.shape[-2] + 1]


def _first_axis(x, position_table):
    """Take as many rows as the first axis is long."""
    return x + position_table[: len(x)]


def _along_the_batch(x, position_table):
    """Give each text of a batch one row, instead of each token."""
    if x.ndim == 2:
        return x + position_table[: len(x)]
    return x + position_table[: len(x), np.newaxis]


def _first_row_only(x, position_table):
    """Add the row of the first place everywhere."""
    return x + position_table[0]


def _last_rows(x, position_table):
    """Take the last rows of the table."""
    return x + position_table[-x.shape[-2] :]


def _in_place(x, position_table):
    """Write into the caller's array."""
    x += position_table[: x.shape[-2]]
    return x


def _rng_arrays(*shapes, seed=0):
    """Draw arrays in float32."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]


_TABLE, _ONE, _BATCH, _SQUARE = _rng_arrays((9, 4), (5, 4), (2, 6, 4), (3, 3, 4))
_LONG, _EMPTY = _rng_arrays((9, 4), (0, 5, 4))

register(
    Exercise(
        name="embeddings-parameters",
        question="How many numbers do the three tables of BERT-base hold?",
        solution=23_835_648,
        mistakes=[
            Mistake(
                "tokens only",
                "you counted the tokens alone; positions and segments have tables too.",
                30_522 * 768,
            ),
            Mistake(
                "no segments",
                "one table is missing, the smallest: the two segments.",
                31_034 * 768,
            ),
            Mistake(
                "multiplied",
                "the rows of the three tables are added up, not multiplied: no row "
                "stands for a token at a place.",
                30_522 * 512 * 2 * 768,
            ),
            Mistake(
                "rows",
                "that is the number of rows; each row holds d_model numbers.",
                31_036,
            ),
            Mistake(
                "other model",
                "that is the count for a width of 384, that of MiniLM; BERT-base has "
                "768.",
                31_036 * 384,
            ),
            Mistake(
                "norm",
                "you counted the gain and the bias of the layer norm too; the "
                "question is about the three tables alone.",
                31_036 * 768 + 2 * 768,
            ),
        ],
        praise="30,522 + 512 + 2 rows of 768 numbers, more than a fifth of BERT-base.",
    )
)

register(
    Exercise(
        name="embeddings-positions",
        question="Add position embeddings to one text or to a batch.",
        solution=add_positions,
        cases=[
            (_ONE, _TABLE),
            (_BATCH, _TABLE),
            (_SQUARE, _TABLE),
            (_LONG[:8] * 100, _TABLE),
            (_EMPTY, _TABLE),
        ],
        mistakes=[
            Mistake(
                "first axis",
                "you take as many rows as the first axis is long. In a batch that axis "
                "counts texts; which axis counts tokens, from the end?",
                _first_axis,
            ),
            Mistake(
                "along the batch",
                "in a batch each text gets one row for all its tokens. The same text "
                "then means something else in another row of the batch.",
                _along_the_batch,
            ),
            Mistake("from one", "places are counted from zero.", _from_one),
            Mistake(
                "first row",
                "every token gets the row of place 0, so the order is lost again.",
                _first_row_only,
            ),
            Mistake(
                "last rows",
                "you take the rows from the end of the table; the first token stands "
                "at its beginning.",
                _last_rows,
            ),
            Mistake(
                "in place",
                "the values are right, but the caller's array is overwritten: += "
                "writes into it.",
                _in_place,
            ),
        ],
        praise="the token axis is the last but one, with a batch and without.",
    )
)
