"""Answers to the exercises of chapter 4, as readers would write them."""

import math

import numpy as np

# --- attention-divisor ---


def divisor_from_variance(head_dim, query_std, key_std):
    return (head_dim * query_std**2 * key_std**2) ** 0.5


def divisor_in_numpy(head_dim, query_std, key_std):
    return float(np.sqrt(head_dim) * query_std * key_std)


def divisor_root_only(head_dim, query_std, key_std):
    return head_dim**0.5


def divisor_variance(head_dim, query_std, key_std):
    return head_dim * (query_std * key_std) ** 2


def divisor_no_root(head_dim, query_std, key_std):
    return head_dim * query_std * key_std


def divisor_root_of_all(head_dim, query_std, key_std):
    return (head_dim * query_std * key_std) ** 0.5


def divisor_upside_down(head_dim, query_std, key_std):
    return head_dim**-0.5 / (query_std * key_std)


def divisor_sum(head_dim, query_std, key_std):
    return math.sqrt(head_dim) * (query_std + key_std)


# --- attention-repair ---


def weights_of(scores, axis=-1):
    shifted = scores - np.max(scores, axis=axis, keepdims=True)
    return np.exp(shifted) / np.sum(np.exp(shifted), axis=axis, keepdims=True)


def repair_einsum(query, key, value):
    scores = np.einsum("...id,...jd->...ij", query, key) / key.shape[-1] ** 0.5
    return np.einsum("...ij,...jd->...id", weights_of(scores), value)


def repair_scale_first(query, key, value):
    query = query / math.sqrt(query.shape[-1])
    return weights_of(query @ np.moveaxis(key, -1, -2)) @ value


def repair_length_left(query, key, value):
    return weights_of(query @ key.swapaxes(-1, -2) / len(query) ** 0.5) @ value


def repair_scale_dropped(query, key, value):
    return weights_of(query @ key.swapaxes(-1, -2)) @ value


def repair_without_root(query, key, value):
    return weights_of(query @ key.swapaxes(-1, -2) / query.shape[-1]) @ value


def repair_maximum_left(query, key, value):
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(key.shape[-1])
    e = np.exp(scores - scores.max())
    return (e / e.sum(axis=-1, keepdims=True)) @ value


def repair_maximum_dropped(query, key, value):
    e = np.exp(query @ key.swapaxes(-2, -1) / math.sqrt(key.shape[-1]))
    return (e / e.sum(axis=-1, keepdims=True)) @ value


def repair_columns(query, key, value):
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(key.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-2, keepdims=True)) @ value


def repair_softmax_of_columns(query, key, value):
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(key.shape[-1])
    return weights_of(scores, axis=-2) @ value


def repair_tokens(query, key, value):
    return weights_of(query @ key.swapaxes(-1, -2) / query.shape[-2] ** 0.5) @ value


def repair_axis_zero(query, key, value):
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(key.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=0)) @ value


def repair_transpose_left(query, key, value):
    return weights_of(query @ key.T / math.sqrt(query.shape[-1])) @ value


def repair_nothing(query, key, value):
    scores = query @ key.T / math.sqrt(len(query))
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum(axis=0)
    return weights @ value


def repair_float64(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    return weights_of(scores) @ value


def repair_returns_both(query, key, value):
    weights = weights_of(query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1]))
    return weights @ value, weights


# --- attention-look-next ---


def next_by_loop(n):
    query_weight = np.zeros((n, n))
    for i in range(n):
        query_weight[i, min(i + 1, n - 1)] = 20 * n
    return query_weight, np.eye(n)


def next_by_keys(n):
    key_weight = np.zeros((n, n))
    for j in range(1, n):
        key_weight[j, j - 1] = 10
    key_weight[-1, -1] = 10
    return 10 * np.eye(n), key_weight


def next_itself(n):
    return 50 * np.eye(n), 2 * np.eye(n)


def next_previous(n):
    query_weight = np.zeros((n, n))
    for i in range(n):
        query_weight[min(i + 1, n - 1), i] = 100
    return query_weight, np.eye(n)


def next_in_a_circle(n):
    query_weight = np.zeros((n, n))
    for i in range(n):
        query_weight[i, (i + 1) % n] = 80
    return query_weight, np.eye(n)


def next_without_last(n):
    query_weight = np.zeros((n, n))
    query_weight[np.arange(n - 1), np.arange(1, n)] = 90
    return query_weight, np.eye(n)


def next_weak(n):
    query_weight = np.eye(n, k=1)
    query_weight[n - 1, n - 1] = 1
    return query_weight, np.eye(n)


def next_good_for_seven_only(n):
    query_weight, key_weight = next_weak(n)
    return 20 * query_weight, key_weight


def next_one_matrix(n):
    return 100 * np.eye(n, k=1)


