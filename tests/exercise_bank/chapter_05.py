"""Answers to the exercises of chapter 5, as readers would write them."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# --- mask-leak ---


def share_of_padding(scores, n_real):
    weights = softmax(np.array(scores, dtype=float)[None])[0]
    return float(weights[n_real:].sum())


def leak_by_softmax(n_real, n_pads, score):
    return (
        share_of_padding([score + 1] * n_real + [score] * n_pads, n_real),
        share_of_padding([score] * n_real + [0] * n_pads, n_real),
    )


def leak_by_formula(n_real, n_pads, score):
    e = np.exp(1)
    return n_pads / (n_real * e + n_pads), n_pads / (n_real * np.exp(score) + n_pads)


def leak_zero_score(n_real, n_pads, score):
    return (
        share_of_padding([score + 1] * n_real + [0] * n_pads, n_real),
        share_of_padding([score] * n_real + [0] * n_pads, n_real),
    )


def leak_plain(n_real, n_pads, score):
    return n_pads / (n_real + n_pads), n_pads / (n_real * np.exp(score) + n_pads)


def leak_reversed(n_real, n_pads, score):
    return (
        share_of_padding([score] * n_real + [score + 1] * n_pads, n_real),
        share_of_padding([score] * n_real + [0] * n_pads, n_real),
    )


def leak_of_real(n_real, n_pads, score):
    added, multiplied = leak_by_softmax(n_real, n_pads, score)
    return 1 - added, 1 - multiplied


def leak_nothing(n_real, n_pads, score):
    return leak_by_softmax(n_real, n_pads, score)[0], 0


def leak_equal(n_real, n_pads, score):
    return leak_by_softmax(n_real, n_pads, score)[0], n_pads / (n_pads + n_real)


def leak_ratio(n_real, n_pads, score):
    return n_pads / (n_real * np.e), n_pads / (n_real * np.exp(score))


def leak_swapped(n_real, n_pads, score):
    return leak_by_softmax(n_real, n_pads, score)[::-1]


def leak_only_added(n_real, n_pads, score):
    return leak_by_softmax(n_real, n_pads, score)[0]


# --- mask-max-pool ---


def max_in_loops(hidden_states, attention_mask):
    result = np.zeros((len(hidden_states), hidden_states.shape[2]), np.float32)
    for k, (rows, mask) in enumerate(zip(hidden_states, attention_mask, strict=True)):
        if mask.any():
            result[k] = rows[mask == 1].max(axis=0)
    return result


def max_of_filled(hidden_states, attention_mask):
    filled = hidden_states.copy()
    filled[attention_mask == 0] = -np.inf
    pooled = filled.max(axis=1)
    pooled[np.isinf(pooled)] = 0
    return pooled


def max_zeroed(hidden_states, attention_mask):
    x = hidden_states.copy()
    x[attention_mask == 0] = 0
    return np.amax(x, axis=1)


def max_plain(hidden_states, attention_mask):
    return np.amax(hidden_states, axis=1)


def max_raised(hidden_states, attention_mask):
    x = hidden_states.copy()
    x[attention_mask == 1] += 1
    return np.amax(x, axis=1)


def max_of_padding(hidden_states, attention_mask):
    return max_of_filled(hidden_states, (attention_mask == 0).astype(int))


def max_per_token(hidden_states, attention_mask):
    return np.amax(hidden_states, axis=2)


def max_with_minus_inf(hidden_states, attention_mask):
    filled = hidden_states.copy()
    filled[attention_mask == 0] = -np.inf
    return filled.max(axis=1)


def max_with_billion(hidden_states, attention_mask):
    shown = attention_mask[:, :, None] > 0
    return np.where(shown, hidden_states, np.float32(-1e9)).max(axis=1)


def max_with_small_fill(hidden_states, attention_mask):
    shown = attention_mask[:, :, None] > 0
    pooled = np.where(shown, hidden_states, np.float32(-2)).max(axis=1)
    return np.where(attention_mask.any(axis=1)[:, None], pooled, np.float32(0))


def max_in_place(hidden_states, attention_mask):
    hidden_states[attention_mask == 0] = -np.inf
    pooled = hidden_states.max(axis=1)
    pooled[np.isinf(pooled)] = 0
    return pooled


def max_mean(hidden_states, attention_mask):
    keep = attention_mask[:, :, None].astype(np.float32)
    return (hidden_states * keep).sum(1) / np.maximum(keep.sum(1), 1)


ANSWERS = {
    "mask-leak": {
        "right": [leak_by_softmax, leak_by_formula],
        "wrong": {
            "padding lost its score": leak_zero_score,
            "no bonus": leak_plain,
            "bonus to the padding": leak_reversed,
            "share of the real tokens": leak_of_real,
            "zero hides": leak_nothing,
            "padding keeps its score": leak_equal,
            "general: a ratio, not a share": leak_ratio,
            "general: in the wrong order": leak_swapped,
            "general: one number": leak_only_added,
        },
    },
    "mask-max-pool": {
        "right": [max_in_loops, max_of_filled],
        "wrong": {
            "zero wins": max_zeroed,
            "no mask": max_plain,
            "raw mask added": max_raised,
            "inverted": max_of_padding,
            "features": max_per_token,
            "empty row": max_with_minus_inf,
            "general: a fill that is not low enough": max_with_small_fill,
            "general: changes what belongs to the caller": max_in_place,
            "general: the mean": max_mean,
        },
    },
}
