"""The exercise of chapter 1 on how pieces are learnt."""

from collections import Counter

from bertbook.exercises import Exercise, Mistake, register


def best_pair(words):
    """Find the pair of pieces with the highest WordPiece score."""
    pieces, pairs = _count(words)

    def rank(pair):
        score = pairs[pair] / (pieces[pair[0]] * pieces[pair[1]])
        return -score, -pairs[pair], pair

    return min(pairs, key=rank)


def _count(words, weighted=True):
    """Count pieces and pairs."""
    pieces, pairs = Counter(), Counter()
    for word, count in words.items():
        amount = count if weighted else 1
        for piece in word:
            pieces[piece] += amount
        for pair in zip(word[:-1], word[1:], strict=True):
            pairs[pair] += amount
    return pieces, pairs


def _most_frequent(words):
    """Choose by the count alone, as byte-pair encoding does."""
    _, pairs = _count(words)
    return min(pairs, key=lambda pair: (-pairs[pair], pair))


def _each_word_once(words):
    """Forget how often the words occur."""
    pieces, pairs = _count(words, weighted=False)
    scores = {p: n / (pieces[p[0]] * pieces[p[1]]) for p, n in pairs.items()}
    return min(pairs, key=lambda pair: (-scores[pair], -pairs[pair], pair))


def _sum_below(words):
    """Divide by the sum of the two counts."""
    pieces, pairs = _count(words)
    scores = {p: n / (pieces[p[0]] + pieces[p[1]]) for p, n in pairs.items()}
    return min(pairs, key=lambda pair: (-scores[pair], -pairs[pair], pair))


def _ties_by_alphabet(words):
    """Decide equal scores by the alphabet alone."""
    pieces, pairs = _count(words)
    scores = {p: n / (pieces[p[0]] * pieces[p[1]]) for p, n in pairs.items()}
    return min(pairs, key=lambda pair: (-scores[pair], pair))


def _joined_piece(words):
    """Return the new piece in the place of the pair."""
    first, second = best_pair(words)
    return first + second.removeprefix("##")


_WORDS = {
    ("a", "##n", "##t"): 6,
    ("p", "##a", "##n"): 4,
    ("p", "##a", "##n", "##t"): 3,
    ("a", "##n", "##t", "##s"): 2,
}
_TIED = {("b", "##a"): 2, ("c", "##d"): 9, ("d", "##e"): 1, ("c", "##a"): 3}
_TWICE = {("a", "##b", "##b"): 5, ("a", "##c"): 4, ("d", "##c"): 1}
_EQUAL = {("a", "##x"): 3, ("b", "##x"): 7, ("c", "##x"): 2}
_COMMON = {
    ("a", "##b"): 9,
    ("a", "##c"): 1,
    ("d", "##c"): 1,
    ("d", "##e"): 1,
    ("f", "##e"): 3,
}
_RARE = {("q", "##u", "##o"): 1, ("d", "##u", "##o"): 8, ("d", "##o"): 5}

register(
    Exercise(
        name="tokens-best-pair",
        question="Find the pair of pieces that WordPiece joins next.",
        solution=best_pair,
        cases=[(_WORDS,), (_TIED,), (_TWICE,), (_EQUAL,), (_RARE,), (_COMMON,)],
        mistakes=[
            Mistake(
                "count alone",
                "you join the most frequent pair. That is byte-pair encoding; "
                "WordPiece divides by how often the two pieces occur at all.",
                _most_frequent,
            ),
            Mistake(
                "each word once",
                "you count every word once. A word that occurs n times counts n "
                "times, in its pairs and in its pieces.",
                _each_word_once,
            ),
            Mistake(
                "sum",
                "you divide by the sum of the two counts; the score divides by their "
                "product.",
                _sum_below,
            ),
            Mistake(
                "ties",
                "where scores are equal, the pair with the higher count comes first; "
                "the alphabet decides only after that.",
                _ties_by_alphabet,
            ),
            Mistake(
                "joined",
                "you return the piece that the joining makes; return the pair itself.",
                _joined_piece,
            ),
        ],
        praise="count of the pair over the product of the counts, ties decided.",
    )
)
