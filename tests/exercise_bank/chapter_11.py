"""Answers to the exercises of chapter 11, as readers would give them."""

import heapq
from fractions import Fraction
from math import comb, prod

import numpy as np


def chance_by_draws(n, n_right, k):
    miss = 1.0
    for drawn in range(k):
        miss *= max(n - n_right - drawn, 0) / (n - drawn)
    return 1 - miss


def chance_by_counting(n, n_right, k):
    good = sum(
        comb(n_right, hits) * comb(n - n_right, k - hits) for hits in range(1, k + 1)
    )
    return float(Fraction(good, comb(n, k)))


def chance_put_back(n, n_right, k):
    return 1 - prod([(n - n_right) / n] * k)


def chance_single(n, n_right, k):
    return sum(1 / n for _ in range(k))


def chance_summed(n, n_right, k):
    return sum(n_right / n for _ in range(k))


def chance_of_none(n, n_right, k):
    miss = 1.0
    for drawn in range(k):
        miss *= max(n - n_right - drawn, 0) / (n - drawn)
    return miss


def chance_summed_to_one(n, n_right, k):
    return np.clip(k * n_right / n, 0.0, 1.0)


def chance_of_exactly_one(n, n_right, k):
    return comb(n_right, 1) * comb(n - n_right, k - 1) / comb(n, k)


def chance_each_alone(n, n_right, k):
    return 1 - (1 - k / n) ** n_right


def chance_as_fraction(n, n_right, k):
    return 1 - Fraction(comb(n - n_right, k), comb(n, k))


def chance_of_all(n, n_right, k):
    ways = comb(n - n_right, k - n_right) if k >= n_right else 0
    return ways / comb(n, k)


def chance_in_percent(n, n_right, k):
    return 100 * chance_by_draws(n, n_right, k)


def fuse_by_dict(first, second, constant):
    points = dict.fromkeys(range(len(first)), 0.0)
    for ranking in (first, second):
        for rank, item in enumerate(ranking.tolist(), start=1):
            points[item] += 1 / (constant + rank)
    return np.array(sorted(points, key=lambda item: -points[item]))


def fuse_by_inverse(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)]) + 1
    return np.argsort(-(1 / (constant + ranks)).sum(axis=0), kind="stable")


def fuse_from_zero(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)])
    return np.argsort(-(1 / (constant + ranks)).sum(axis=0), kind="stable")


def fuse_raw(first, second, constant):
    total = sum(1 / (constant + ranking + 1.0) for ranking in (first, second))
    return np.argsort(-total, kind="stable")


def fuse_raw_from_zero(first, second, constant):
    total = sum(1 / (constant + ranking) for ranking in (first, second))
    return np.array(sorted(range(len(first)), key=lambda item: -total[item]))


def fuse_and_invert(first, second, constant):
    places = np.empty(len(first), int)
    places[fuse_by_inverse(first, second, constant)] = np.arange(len(first))
    return places


def fuse_from_behind(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)]) + 1
    return np.argsort((1 / (constant + ranks)).sum(axis=0), kind="stable")[::-1]


def fuse_to_floats(first, second, constant):
    return fuse_by_inverse(first, second, constant).astype(float)


def fuse_upside_down(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)]) + 1
    return np.argsort((1 / (constant + ranks)).sum(axis=0), kind="stable")


def fuse_by_average(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)])
    return np.argsort(ranks.mean(axis=0), kind="stable")


def fuse_by_best(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)])
    return np.argsort(ranks.min(axis=0), kind="stable")


def fuse_first_only(first, second, constant):
    return first.copy()


def fuse_scores(first, second, constant):
    ranks = np.stack([np.argsort(first), np.argsort(second)]) + 1
    return -np.sort(-(1 / (constant + ranks)).sum(axis=0))


def pieces_at_once(pieces, query, k):
    scores = np.concatenate(pieces) @ query
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    return np.array(order[:k])


def pieces_by_heap(pieces, query, k):
    heap, row = [], 0
    for piece in pieces:
        for vector in piece:
            heapq.heappush(heap, (float(vector @ query), -row))
            if len(heap) > k:
                heapq.heappop(heap)
            row += 1
    return np.array([-place for _, place in sorted(heap, reverse=True)])


