"""Answers to the exercises of chapter 12 on scores, as readers would write them."""

import numpy as np

# --- inside-next ---


def words_of(mask):
    inner = mask.astype(bool).copy()
    inner[:, 0] = False
    inner[np.arange(len(mask)), mask.sum(axis=1) - 1] = False
    return inner


def next_by_diagonal(weights, mask):
    following = np.diagonal(weights, offset=1, axis1=-2, axis2=-1)
    inner = words_of(mask)[:, None, :-1]
    return (following * inner).sum(axis=(0, 2)) / inner.sum()


def next_by_loops(weights, mask):
    found = []
    for text in range(len(mask)):
        last = int(mask[text].sum()) - 1
        for word in range(1, last):
            found.append(weights[text, :, word, word + 1])
    return np.mean(found, axis=0)


def next_all_rows(weights, mask):
    following = np.diagonal(weights, offset=1, axis1=-2, axis2=-1)
    return following[..., 1:].mean(axis=(0, 2))


def next_before(weights, mask):
    preceding = np.diagonal(weights, offset=-1, axis1=-2, axis2=-1)
    inner = words_of(mask)[:, None, 1:]
    return (preceding * inner).sum(axis=(0, 2)) / inner.sum()


def next_transposed(weights, mask):
    coming = np.diagonal(weights, offset=-1, axis1=-2, axis2=-1)
    inner = words_of(mask)[:, None, :-1]
    return (coming * inner).sum(axis=(0, 2)) / inner.sum()


def next_from_cls(weights, mask):
    following = np.diagonal(weights, offset=1, axis1=-2, axis2=-1)
    inner = mask[:, None, 1:]
    return (following * inner).sum(axis=(0, 2)) / inner.sum()


def next_text_means(weights, mask):
    following = np.diagonal(weights, offset=1, axis1=-2, axis2=-1)
    inner = words_of(mask)[:, None, :-1]
    return ((following * inner).sum(axis=2) / inner.sum(axis=2)).mean(axis=0)


def next_sum(weights, mask):
    return next_by_diagonal(weights, mask) * words_of(mask).sum()


def next_mean_of_heads(weights, mask):
    return next_by_diagonal(weights, mask).mean()


# --- inside-sense-gap ---


def unit(vectors):
    return vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))


def gap_by_loops(vectors, senses):
    within, between = [], []
    for i, x in enumerate(vectors):
        for j in range(i):
            y = vectors[j]
            cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
            (within if senses[i] == senses[j] else between).append(cosine)
    return np.mean(within) - np.mean(between)


def gap_by_triangle(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    cosines = (unit(vectors)[i] * unit(vectors)[j]).sum(axis=1)
    same = senses[i] == senses[j]
    return float(cosines[same].mean() - cosines[~same].mean())


def gap_with_itself(vectors, senses):
    cosines = unit(vectors) @ unit(vectors).T
    same = np.equal.outer(senses, senses)
    return np.average(cosines, weights=same) - np.average(cosines, weights=~same)


def gap_of_products(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    products = np.einsum("ij,ij->i", vectors[i], vectors[j])
    same = senses[i] == senses[j]
    return products[same].mean() - products[~same].mean()


def gap_negative(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    cosines = (unit(vectors)[i] * unit(vectors)[j]).sum(axis=1)
    same = senses[i] == senses[j]
    return cosines[~same].mean() - cosines[same].mean()


def gap_against_all(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    cosines = (unit(vectors)[i] * unit(vectors)[j]).sum(axis=1)
    return cosines[senses[i] == senses[j]].mean() - cosines.mean()


def gap_of_centres(vectors, senses):
    means = [vectors[senses == s].mean(axis=0) for s in sorted(set(senses.tolist()))]
    i, j = np.triu_indices(len(means), k=1)
    means = unit(np.array(means))
    return 1 - (means[i] * means[j]).sum(axis=1).mean()


def gap_within_alone(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    cosines = (unit(vectors)[i] * unit(vectors)[j]).sum(axis=1)
    return cosines[senses[i] == senses[j]].mean()


def gap_of_distances(vectors, senses):
    i, j = np.triu_indices(len(vectors), k=1)
    distances = np.linalg.norm(vectors[i] - vectors[j], axis=1)
    same = senses[i] == senses[j]
    return distances[~same].mean() - distances[same].mean()


ANSWERS = {
    "inside-next": {
        "right": [next_by_diagonal, next_by_loops],
        "wrong": {
            "padding": next_all_rows,
            "previous": next_before,
            "rows and columns": next_transposed,
            "special tokens": next_from_cls,
            "mean of means": next_text_means,
            "general: a sum": next_sum,
            "general: one number for all heads": next_mean_of_heads,
        },
    },
    "inside-sense-gap": {
        "right": [gap_by_loops, gap_by_triangle],
        "wrong": {
            "diagonal": gap_with_itself,
            "scalar products": gap_of_products,
            "sign": gap_negative,
            "all pairs": gap_against_all,
            "centres": gap_of_centres,
            "general: within alone": gap_within_alone,
            "general: distances": gap_of_distances,
        },
    },
}
