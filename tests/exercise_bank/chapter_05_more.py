"""Answers to the further exercises of chapter 5, as readers would write them."""

import numpy as np

# --- mask-causal ---


def causal_by_places(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    real = attention_mask.astype(bool).reshape(n, 1, 1, seq)
    return (place[:, None] >= place[None, :]) & real


def causal_in_loops(attention_mask):
    n, seq = attention_mask.shape
    allowed = np.zeros((n, 1, seq, seq), dtype=bool)
    for b in range(n):
        for i in range(seq):
            allowed[b, 0, i, : i + 1] = attention_mask[b, : i + 1] == 1
    return allowed


def causal_ahead(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    real = attention_mask.astype(bool).reshape(n, 1, 1, seq)
    return (place[:, None] <= place[None, :]) & real


def causal_strict(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    real = attention_mask.astype(bool).reshape(n, 1, 1, seq)
    return (place[:, None] > place[None, :]) & real


def causal_on_queries(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    real = attention_mask.astype(bool).reshape(n, 1, seq, 1)
    return (place[:, None] >= place[None, :]) & real


def causal_or(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    real = attention_mask.astype(bool).reshape(n, 1, 1, seq)
    return (place[:, None] >= place[None, :]) + real


def causal_triangle(attention_mask):
    n, seq = attention_mask.shape
    place = np.arange(seq)
    return np.repeat((place[:, None] >= place)[None, None], n, axis=0)


def causal_what_to_hide(attention_mask):
    return causal_by_places(attention_mask) == 0


def causal_without_heads(attention_mask):
    return causal_by_places(attention_mask)[:, 0]


def causal_as_integers(attention_mask):
    return causal_by_places(attention_mask).astype(int)


def causal_additive(attention_mask):
    return np.where(causal_by_places(attention_mask), 0.0, -np.inf)


# --- mask-counts ---


def exponentials(query, key):
    scores = query @ key.T / np.float32(np.sqrt(query.shape[1]))
    return np.exp(scores - scores.max(-1, keepdims=True))


def counted_by_repeating(query, key, value, counts):
    e = exponentials(query, np.repeat(key, counts, axis=0))
    return e / e.sum(-1, keepdims=True) @ np.repeat(value, counts, axis=0)


def counted_by_exponentials(query, key, value, counts):
    shown = counts > 0
    e = exponentials(query, key[shown]) * counts[shown].astype(np.float32)
    return e / e.sum(-1, keepdims=True) @ value[shown]


def counted_scores(query, key, value, counts):
    e = exponentials(query, key * counts[:, None].astype(np.float32))
    return e / e.sum(-1, keepdims=True) @ value


def counted_bonus(query, key, value, counts):
    scores = query @ key.T / np.float32(np.sqrt(query.shape[1])) + counts.astype(
        np.float32
    )
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value


def counted_values(query, key, value, counts):
    e = exponentials(query, key)
    return e / e.sum(-1, keepdims=True) @ (counts[:, None].astype(np.float32) * value)


def counted_without_maximum(query, key, value, counts):
    width = np.float32(np.sqrt(query.shape[1]))
    e = np.exp(query @ key.T / width) * counts.astype(np.float32)
    return e / e.sum(-1, keepdims=True) @ value


def counted_almost_zero(query, key, value, counts):
    scores = query @ key.T / np.float32(np.sqrt(query.shape[1]))
    scores = scores + np.log(counts + 1e-9).astype(np.float32)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value


def counted_from_one(query, key, value, counts):
    e = exponentials(query, key) * np.where(counts == 0, 1, counts).astype(np.float32)
    return e / e.sum(-1, keepdims=True) @ value


def counted_log1p(query, key, value, counts):
    scores = query @ key.T / np.float32(np.sqrt(query.shape[1])) + np.log1p(
        counts
    ).astype(np.float32)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value


def counted_not_at_all(query, key, value, counts):
    e = exponentials(query, key)
    return e / e.sum(-1, keepdims=True) @ value


def counted_in_float64(query, key, value, counts):
    with np.errstate(divide="ignore"):
        scores = query @ key.T / np.sqrt(query.shape[1]) + np.log(counts)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value


def counted_without_scale(query, key, value, counts):
    scores = query @ np.repeat(key, counts, axis=0).T
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ np.repeat(value, counts, axis=0)


def counted_before_the_scale(query, key, value, counts):
    with np.errstate(divide="ignore"):
        scores = query @ key.T + np.log(counts).astype(np.float32)
    scores = scores / np.float32(np.sqrt(query.shape[1]))
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ value


ANSWERS = {
    "mask-causal": {
        "right": [causal_by_places, causal_in_loops],
        "wrong": {
            "ahead": causal_ahead,
            "not oneself": causal_strict,
            "queries": causal_on_queries,
            "either": causal_or,
            "padding": causal_triangle,
            "inverted": causal_what_to_hide,
            "general: no axis for the heads": causal_without_heads,
            "general: integers": causal_as_integers,
            "general: what is to be added": causal_additive,
        },
    },
    "mask-counts": {
        "right": [counted_by_repeating, counted_by_exponentials],
        "wrong": {
            "scores multiplied": counted_scores,
            "counts added": counted_bonus,
            "not shared out again": counted_values,
            "not scaled": counted_without_scale,
            "bonus scaled": counted_before_the_scale,
            "overflow": counted_without_maximum,
            "zero counts once": counted_from_one,
            "one too many": counted_log1p,
            "general: counts not used": counted_not_at_all,
            "general: a zero that is not quite zero": counted_almost_zero,
            "general: float64": counted_in_float64,
        },
    },
}
