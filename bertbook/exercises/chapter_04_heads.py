"""Exercises of chapter 4: a head that is designed, and one that reads a stream."""

import math

import numpy as np

from bertbook.activations import softmax
from bertbook.exercises import Exercise, Mistake, register

# --- A head that looks at the next token ---


def look_next(n):
    """Return weights by which each position looks at the next one."""
    query_weight = np.eye(n, k=1)
    query_weight[-1, -1] = 1
    return 100 * query_weight, np.eye(n)


def look_at(answer, n):
    """Return where each position looks, and whether it looks there with 0.9."""
    query_weight, key_weight = answer(n)
    position = np.eye(n)
    scores = (position @ query_weight) @ (position @ key_weight).T / math.sqrt(n)
    weights = softmax(scores)
    return weights.argmax(axis=1), bool((weights.max(axis=1) >= 0.9).all())


def _fixed(query_weight_of, strength=100):
    """Return an answer with this query weight and the identity for the keys."""
    return lambda n: (strength * query_weight_of(n), np.eye(n))


def _is_weak(inputs, got, expected):
    """Return whether every token looks at the right place, but too faintly."""
    return np.array_equal(got[0], expected[0]) and not got[1]


def _next_only(n):
    return np.eye(n, k=1)


def _previous(n):
    return look_next(n)[0].T


def _wrapped(n):
    return np.roll(np.eye(n), 1, axis=1)


register(
    Exercise(
        name="attention-look-next",
        question="Choose weights by which each token looks at the next one.",
        solution=look_next,
        cases=[(7,), (3,), (50,), (2,)],
        use=look_at,
        mistakes=[
            Mistake(
                "itself",
                "each token looks at itself. The query of position i has to be large "
                "where the key of position i + 1 is.",
                _fixed(np.eye),
            ),
            Mistake(
                "previous",
                "your tokens look the other way. Row i of the query weight is the "
                "query of position i: in which column must its entry stand?",
                _fixed(_previous),
            ),
            Mistake(
                "circle",
                "the last token looks at the first one, as in a circle. It should look "
                "at itself.",
                _fixed(_wrapped),
            ),
            Mistake(
                "last",
                "all tokens but the last are right. The query of the last one is all "
                "zeros, so it looks at everything alike.",
                _fixed(_next_only),
            ),
            Mistake(
                "too weak",
                "each token looks mostly at the right place, but for some n with a "
                "weight below 0.9. Differences of scores become ratios of weights: "
                "make the differences larger.",
                recognise=_is_weak,
            ),
        ],
        praise="a head for the next token, sharp at every length tried.",
    )
)


# --- Attention over keys that pass by once ---


def stream_attention(query, pairs):
    """Return the context of a query from pairs of key and value, read once."""
    return _stream(query, pairs)


def _stream(query, pairs, *, start=-math.inf, fade_total=True, fade_context=True):
    """Return the context, with one part of the computation replaced."""
    highest, total, context = start, 0.0, 0.0
    for key, value in pairs:
        score = float(key @ query) / math.sqrt(len(query))
        new_highest = max(highest, score)
        fade = math.exp(highest - new_highest)
        power = math.exp(score - new_highest)
        total = total * (fade if fade_total else 1.0) + power
        context = context * (fade if fade_context else 1.0) + power * value
        highest = new_highest
    return context / np.float64(total)


def without_maximum(query, pairs):
    """Collect the powers themselves."""
    total, context = np.float32(0), np.float32(0)
    for key, value in pairs:
        power = np.exp(np.float32(key @ query / math.sqrt(len(query))))
        total, context = total + power, context + power * value
    return context / total


def without_scale(query, pairs):
    """Forget the root of head_dim."""
    return _stream(query * math.sqrt(len(query)), pairs)


def plain_mean(query, pairs):
    """Give every value the same weight."""
    return np.mean([value for _, value in pairs], axis=0)


def best_only(query, pairs):
    """Return the value of the best key."""
    return max(pairs, key=lambda pair: float(pair[0] @ query))[1]


def _is_not_a_number(inputs, got, expected):
    return np.shape(got) == expected.shape and not np.isfinite(got).all()


def _case(seed, n_keys, head_dim, scale):
    """Draw a query, keys and values."""
    rng = np.random.default_rng(seed)
    query = rng.standard_normal(head_dim, dtype=np.float32) * np.float32(scale)
    keys = rng.standard_normal((n_keys, head_dim), dtype=np.float32)
    return query, keys, rng.standard_normal((n_keys, head_dim), dtype=np.float32)


NEGATIVE = (
    np.array([-4000, 0], dtype=np.float32),
    np.array([[1, 5], [1.0005, 2], [0.9995, -1]], dtype=np.float32),
    np.array([[1, 2], [3, 4], [-5, 6]], dtype=np.float32),
)

register(
    Exercise(
        name="attention-stream",
        question="Compute attention over keys and values that pass by once.",
        solution=stream_attention,
        cases=[
            _case(0, 6, 4, 1),
            _case(1, 40, 16, 2),
            _case(2, 8, 4, 3000),
            NEGATIVE,
            _case(3, 1, 3, 1),
        ],
        use=lambda answer, query, keys, values: answer(
            query, zip(keys, values, strict=True)
        ),
        rtol=1e-3,
        atol=1e-4,
        check_dtype=False,
        mistakes=[
            Mistake(
                "start",
                "all is well until every score is far below zero: your running "
                "maximum starts too high. What is smaller than every number?",
                lambda query, pairs: _stream(query, pairs, start=0.0),
            ),
            Mistake(
                "overflow",
                "the small scores are right, the large ones give NaN or infinity: "
                "subtract the largest score so far from every exponent.",
                recognise=_is_not_a_number,
            ),
            Mistake(
                "no fading",
                "you subtract the largest score so far, but what was collected before "
                "it grew belongs to the old maximum, the sum and the context alike. By "
                "what factor are they too large now?",
                lambda query, pairs: _stream(
                    query, pairs, fade_total=False, fade_context=False
                ),
            ),
            Mistake(
                "context not faded",
                "the sum of the powers follows the growing maximum, the collected "
                "context does not.",
                lambda query, pairs: _stream(query, pairs, fade_context=False),
            ),
            Mistake(
                "total not faded",
                "the collected context follows the growing maximum, the sum of the "
                "powers does not.",
                lambda query, pairs: _stream(query, pairs, fade_total=False),
            ),
            Mistake(
                "no scale",
                "the scores are not divided by the root of head_dim.",
                without_scale,
            ),
            Mistake(
                "mean",
                "every value has the same weight. The keys play no part yet.",
                plain_mean,
            ),
            Mistake(
                "best",
                "you take the value of the best key alone. Attention takes something "
                "of each.",
                best_only,
            ),
        ],
        praise="no score is too large, wherever in the stream it comes.",
    )
)
