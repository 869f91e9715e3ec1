"""Exercises of chapter 5 that go on from masks: no looking ahead, and counted keys."""

import math

import numpy as np

from bertbook.activations import softmax
from bertbook.exercises import Exercise, Mistake, register

# --- Nobody looks ahead ---


def causal_mask(attention_mask):
    """Return who may look at whom: real keys that are not later than the query."""
    seq = attention_mask.shape[1]
    not_later = np.tril(np.ones((seq, seq), dtype=bool))
    return not_later & (attention_mask[:, np.newaxis, np.newaxis, :] == 1)


def look_only_ahead(attention_mask):
    """Take the other triangle."""
    seq = attention_mask.shape[1]
    not_earlier = np.triu(np.ones((seq, seq), dtype=bool))
    return not_earlier & (attention_mask[:, np.newaxis, np.newaxis, :] == 1)


def never_at_oneself(attention_mask):
    """Leave the diagonal out."""
    seq = attention_mask.shape[1]
    earlier = np.tril(np.ones((seq, seq), dtype=bool), -1)
    return earlier & (attention_mask[:, np.newaxis, np.newaxis, :] == 1)


def padding_on_queries(attention_mask):
    """Hide the rows of the padding instead of its columns."""
    seq = attention_mask.shape[1]
    not_later = np.tril(np.ones((seq, seq), dtype=bool))
    return not_later & (attention_mask[:, np.newaxis, :, np.newaxis] == 1)


def one_of_both(attention_mask):
    """Let one permission suffice."""
    seq = attention_mask.shape[1]
    not_later = np.tril(np.ones((seq, seq), dtype=bool))
    return not_later | (attention_mask[:, np.newaxis, np.newaxis, :] == 1)


def padding_forgotten(attention_mask):
    """Return the triangle alone."""
    n, seq = attention_mask.shape
    return np.broadcast_to(np.tril(np.ones((seq, seq), dtype=bool)), (n, 1, seq, seq))


register(
    Exercise(
        name="mask-causal",
        question="Make the mask of a model that must not look ahead.",
        solution=causal_mask,
        cases=[
            (np.array([[1, 1, 1, 0], [1, 1, 1, 1]]),),
            (np.array([[1, 1, 1]]),),
            (np.array([[0, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0]]),),
            (np.array([[1]]),),
        ],
        mistakes=[
            Mistake(
                "ahead",
                "that is the other triangle: rows are queries, and a query may look "
                "at keys whose place is not larger than its own.",
                look_only_ahead,
            ),
            Mistake(
                "not oneself",
                "a token may look at itself. Without that the first one sees nothing.",
                never_at_oneself,
            ),
            Mistake(
                "queries",
                "the triangle is right, but the padding is hidden on the axis of the "
                "queries. Nobody may look at it: that is a column.",
                padding_on_queries,
            ),
            Mistake(
                "either",
                "both conditions have to hold, not one of them.",
                one_of_both,
            ),
            Mistake(
                "padding",
                "the triangle is right, but the padding is not hidden.",
                padding_forgotten,
            ),
            Mistake(
                "inverted",
                "right, turned round: here True has to mean that looking is allowed. "
                "(PyTorch's `nn.MultiheadAttention` has it the other way.)",
                lambda attention_mask: ~causal_mask(attention_mask),
            ),
        ],
        praise="two permissions, joined by `and`, on the axes where they belong.",
    )
)


# --- Keys that count several times ---


def _scores(query, key):
    """Return the scaled scores."""
    return query @ key.T / query.dtype.type(math.sqrt(query.shape[-1]))


def attend_counted(query, key, value, counts):
    """Add the logarithm of the counts to the scores."""
    with np.errstate(divide="ignore"):  # a count of 0 gives -inf, as it should
        bonus = np.log(counts).astype(query.dtype)
    return softmax(_scores(query, key) + bonus) @ value


def scores_times_counts(query, key, value, counts):
    """Multiply the scores."""
    return softmax(_scores(query, key) * counts.astype(query.dtype)) @ value


