"""Exercises of chapter 1: how words are cut, and what comes around them."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register


def fewest_pieces(word, vocab):
    """Cut a word into as few known pieces as possible."""
    best = {len(word): []}
    for start in range(len(word) - 1, -1, -1):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab and end in best:
                cut = [piece, *best[end]]
                if start not in best or len(cut) < len(best[start]):
                    best[start] = cut
    return best.get(0)


def _greedy(word, vocab, choose=max, prefix="##", unknown=None):
    """Take one fitting piece after the other, never back."""
    pieces, start = [], 0
    while start < len(word):
        mark = prefix if start else ""
        ends = range(start + 1, len(word) + 1)
        fitting = [end for end in ends if mark + word[start:end] in vocab]
        if not fitting:
            return unknown
        pieces.append(mark + word[start : choose(fitting)])
        start = choose(fitting)
    return pieces


def _all_cuts(word, vocab, prefix="##", start=0):
    """Yield every way to spell the rest of a word, the longest first piece first."""
    if start == len(word):
        yield []
    for end in range(len(word), start, -1):
        piece = (prefix if start else "") + word[start:end]
        if piece in vocab:
            for rest in _all_cuts(word, vocab, prefix, end):
                yield [piece, *rest]


def _shortest_first(word, vocab):
    """Of equally short cuts take the one with the shortest first piece."""
    return min(list(_all_cuts(word, vocab))[::-1], key=len, default=None)


def _without_marks(word, vocab):
    """Look all pieces up as if they started a word."""
    return min(_all_cuts(word, vocab, prefix=""), key=len, default=None)


def _first_that_works(word, vocab):
    """Take the first cut that spells the word, the longest piece tried first."""
    return next(_all_cuts(word, vocab), None)


def _unknown_token(word, vocab):
    """Return the unknown token in the place of None."""
    return fewest_pieces(word, vocab) or ["[UNK]"]


def _number_of_pieces(word, vocab):
    """Return how many pieces there are, not which."""
    pieces = fewest_pieces(word, vocab)
    return None if pieces is None else len(pieces)


def segment_ids(n_first, n_second, width):
    """Return the segment ids of a padded pair."""
    ids = np.zeros(width, dtype=np.int64)
    start = n_first + 2
    ids[start : start + n_second + 1] = 1
    return ids


def _ones_between(first_shift, last_shift):
    """Return an answer whose ones start and end somewhere else."""

    def answer(n_first, n_second, width):
        ids = np.zeros(width, dtype=np.int64)
        end = width if last_shift is None else n_first + n_second + 3 + last_shift
        ids[n_first + 2 + first_shift : end] = 1
        return ids

    return answer


def _all_zero(n_first, n_second, width):
    """Put both texts into the first segment."""
    return np.zeros(width, dtype=np.int64)


SMALL_VOCAB = {"un", "und", "##do", "##o", "##oa", "##able", "##a", "##b", "##le"}
GREEDY_VOCAB = SMALL_VOCAB | {"##ble"}
LETTERS = {"a", "b", "c", "d", "##a", "##b", "##c", "##d"}

register(
    Exercise(
        name="tokens-greedy",
        question="How does greedy longest match cut the word undoable?",
        solution=["und", "##oa", "##ble"],
        mistakes=[
            Mistake(
                "sense",
                "that is how a person would cut the word, by sense. The tokenizer "
                "knows no sense: which is the longest piece that fits at the start?",
                ["un", "##do", "##able"],
            ),
            Mistake(
                "shortest",
                "you took the shortest piece that fits at each place; the tokenizer "
                "tries the longest first.",
                ["un", "##do", "##a", "##b", "##le"],
            ),
            Mistake(
                "no marks",
                "the cut is right, but a piece that goes on inside a word is written "
                "with ## before it: only so does it stand in the vocabulary.",
                ["und", "oa", "ble"],
            ),
            Mistake(
                "unknown",
                "the word is not unknown: after the first piece some piece with ## "
                "fits at every place.",
                ["[UNK]"],
            ),
            Mistake(
                "marked start",
                "the first piece of a word has no ## before it.",
                ["##und", "##oa", "##ble"],
            ),
        ],
        praise="the longest piece that fits wins at each place, whatever comes after.",
    )
)

register(
    Exercise(
        name="tokens-segment-ids",
        question="Write the segment ids of a padded pair.",
        solution=segment_ids,
        cases=[(3, 2, 8), (5, 4, 14), (1, 1, 5), (0, 3, 10), (4, 0, 9), (2, 6, 11)],
        mistakes=[
            Mistake(
                "padding",
                "your padding lies in segment 1. It belongs to no text, and the "
                "reference gives it 0.",
                _ones_between(0, None),
            ),
            Mistake(
                "middle separator",
                "the [SEP] between the texts ends the first one, so its segment is 0.",
                _ones_between(-1, 0),
            ),
            Mistake(
                "last separator",
                "the last [SEP] ends the second text, so its segment is 1.",
                _ones_between(0, -1),
            ),
            Mistake(
                "no cls",
                "all your ones stand one place too far left: did you count [CLS]?",
                _ones_between(-1, -1),
            ),
            Mistake(
                "one segment",
                "both texts lie in segment 0: the model cannot tell them apart.",
                _all_zero,
            ),
        ],
        praise="zeros to the first [SEP], ones to the second, zeros on the padding.",
    )
)

register(
    Exercise(
        name="tokens-fewest",
        question="Cut a word into as few pieces of a vocabulary as possible.",
        solution=fewest_pieces,
        cases=[
            ("abcd", LETTERS | {"abc", "ab", "##cd"}),
            ("abcdab", LETTERS | {"abcd", "ab", "##cdab"}),
            ("undoable", GREEDY_VOCAB),
            ("abc", {"ab", "a", "##bc"}),
            ("abca", LETTERS | {"abc", "a", "##bca"}),
            ("abx", LETTERS),
            ("abcd", {"a", "bcd", "ab", "cd"}),
            ("b", LETTERS),
            ("cab", {"c", "##a", "##b"}),
        ],
        mistakes=[
            Mistake(
                "greedy",
                "that is the greedy cut. It can take more pieces than needed, and it "
                "can end at a dead end although the word can be spelt.",
                _greedy,
            ),
            Mistake(
                "first that works",
                "you take the first cut that spells the word; a later one may have "
                "fewer pieces. Compare all of them.",
                _first_that_works,
            ),
            Mistake(
                "no marks",
                "inside a word, look a piece up with ## before it.",
                _without_marks,
            ),
            Mistake(
                "ties",
                "of two cuts with equally few pieces, take the one whose first piece "
                "is longer.",
                _shortest_first,
            ),
            Mistake(
                "unknown token",
                "a word that cannot be spelt gives None; [UNK] is put in later.",
                _unknown_token,
            ),
            Mistake(
                "number",
                "you return how many pieces there are; return the pieces.",
                _number_of_pieces,
            ),
        ],
        praise="no cut has fewer pieces, and dead ends are left in time.",
    )
)
