"""Answers to the exercises of chapter 1, as readers would write them."""

from functools import lru_cache
from itertools import pairwise

import numpy as np


def segments_by_concatenation(n_first, n_second, width):
    zeros = np.zeros(1 + n_first + 1, dtype=int)
    ones = np.ones(n_second + 1, dtype=int)
    both = np.concatenate([zeros, ones])
    return np.pad(both, (0, width - len(both)))


def segments_by_comparison(n_first, n_second, width):
    place = np.arange(width)
    return ((place > n_first + 1) & (place <= n_first + n_second + 2)).astype(np.int64)


def segments_padding_one(n_first, n_second, width):
    return (np.arange(width) > n_first + 1).astype(np.int64)


def segments_middle(n_first, n_second, width):
    return np.array(
        [0] * (n_first + 1)
        + [1] * (n_second + 2)
        + [0] * (width - n_first - n_second - 3)
    )


def segments_last(n_first, n_second, width):
    out = [0] * width
    for k in range(n_second):
        out[n_first + 2 + k] = 1
    return np.array(out)


def segments_without_cls(n_first, n_second, width):
    out = np.zeros(width, int)
    for k in range(width):
        if n_first + 1 <= k < n_first + 1 + n_second + 1:
            out[k] = 1
    return out


def segments_zero(n_first, n_second, width):
    return np.full(width, 0)


def segments_inverted(n_first, n_second, width):
    return 1 - segments_by_comparison(n_first, n_second, width)


def segments_as_list(n_first, n_second, width):
    return segments_by_comparison(n_first, n_second, width).tolist()


def fewest_recursive(word, vocab):
    @lru_cache(None)
    def rest(start):
        if start == len(word):
            return ()
        found = []
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            tail = rest(end)
            if piece in vocab and tail is not None:
                found.append((piece, *tail))
        return min(found, key=len) if found else None

    answer = rest(0)
    return None if answer is None else list(answer)


def fewest_by_width(word, vocab):
    """Try cuts of one piece, then of two, and so on."""
    paths = [(0,)]
    while paths:
        longer = []
        for path in paths:
            if path[-1] == len(word):
                return [("##" if a else "") + word[a:b] for a, b in pairwise(path)]
            for end in range(len(word), path[-1], -1):
                mark = "##" if path[-1] else ""
                if mark + word[path[-1] : end] in vocab:
                    longer.append((*path, end))
        paths = longer
    return None


def fewest_greedy(word, vocab):
    out = []
    rest = word
    while rest:
        size = len(rest)
        while size and ("##" if out else "") + rest[:size] not in vocab:
            size -= 1
        if size == 0:
            return None
        out.append(("##" if out else "") + rest[:size])
        rest = rest[size:]
    return out


def fewest_first_found(word, vocab, start=0):
    if start == len(word):
        return []
    for end in reversed(range(start + 1, len(word) + 1)):
        piece = word[start:end] if not start else f"##{word[start:end]}"
        if piece in vocab:
            tail = fewest_first_found(word, vocab, end)
            if tail is not None:
                return [piece, *tail]
    return None


def fewest_without_marks(word, vocab):
    best = {0: []}
    for end in range(1, len(word) + 1):
        options = [
            [*best[start], word[start:end]]
            for start in range(end)
            if start in best and word[start:end] in vocab
        ]
        if options:
            best[end] = min(options, key=lambda cut: (len(cut), [-len(p) for p in cut]))
    return best.get(len(word))


def fewest_short_start(word, vocab):
    best = {len(word): []}
    for start in reversed(range(len(word))):
        mark = "##" if start else ""
        options = [
            [mark + word[start:end], *best[end]]
            for end in range(start + 1, len(word) + 1)
            if end in best and mark + word[start:end] in vocab
        ]
        if options:
            best[start] = min(options, key=len)
    return best.get(0)


def fewest_unknown(word, vocab):
    found = fewest_recursive(word, vocab)
    return ["[UNK]"] if found is None else found


def fewest_number(word, vocab):
    found = fewest_by_width(word, vocab)
    return len(found) if found is not None else None


def fewest_letters(word, vocab):
    return [letter if k == 0 else "##" + letter for k, letter in enumerate(word)]


ANSWERS = {
    "tokens-greedy": {
        "right": [["und", "##oa", "##ble"], ("und", "##oa", "##ble")],
        "wrong": {
            "sense": ["un", "##do", "##able"],
            "shortest": ["un", "##do", "##a", "##b", "##le"],
            "no marks": ("und", "oa", "ble"),
            "unknown": ["[UNK]"],
            "marked start": ["##und", "##oa", "##ble"],
            "general: stops early": ["und", "##oa"],
            "general: a text": "und ##oa ##ble",
        },
    },
    "tokens-segment-ids": {
        "right": [segments_by_concatenation, segments_by_comparison],
        "wrong": {
            "padding": segments_padding_one,
            "middle separator": segments_middle,
            "last separator": segments_last,
            "no cls": segments_without_cls,
            "one segment": segments_zero,
            "general: zeros and ones exchanged": segments_inverted,
            "general: a list": segments_as_list,
        },
    },
    "tokens-fewest": {
        "right": [fewest_recursive, fewest_by_width],
        "wrong": {
            "greedy": fewest_greedy,
            "first that works": fewest_first_found,
            "no marks": fewest_without_marks,
            "ties": fewest_short_start,
            "unknown token": fewest_unknown,
            "number": fewest_number,
            "general: letters": fewest_letters,
        },
    },
}