def scores_plus_counts(query, key, value, counts):
    """Add the counts themselves."""
    return softmax(_scores(query, key) + counts.astype(query.dtype)) @ value


def not_scaled(query, key, value, counts):
    """Forget the root of head_dim."""
    return attend_counted(query * math.sqrt(query.shape[-1]), key, value, counts)


def bonus_scaled(query, key, value, counts):
    """Divide scores and bonus by the root of head_dim."""
    return attend_counted(query, key, value, counts ** (query.shape[-1] ** -0.5))


def weights_times_counts(query, key, value, counts):
    """Multiply the weights, which then no longer sum to one."""
    return (softmax(_scores(query, key)) * counts.astype(query.dtype)) @ value


def zero_counts_once(query, key, value, counts):
    """Let a key that occurs zero times count once."""
    return attend_counted(query, key, value, np.maximum(counts, 1))


def one_too_many(query, key, value, counts):
    """Take log(1 + count)."""
    return attend_counted(query, key, value, counts + 1)


def _crowd(seed, counts, n_queries=2, scale=1):
    """Draw queries, keys and values for some counts."""
    rng = np.random.default_rng(seed)
    query = rng.standard_normal((n_queries, 4), dtype=np.float32)
    key, value = rng.standard_normal((2, len(counts), 4), dtype=np.float32)
    return query, np.float32(scale) * key, value, np.array(counts)


def _overflows(inputs, got, expected):
    """Return whether there is NaN where the exponential of a score overflows."""
    scores = _scores(*inputs[:2])
    return np.isnan(got).any() and scores.max() > OVERFLOW


OVERFLOW = 88  # exp of more is infinite in float32
LOUD = np.array([[-1, -1], [30, 30], [2, 0]], np.float32)  # hidden, yet far ahead

register(
    Exercise(
        name="mask-counts",
        question="Attend to keys that are stored once and count several times.",
        solution=attend_counted,
        cases=[
            _crowd(0, [1, 3, 2]),
            _crowd(1, [2, 0, 1, 5], n_queries=3),
            _crowd(2, [1, 1, 1]),
            _crowd(3, [400, 1], n_queries=1),
            _crowd(4, [7, 0, 30], scale=40),
            (np.full((1, 2), 2, np.float32), LOUD, LOUD, np.array([2, 0, 1])),
        ],
        rtol=1e-4,
        atol=1e-5,
        mistakes=[
            Mistake(
                "scores multiplied",
                "three equal keys do not have a score three times as large. It is "
                "their exponentials that are added up.",
                scores_times_counts,
            ),
            Mistake(
                "counts added",
                "almost: what you add to a score, its exponential is multiplied by "
                "e to that power. Which number has to be added to get a factor of 3?",
                scores_plus_counts,
            ),
            Mistake(
                "not shared out again",
                "you multiply the weights when the votes have been counted, as in "
                "*after the softmax*: they no longer sum to 1.",
                weights_times_counts,
            ),
            Mistake(
                "not scaled",
                "the counts are right. The scores are not yet divided by the root of "
                "head_dim.",
                not_scaled,
            ),
            Mistake(
                "bonus scaled",
                "you divide the bonus by the root of head_dim as well. It belongs to "
                "the finished scores: their exponential has to grow by the count.",
                bonus_scaled,
            ),
            Mistake(
                "overflow",
                "right for small scores. For large ones the exponential overflows and "
                "you get NaN: subtract the largest score first, or let softmax do it.",
                recognise=_overflows,
            ),
            Mistake(
                "zero counts once",
                "right where every key occurs, but a key with the count 0 must have "
                "no voice at all.",
                zero_counts_once,
            ),
            Mistake(
                "one too many",
                "a key that occurs once must get no bonus: you count each one more "
                "time than it occurs.",
                one_too_many,
            ),
        ],
        praise="a mask is the special case in which each key counts 0 times or 1.",
    )
)
