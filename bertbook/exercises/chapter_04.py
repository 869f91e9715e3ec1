"""Exercises of chapter 4, attention; `chapter_04_heads` has two more."""

import math

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- The divisor that gives scores of variance one ---


def score_divisor(head_dim, query_std, key_std):
    """Return the standard deviation of a scalar product of random vectors."""
    return math.sqrt(head_dim) * query_std * key_std


register(
    Exercise(
        name="attention-divisor",
        question="By what must scores be divided to have variance one?",
        solution=score_divisor,
        cases=[(64, 1.0, 1.0), (64, 2.0, 1.0), (9, 1.0, 0.5), (1, 3.0, 5.0)],
        mistakes=[
            Mistake(
                "spread forgotten",
                "you use the width alone. If every query were twice as long, every "
                "score would be, too.",
                lambda head_dim, query_std, key_std: math.sqrt(head_dim),
            ),
            Mistake(
                "variance",
                "that is the variance of the scores. Dividing by c divides a variance "
                "by c * c.",
                lambda head_dim, query_std, key_std: (
                    head_dim * query_std**2 * key_std**2
                ),
            ),
            Mistake(
                "width without root",
                "the spreads of query and key enter as they should, but terms that "
                "are independent add their variances: the width enters by its root.",
                lambda head_dim, query_std, key_std: head_dim * query_std * key_std,
            ),
            Mistake(
                "root of all",
                "the root belongs to the variance of the sum. The two standard "
                "deviations are roots already.",
                lambda head_dim, query_std, key_std: math.sqrt(
                    head_dim * query_std * key_std
                ),
            ),
            Mistake(
                "factor",
                "that is the number to multiply by. The question asks for a divisor.",
                lambda head_dim, query_std, key_std: (
                    1 / score_divisor(head_dim, query_std, key_std)
                ),
            ),
        ],
        praise="with both spreads 1 it is the root of head_dim, as in the paper.",
    )
)


# --- A function with four faults ---


def attend(query, key, value):
    """Return softmax(Q K^T / sqrt(head_dim)) V."""
    return _attend(query, key, value)


def _attend(query, key, value, *, width=None, highest=None, axis=-1, turn=None):
    """Return the context, with one part of the computation replaced."""
    turned = turn(key) if turn else key.swapaxes(-1, -2)
    scores = query @ turned / math.sqrt(width(query) if width else query.shape[-1])
    top = highest(scores) if highest else scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - top)
    return powers / powers.sum(axis=axis, keepdims=True) @ value


def _without(**parts):
    """Return the answer of someone who left one fault in."""
    return lambda query, key, value: _attend(query, key, value, **parts)


def _arrays(seed, *shapes, scale=1):
    """Draw float32 arrays, the first of them multiplied by `scale`."""
    rng = np.random.default_rng(seed)
    first, *others = (rng.standard_normal(shape, dtype=np.float32) for shape in shapes)
    return first * np.float32(scale), *others


TALL = np.array([[1], [1], [1], [3000]], dtype=np.float32)  # one query is far longer

register(
    Exercise(
        name="attention-repair",
        question="Repair an attention that has four faults.",
        solution=attend,
        rtol=1e-4,
        atol=1e-5,
        cases=[
            _arrays(0, (5, 3), (5, 3), (5, 3)),
            _arrays(1, (2, 4), (6, 4), (6, 3)),
            _arrays(2, (2, 3, 4), (2, 3, 4), (2, 3, 4)),
            _arrays(3, (4, 8), (4, 8), (4, 8), scale=TALL),
            _arrays(4, (1, 2), (1, 2), (1, 2), scale=-1),
        ],
        mistakes=[
            Mistake(
                "length",
                "the scale still depends on the number of queries. It is the number "
                "of terms in a scalar product that matters.",
                _without(width=len),
            ),
            Mistake(
                "tokens",
                "the scale is the root of the number of tokens. It is the number of "
                "terms in a scalar product that matters.",
                _without(width=lambda query: query.shape[-2]),
            ),
            Mistake(
                "no scale",
                "the scores are not divided by anything now.",
                _without(width=lambda query: 1),
            ),
            Mistake(
                "width without root",
                "the scores are divided by head_dim itself. It is their variance that "
                "equals head_dim.",
                _without(width=lambda query: query.shape[-1] ** 2),
            ),
            Mistake(
                "one maximum",
                "one long query still spoils the rows of the others: they lie so far "
                "below the common maximum that all their powers are zero.",
                _without(highest=np.max),
            ),
            Mistake(
                "no maximum",
                "large scores overflow: nothing is subtracted before the powers.",
                _without(highest=lambda scores: 0),
            ),
            Mistake(
                "queries",
                "the weights do not sum to one over the keys of each query. Which axis "
                "of the scores are the keys?",
                _without(axis=-2),
            ),
            Mistake(
                "columns",
                "maximum and sum both run along the columns of the scores. There lie "
                "the queries; each query shares out its weights among the keys.",
                _without(
                    axis=-2, highest=lambda scores: scores.max(axis=-2, keepdims=True)
                ),
            ),
            Mistake(
                "first axis",
                "the weights sum to one over the first axis. In a single sentence "
                "these are the queries, in a batch the sentences; neither is right.",
                _without(axis=0),
            ),
            Mistake(
                "T",
                "one sentence is right, a batch is not: .T turns all axes round, also "
                "those in front of the last two.",
                _without(turn=np.transpose),
            ),
        ],
        praise="all four faults are gone, also in batches and for extreme queries.",
    )
)
