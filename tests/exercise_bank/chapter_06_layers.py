"""Answers to the exercises of chapter 6 about whole layers."""

import itertools

import numpy as np

# --- heads-remove ---


def others(n_features, n_heads, head):
    width = n_features // n_heads
    return [i for i in range(n_features) if i // width != head]


def remove_by_index(query, key, value, output, n_heads, head):
    keep = others(len(output), n_heads, head)
    return query[:, keep], key[:, keep], value[:, keep], output[keep]


def remove_by_pieces(query, key, value, output, n_heads, head):
    def without(pieces, axis):
        return np.concatenate(pieces[:head] + pieces[head + 1 :], axis=axis)

    inputs = [without(np.split(w, n_heads, axis=1), 1) for w in (query, key, value)]
    return *inputs, without(np.split(output, n_heads), 0)


def remove_rows(query, key, value, output, n_heads, head):
    keep = others(len(output), n_heads, head)
    return query[keep], key[keep], value[keep], output[keep]


def remove_columns(query, key, value, output, n_heads, head):
    keep = others(len(output), n_heads, head)
    return query[:, keep], key[:, keep], value[:, keep], output[:, keep]


def remove_in_turns(query, key, value, output, n_heads, head):
    keep = [i for i in range(len(output)) if i % n_heads != head]
    return query[:, keep], key[:, keep], value[:, keep], output[keep]


def remove_the_rest(query, key, value, output, n_heads, head):
    parts = [np.split(w, n_heads, axis=1)[head] for w in (query, key, value)]
    return *parts, np.split(output, n_heads)[head]


def remove_by_zero(query, key, value, output, n_heads, head):
    keep = np.zeros(len(output), np.float32)
    keep[others(len(output), n_heads, head)] = 1
    return query * keep, key * keep, value * keep, output * keep[:, None]


def remove_one(query, key, value, output, n_heads, head):
    keep = [i for i in range(len(output)) if i != head]
    return query[:, keep], key[:, keep], value[:, keep], output[keep]


def remove_value_only(query, key, value, output, n_heads, head):
    keep = others(len(output), n_heads, head)
    return query, key, value[:, keep], output[keep]


def remove_next(query, key, value, output, n_heads, head):
    return remove_by_index(query, key, value, output, n_heads, (head + 1) % n_heads)


def remove_without_output(query, key, value, output, n_heads, head):
    return remove_by_index(query, key, value, output, n_heads, head)[:3]


# --- heads-law ---


def law_by_swaps(layer, x):
    y = layer(x)
    for i, j in itertools.combinations(range(len(x)), 2):
        order = list(range(len(x)))
        order[i], order[j] = j, i
        if np.abs(layer(x[order]) - y[order]).max() > 1e-5:
            return False
    return True


def law_by_shuffling(layer, x):
    rng = np.random.default_rng(123)
    for _ in range(5):
        order = rng.permutation(len(x))
        back = np.argsort(order)
        if not np.allclose(layer(x[order])[back], layer(x), atol=1e-6):
            return False
    return True


def law_by_eye(layer, x):
    order = np.random.default_rng(7).permutation(len(x))
    for _ in range(8):
        order = np.roll(order[[1, 0, *range(2, len(x))]], 1)
        if not np.allclose(layer(x[order]), layer(x)[order], atol=0.5):
            return False
    return True


def law_of_sameness(layer, x):
    return bool(np.abs(layer(np.roll(x, 1, axis=0)) - layer(x)).max() < 1e-6)


def law_of_reversal(layer, x):
    y = np.flip(layer(x), axis=0)
    return bool(np.abs(layer(np.flip(x, axis=0)) - y).max() < 1e-6)


def law_of_rotation(layer, x):
    order = np.array([1, 2, 3, 4, 5, 0])
    return bool(np.allclose(layer(x[order]), layer(x)[order]))


def law_of_one_swap(layer, x):
    order = [1, 0, *range(2, len(x))]
    return bool(np.abs(layer(x[order]) - layer(x)[order]).max() < 1e-6)


def law_of_bits(layer, x):
    orders = itertools.islice(itertools.permutations(range(len(x))), 1, 700, 31)
    return all((layer(x[list(o)]) == layer(x)[list(o)]).all() for o in orders)


def law_of_features(layer, x):
    order = np.random.default_rng(8).permutation(x.shape[1])
    return bool(np.allclose(layer(x[:, order]), layer(x)[:, order]))


def law_twice(layer, x):
    order = np.array([1, 2, 3, 4, 5, 0])
    return bool(np.allclose(layer(x[order])[order], layer(x)))


def law_always(layer, x):
    return layer(x).shape == x.shape


def law_never(layer, x):
    return False


def law_as_gap(layer, x):
    order = np.random.default_rng(8).permutation(len(x))
    return float(np.abs(layer(x[order]) - layer(x)[order]).max())


ANSWERS = {
    "heads-remove": {
        "right": [remove_by_index, remove_by_pieces],
        "wrong": {
            "rows everywhere": remove_rows,
            "columns everywhere": remove_columns,
            "every nth": remove_in_turns,
            "the others removed": remove_the_rest,
            "zeros": remove_by_zero,
            "one feature": remove_one,
            "general: only the value": remove_value_only,
            "general: another head": remove_next,
            "general: three weights": remove_without_output,
        },
    },
    "heads-law": {
        "right": [law_by_swaps, law_by_shuffling],
        "wrong": {
            "same result": law_of_sameness,
            "only reversed": law_of_reversal,
            "only rotated": law_of_rotation,
            "only one swap": law_of_one_swap,
            "last bit": law_of_bits,
            "wide tolerance": law_by_eye,
            "features": law_of_features,
            "not put back": law_twice,
            "general: looks at the shape": law_always,
            "general: refuses everything": law_never,
            "general: a number": law_as_gap,
        },
    },
}
