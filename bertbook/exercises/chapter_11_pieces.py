"""Exercise of chapter 11 on an index that does not fit into memory at once."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def _of(vectors):
    """Return small vectors of whole numbers, whose products are exact."""
    return np.array(vectors, np.float32)


def top_k_in_pieces(pieces, query, k):
    """Return the rows of the k largest products over all pieces, the best first."""
    rows, scores, start = np.empty(0, np.int64), np.empty(0, query.dtype), 0
    for piece in pieces:
        rows = np.concatenate([rows, start + np.arange(len(piece))])
        scores = np.concatenate([scores, piece @ query])
        best = np.argsort(-scores, kind="stable")[:k]
        rows, scores = rows[best], scores[best]
        start += len(piece)
    return rows


def _within_pieces(pieces, query, k):
    found = [(-s, i, r) for i, p in enumerate(pieces) for r, s in enumerate(p @ query)]
    return np.array([row for _, _, row in sorted(found)[:k]], np.int64)


def _equal_pieces(pieces, query, k):
    found = [
        (-score, number, row)
        for number, piece in enumerate(pieces)
        for row, score in enumerate(piece @ query)
    ]
    best = sorted(found)[:k]
    size = len(pieces[0])
    return np.array([number * size + row for _, number, row in best], np.int64)


def _share_of_each(pieces, query, k):
    share = -(-k // len(pieces))
    found, start = [], 0
    for piece in pieces:
        ranked = [(-score, start + row) for row, score in enumerate(piece @ query)]
        found += sorted(ranked)[:share]
        start += len(piece)
    return np.array([row for _, row in sorted(found)[:k]], np.int64)


def _last_of_equals(pieces, query, k):
    scores = np.concatenate([piece @ query for piece in pieces])
    return np.argsort(scores, kind="stable")[::-1][:k].astype(np.int64)


def _smallest(pieces, query, k):
    scores = np.concatenate([piece @ query for piece in pieces])
    return np.argsort(scores, kind="stable")[:k].astype(np.int64)


def _unsorted(inputs, got, expected):
    """Return whether the right rows came in another order."""
    is_row_list = isinstance(got, np.ndarray) and got.shape == expected.shape
    return (
        is_row_list
        and not np.array_equal(got, expected)
        and sorted(got.tolist()) == sorted(expected.tolist())
    )


def _cases():
    """Return pieces of unlike lengths, with equal products and an empty piece."""
    rng = np.random.default_rng(5)
    small = [rng.integers(-9, 10, (rows, 3)) for rows in (6, 2, 5, 4)]
    equal = [[[2, 0], [1, 1]], [[2, 0], [3, 0], [0, 9]], [[3, 0]]]
    heap = [[[1, 0]], [[9, 0], [8, 0], [7, 0]], [[2, 0], [6, 0]]]
    return [
        ([_of(piece) for piece in small], _of([1, -2, 3]), 5),
        ([_of(piece) for piece in equal], _of([1, 0]), 3),
        ([_of(piece) for piece in heap], _of([1, 0]), 3),
        ([_of([[5, 1]]), np.empty((0, 2), np.float32), _of([[4, 2]])], _of([1, 1]), 9),
    ]


register(
    Exercise(
        name="search-pieces",
        question="Find the k nearest rows when the vectors come in pieces.",
        solution=top_k_in_pieces,
        cases=_cases(),
        mistakes=[
            Mistake(
                "rows within the piece",
                "your rows count from the start of their piece; they should count "
                "from the first row of the first piece.",
                _within_pieces,
            ),
            Mistake(
                "equal pieces",
                "you take all pieces to be as long as the first one; add up the "
                "lengths of those that have gone by.",
                _equal_pieces,
            ),
            Mistake(
                "a share of each",
                "you take an equal share from every piece, but the best k may all lie "
                "in one of them: keep k candidates at each step.",
                _share_of_each,
            ),
            Mistake(
                "last of equals",
                "of equal products you take the last row first; a stable sort of the "
                "negated products keeps the first one first.",
                _last_of_equals,
            ),
            Mistake(
                "smallest",
                "these are the rows with the smallest products.",
                _smallest,
            ),
            Mistake(
                "not in order",
                "the right rows in the wrong order: the nearest comes first.",
                recognise=_unsorted,
            ),
        ],
        praise="an index may be larger than memory, and the answer is still exact.",
    )
)
