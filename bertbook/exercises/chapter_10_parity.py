"""Exercises of chapter 10 on names, shapes and the parity ladder."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def to_our_layout(name, array, shape):
    """Return a published tensor as bertbook holds it."""
    is_matrix = name.endswith(".weight") and array.ndim == 2
    return array.T if is_matrix and not name.startswith("embeddings.") else array


def _turns_by_shape(name, array, shape):
    return array if array.shape == shape else array.T


def _turns_nothing(name, array, shape):
    return array


def _turns_tables(name, array, shape):
    return array.T


def _reshapes(name, array, shape):
    return array.reshape(shape)


def _turns_dense_only(name, array, shape):
    return array.T if "dense" in name else array


SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4)
TALL = np.arange(32, dtype=np.float32).reshape(8, 4)
LAYER = "encoder.layer.0"

register(
    Exercise(
        name="weights-to-ours",
        question="Which published tensors have to be transposed?",
        solution=to_our_layout,
        cases=[
            (f"{LAYER}.intermediate.dense.weight", TALL, (4, 8)),
            (f"{LAYER}.attention.self.query.weight", SQUARE, (4, 4)),
            (f"{LAYER}.attention.output.dense.weight", SQUARE + 1, (4, 4)),
            (f"{LAYER}.output.dense.weight", TALL.T - 3, (8, 4)),
            ("embeddings.word_embeddings.weight", TALL, (8, 4)),
            ("embeddings.position_embeddings.weight", SQUARE, (4, 4)),
            ("embeddings.LayerNorm.weight", SQUARE[0], (4,)),
            (f"{LAYER}.output.dense.bias", SQUARE[1], (4,)),
            ("pooler.dense.weight", SQUARE * 2, (4, 4)),
        ],
        mistakes=[
            Mistake(
                "by shape",
                "a square matrix fits both ways, so its shape cannot tell you whether "
                "to turn it: decide by what the tensor is, not by what fits.",
                _turns_by_shape,
            ),
            Mistake(
                "nothing turned",
                "published linear layers are stored as (d_out, d_in), and ours are "
                "(d_in, d_out): nothing is turned in your version.",
                _turns_nothing,
            ),
            Mistake(
                "tables turned",
                "embedding tables are looked up row by row in both worlds: they are "
                "matrices, but no linear layers, and stay as they are.",
                _turns_tables,
            ),
            Mistake(
                "reshape",
                "reshape gives the right shape and leaves the numbers in their old "
                "order: that is no transposition.",
                _reshapes,
            ),
            Mistake(
                "dense only",
                "query, key and value are linear layers too, though their names do not "
                "say so.",
                _turns_dense_only,
            ),
        ],
        praise="what a tensor is decides, and square matrices turn like the others.",
    )
)


def first_broken(rungs, tolerance):
    """Return the name of the first rung that does not agree, or None."""
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        agrees = (got == expected) | (np.abs(got - expected) <= tolerance)
        if not agrees.all():
            return name
    return None


def _plain(rungs, tolerance):
    gaps = ((name, np.abs(got - expected).max()) for name, got, expected in rungs)
    return next((name for name, gap in gaps if gap > tolerance), None)


def _without_shapes(rungs, tolerance):
    for name, got, expected in rungs:
        agrees = (got == expected) | (np.abs(got - expected) <= tolerance)
        if not agrees.all():
            return name
    return None


def _passes_nan(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        if (np.abs(got - expected) > tolerance).any():
            return name
    return None


def _refuses_infinity(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        if not (np.abs(got - expected) <= tolerance).all():
            return name
    return None


def _relative(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        if not np.allclose(got, expected, atol=tolerance):
            return name
    return None


def _signed(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        if not ((got == expected) | (got - expected <= tolerance)).all():
            return name
    return None


def _worst(rungs, tolerance):
    worst, name_of_worst = tolerance, None
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        gap = np.where(got == expected, 0, np.abs(got - expected))
        largest = np.nan_to_num(gap, nan=np.inf).max()
        if largest > worst:
            worst, name_of_worst = largest, name
    return name_of_worst


def _average(rungs, tolerance):
    for name, got, expected in rungs:
        if got.shape != expected.shape:
            return name
        gap = np.where(got == expected, 0, np.abs(got - expected))
        if not gap.mean() <= tolerance:
            return name
    return None


def _rung(name, got, expected):
    """Return a rung with float32 arrays."""
    return name, np.array(got, np.float32), np.array(expected, np.float32)


FINE = _rung("embeddings", [[1, 2], [3, 4]], [[1.000008, 2.000008], [3, 4]])
RISING = [_rung("norm", [1.5], [1.4]), _rung("out", [9], [2]), _rung("end", [3], [2])]
HIDDEN = _rung("scores", [[0.5, -np.inf]], [[0.5, -np.inf]])

register(
    Exercise(
        name="parity-first-broken",
        question="Which rung of a ladder is the first that does not agree?",
        solution=first_broken,
        cases=[
            ([FINE, HIDDEN], 1e-5),
            ([FINE, *RISING], 1e-5),
            ([FINE, _rung("norm", [1.3, 2], [1.4, 2])], 1e-5),
            ([FINE, _rung("context", [[0.5, np.nan]], [[0.5, 0]])], 1e-5),
            ([FINE, _rung("pooler", [[1, 2]], [1, 2])], 1e-5),
            ([FINE, _rung("value", [1000.005, 1], [1000, 1])], 1e-5),
            ([FINE, _rung("query", [0.5, 1], [0.4, 1])], 0.2),
            ([FINE, _rung("one", [1, 2, 3, 4], [1, 2, 3, 4.00002])], 1e-5),
            ([_rung("key", [[np.inf]], [[-np.inf]]), FINE], 1e-5),
        ],
        mistakes=[
            Mistake(
                "plain",
                "right where all is well-behaved. A comparison with NaN is always "
                "False, so NaN slips through `>`, and arrays of different shapes are "
                "broadcast before you compare them.",
                _plain,
            ),
            Mistake(
                "shapes",
                "arrays of different shapes are broadcast before you compare them, so "
                "(1, 2) agrees with (2,): look at the shapes first.",
                _without_shapes,
            ),
            Mistake(
                "nan",
                "NaN counts as agreement: comparisons with it are False, and "
                "nan_to_num hides it. Ask which values agree, not which differ.",
                _passes_nan,
            ),
            Mistake(
                "infinity",
                "the scores of hidden keys are -inf on both sides, and -inf - (-inf) "
                "is NaN: equal values agree, whatever their difference is.",
                _refuses_infinity,
            ),
            Mistake(
                "relative",
                "np.allclose adds a relative tolerance of 1e-5 unless you switch it "
                "off, so large values may differ by far more than the tolerance.",
                _relative,
            ),
            Mistake(
                "signed",
                "values that are too small are not noticed: the size of a difference "
                "counts, not its sign.",
                _signed,
            ),
            Mistake(
                "average",
                "one wrong number drowns in an average: the largest difference counts.",
                _average,
            ),
            Mistake(
                "worst",
                "you name the rung with the largest difference. Faults grow on their "
                "way up, so the first one is where to look.",
                _worst,
            ),
        ],
        praise="NaN, infinities and wrong shapes included.",
    )
)