def next_two_ahead(n):
    query_weight = np.zeros((n, n))
    for i in range(n):
        query_weight[i, min(i + 2, n - 1)] = 100
    return query_weight, np.eye(n)


# --- attention-stream ---


def stream_in_numpy(query, pairs):
    m, s, acc = np.float32(-np.inf), 0.0, np.zeros(1)
    for key, value in pairs:
        score = np.dot(query, key) / np.sqrt(query.size)
        if score > m:
            shrink = np.exp(m - score)
            s, acc, m = s * shrink, acc * shrink, score
        s, acc = s + np.exp(score - m), acc + np.exp(score - m) * value
    return acc / s


def stream_first_score(query, pairs):
    pairs = iter(pairs)
    key, value = next(pairs)
    m, s, acc = float(query @ key) / query.size**0.5, 1.0, value.astype(float)
    for key, value in pairs:
        score = float(query @ key) / query.size**0.5
        new = max(m, score)
        s = s * math.exp(m - new) + math.exp(score - new)
        acc = acc * math.exp(m - new) + math.exp(score - new) * value
        m = new
    return acc / s


def stream_from_zero(query, pairs):
    m, s, acc = 0.0, 0.0, 0.0
    for key, value in pairs:
        score = float(np.dot(query, key)) / math.sqrt(query.size)
        new = max(m, score)
        s = s * np.exp(m - new) + np.exp(score - new)
        acc = acc * np.exp(m - new) + np.exp(score - new) * value
        m = new
    return acc / s


def stream_raw(query, pairs):
    s, acc = 0.0, 0.0
    for key, value in pairs:
        power = np.exp(np.dot(query, key) / math.sqrt(query.size))
        s, acc = s + power, acc + power * value
    return acc / s


def running(query, pairs, total_fades, context_fades):
    m, s, acc = -math.inf, 0.0, 0.0
    for key, value in pairs:
        score = float(np.dot(query, key)) / math.sqrt(query.size)
        new = score if score > m else m
        f = math.exp(m - new)
        p = math.exp(score - new)
        s = (s * f if total_fades else s) + p
        acc = (acc * f if context_fades else acc) + p * value
        m = new
    return acc / s


def stream_nothing_fades(query, pairs):
    return running(query, pairs, False, False)


def stream_total_fades(query, pairs):
    return running(query, pairs, True, False)


def stream_context_fades(query, pairs):
    return running(query, pairs, False, True)


def stream_unscaled(query, pairs):
    keys, values = map(np.array, zip(*pairs, strict=True))
    return weights_of(keys @ query) @ values


def stream_mean(query, pairs):
    total = count = 0
    for _, value in pairs:
        total, count = total + value, count + 1
    return total / count


def stream_best(query, pairs):
    best, found = -np.inf, None
    for key, value in pairs:
        if key @ query > best:
            best, found = key @ query, value
    return found


def stream_sum(query, pairs):
    keys, values = map(np.array, zip(*pairs, strict=True))
    return (weights_of(keys @ query / math.sqrt(query.size))[:, None] * values).sum()


ANSWERS = {
    "attention-divisor": {
        "right": [divisor_from_variance, divisor_in_numpy],
        "wrong": {
            "spread forgotten": divisor_root_only,
            "variance": divisor_variance,
            "width without root": divisor_no_root,
            "root of all": divisor_root_of_all,
            "factor": divisor_upside_down,
            "general: spreads added": divisor_sum,
        },
    },
    "attention-repair": {
        "right": [repair_einsum, repair_scale_first],
        "wrong": {
            "length": repair_length_left,
            "no scale": repair_scale_dropped,
            "width without root": repair_without_root,
            "one maximum": repair_maximum_left,
            "no maximum": repair_maximum_dropped,
            "queries": repair_columns,
            "columns": repair_softmax_of_columns,
            "tokens": repair_tokens,
            "first axis": repair_axis_zero,
            "T": repair_transpose_left,
            "general: nothing repaired": repair_nothing,
            "general: float64": repair_float64,
            "general: weights returned too": repair_returns_both,
        },
    },
    "attention-look-next": {
        "right": [next_by_loop, next_by_keys],
        "wrong": {
            "itself": next_itself,
            "previous": next_previous,
            "circle": next_in_a_circle,
            "last": next_without_last,
            "too weak": next_good_for_seven_only,
            "general: one matrix": next_one_matrix,
            "general: two ahead": next_two_ahead,
        },
    },
    "attention-stream": {
        "right": [stream_in_numpy, stream_first_score],
        "wrong": {
            "start": stream_from_zero,
            "overflow": stream_raw,
            "no fading": stream_nothing_fades,
            "context not faded": stream_total_fades,
            "total not faded": stream_context_fades,
            "no scale": stream_unscaled,
            "mean": stream_mean,
            "best": stream_best,
            "general: summed over features": stream_sum,
        },
    },
}