def pieces_local_rows(pieces, query, k):
    rows = np.concatenate([np.arange(len(piece)) for piece in pieces])
    order = np.argsort(-(np.concatenate(pieces) @ query), kind="stable")
    return rows[order[:k]]


def pieces_same_length(pieces, query, k):
    rows = np.concatenate(
        [np.arange(len(piece)) + i * len(pieces[0]) for i, piece in enumerate(pieces)]
    )
    order = np.argsort(-(np.concatenate(pieces) @ query), kind="stable")
    return rows[order[:k]]


def pieces_fair_share(pieces, query, k):
    per_piece = int(np.ceil(k / len(pieces)))
    rows, scores, start = [], [], 0
    for piece in pieces:
        products = piece @ query
        best = np.argsort(-products, kind="stable")[:per_piece]
        rows.extend(start + best)
        scores.extend(products[best])
        start += len(piece)
    order = np.argsort(-np.array(scores), kind="stable")[:k]
    return np.array(rows)[order]


def pieces_reversed_sort(pieces, query, k):
    scores = np.concatenate(pieces) @ query
    return np.argsort(scores, kind="stable")[: -k - 1 : -1]


def pieces_nearest_zero_end(pieces, query, k):
    scores = np.concatenate(pieces) @ query
    return np.argsort(scores, kind="stable")[:k]


def pieces_in_row_order(pieces, query, k):
    return np.sort(pieces_at_once(pieces, query, k))


def pieces_as_list(pieces, query, k):
    return pieces_at_once(pieces, query, k).tolist()


def pieces_as_floats(pieces, query, k):
    return pieces_at_once(pieces, query, k).astype(float)


def pieces_as_column(pieces, query, k):
    return pieces_at_once(pieces, query, k)[:, np.newaxis]


def pieces_emptied(pieces, query, k):
    taken = []
    while pieces:
        taken.append(pieces.pop(0))
    return pieces_at_once(taken, query, k)


def pieces_first_piece(pieces, query, k):
    return np.argsort(-(pieces[0] @ query), kind="stable")[:k]


def pieces_products(pieces, query, k):
    return -np.sort(-(np.concatenate(pieces) @ query))[:k]


ANSWERS = {
    "search-chance": {
        "right": [chance_by_draws, chance_by_counting, chance_as_fraction],
        "wrong": {
            "with replacement": chance_put_back,
            "one right answer": chance_single,
            "expected number": chance_summed,
            "expected number, cut off": chance_summed_to_one,
            "just one": chance_of_exactly_one,
            "general: each right answer alone": chance_each_alone,
            "miss": chance_of_none,
            "all right": chance_of_all,
            "general: in percent": chance_in_percent,
        },
    },
    "search-fusion": {
        "right": [fuse_by_dict, fuse_by_inverse],
        "wrong": {
            "ranks from zero": fuse_from_zero,
            "items as ranks": fuse_raw,
            "items as ranks from zero": fuse_raw_from_zero,
            "places": fuse_and_invert,
            "equal sums": fuse_from_behind,
            "general: floats": fuse_to_floats,
            "worst first": fuse_upside_down,
            "mean rank": fuse_by_average,
            "better rank": fuse_by_best,
            "general: the first alone": fuse_first_only,
            "general: the scores": fuse_scores,
        },
    },
    "search-pieces": {
        "right": [pieces_at_once, pieces_by_heap],
        "wrong": {
            "rows within the piece": pieces_local_rows,
            "equal pieces": pieces_same_length,
            "a share of each": pieces_fair_share,
            "last of equals": pieces_reversed_sort,
            "smallest": pieces_nearest_zero_end,
            "not in order": pieces_in_row_order,
            "general: a list": pieces_as_list,
            "general: floats": pieces_as_floats,
            "general: a column": pieces_as_column,
            "general: the input is emptied": pieces_emptied,
            "general: the first piece": pieces_first_piece,
            "general: products": pieces_products,
        },
    },
}
