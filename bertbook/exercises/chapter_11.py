"""Exercises of chapter 11 on measuring search; `chapter_11_pieces` has the others."""

import math

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def chance_of_hit(n, n_right, k):
    """Return the probability that a random order has a right answer among k."""
    return 1 - math.comb(n - n_right, k) / math.comb(n, k)


def _with_replacement(n, n_right, k):
    return 1 - (1 - n_right / n) ** k


def _one_right(n, n_right, k):
    return k / n


def _expected_number(n, n_right, k):
    return k * n_right / n


def _miss(n, n_right, k):
    return 1 - chance_of_hit(n, n_right, k)


def _just_one(n, n_right, k):
    return n_right * math.comb(n - n_right, k - 1) / math.comb(n, k)


def _capped(n, n_right, k):
    return min(1.0, k * n_right / n)


def _all_right(n, n_right, k):
    return math.comb(k, n_right) / math.comb(n, n_right)


register(
    Exercise(
        name="search-chance",
        question="How likely does a random order put a right answer among the first k?",
        solution=chance_of_hit,
        cases=[(10, 1, 5), (10, 3, 5), (478, 2, 5), (7, 4, 4), (20, 1, 20)],
        mistakes=[
            Mistake(
                "with replacement",
                "nearly: you draw as if a function could come twice. Each draw leaves "
                "one less in the heap, so the chance of missing falls from draw to "
                "draw.",
                _with_replacement,
            ),
            Mistake(
                "one right answer",
                "right as long as there is a single right answer; n_right of them make "
                "a hit more likely.",
                _one_right,
            ),
            Mistake(
                "expected number",
                "this is how many right answers the first k hold on average, and it "
                "can exceed 1: two right answers among them still are one hit.",
                _expected_number,
            ),
            Mistake(
                "expected number, cut off",
                "k * n_right / n is how many right answers the first k hold on "
                "average. Cut off at 1 it still counts two right answers among them "
                "as two hits.",
                _capped,
            ),
            Mistake(
                "just one",
                "this is the probability of just one right answer among the first k; "
                "two of them are a hit as well.",
                _just_one,
            ),
            Mistake(
                "miss",
                "this is the probability that there is none among the first k.",
                _miss,
            ),
            Mistake(
                "all right",
                "this is the probability that all right answers are among the first "
                "k; one of them is enough.",
                _all_right,
            ),
        ],
        praise="now you know what a recall is worth before you admire it.",
    )
)


def fuse(first, second, constant):
    """Return the items of two rankings by the sum of their reciprocal ranks."""
    score = np.zeros(len(first))
    for ranking in (first, second):
        score[ranking] += 1 / (constant + np.arange(1, len(ranking) + 1))
    return np.argsort(-score, kind="stable")


def _from_zero(first, second, constant):
    score = np.zeros(len(first))
    for ranking in (first, second):
        score[ranking] += 1 / (constant + np.arange(len(ranking)))
    return np.argsort(-score, kind="stable")


def _items_as_ranks(first, second, constant):
    score = 1 / (constant + 1 + first) + 1 / (constant + 1 + second)
    return np.argsort(-score, kind="stable")


def _items_as_ranks_from_zero(first, second, constant):
    score = 1 / (constant + first) + 1 / (constant + second)
    return np.argsort(-score, kind="stable")


def _place_of_each(first, second, constant):
    return np.argsort(fuse(first, second, constant), kind="stable")


def _equal_sums_in_another_order(inputs, got, expected):
    """Return whether the sums fall, but equal ones stand in another order."""
    score = np.zeros(len(expected))
    for ranking in inputs[:2]:
        score[ranking] += 1 / (inputs[2] + np.arange(1, len(ranking) + 1))
    return (
        sorted(got.tolist()) == sorted(expected.tolist())
        and not np.array_equal(got, expected)
        and np.allclose(score[got], score[expected], rtol=1e-12, atol=0)
    )


def _worst_first(first, second, constant):
    score = np.zeros(len(first))
    for ranking in (first, second):
        score[ranking] += 1 / (constant + np.arange(1, len(ranking) + 1))
    return np.argsort(score, kind="stable")


def _mean_rank(first, second, constant):
    ranks = np.zeros(len(first))
    for ranking in (first, second):
        ranks[ranking] += np.arange(1, len(ranking) + 1)
    return np.argsort(ranks, kind="stable")


def _better_rank(first, second, constant):
    score = np.zeros(len(first))
    for ranking in (first, second):
        points = np.zeros(len(first))
        points[ranking] = 1 / (constant + np.arange(1, len(ranking) + 1))
        score = np.maximum(score, points)
    return np.argsort(-score, kind="stable")


def _ranking_cases():
    """Return rankings that tell the known mistakes apart."""
    rng = np.random.default_rng(40)
    cases = [(rng.permutation(9), rng.permutation(9), c) for c in (1, 2, 60)]
    cases.append((np.array([2, 0, 1]), np.array([0, 2, 1]), 1))
    # So many equal sums that a sort that is not stable mixes them up.
    many = rng.permutation(80)
    return [*cases, (many, many[::-1].copy(), 60)]


register(
    Exercise(
        name="search-fusion",
        question="Merge two rankings by the sum of their reciprocal ranks.",
        solution=fuse,
        cases=_ranking_cases(),
        mistakes=[
            Mistake(
                "ranks from zero",
                "the first rank is 1, not 0: your ranks are one too small.",
                _from_zero,
            ),
            Mistake(
                "items as ranks",
                "a ranking lists items, the best first: first[0] is the best item and "
                "not the rank of item 0.",
                _items_as_ranks,
            ),
            Mistake(
                "items as ranks from zero",
                "a ranking lists items, the best first: first[0] is the best item and "
                "not the rank of item 0; and ranks are counted from 1.",
                _items_as_ranks_from_zero,
            ),
            Mistake(
                "places",
                "this is the place of each item in the merged ranking; asked for are "
                "the items in their order.",
                _place_of_each,
            ),
            Mistake(
                "equal sums",
                "items with equal sums stand in the wrong order: the smaller item "
                "comes first. Sort the negated sums, with a stable sort.",
                recognise=_equal_sums_in_another_order,
            ),
            Mistake(
                "worst first",
                "the order is upside down: the item with the largest sum comes first.",
                _worst_first,
            ),
            Mistake(
                "mean rank",
                "you add the ranks themselves. Then one bad rank ruins an item that "
                "the other ranking has first; take 1 / (constant + rank).",
                _mean_rank,
            ),
            Mistake(
                "better rank",
                "you keep the better of the two; an item that both rankings like "
                "should come before one that only one of them likes: add.",
                _better_rank,
            ),
        ],
        praise="two rankings are merged without a look at their scores.",
    )
)
