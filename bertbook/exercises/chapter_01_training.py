"""The exercise of chapter 1 on how pieces are learnt."""

import math
from collections import Counter

from bertbook.exercises import Exercise, Mistake, register


def best_pair(words):
    """Find the pair of pieces whose join makes the text most likely."""
    return _best(words, _log_likelihood)


def _best(words, value):
    """Find the pair after whose join the counts of the pieces are worth most."""
    _, pairs = _count(words)
    return max(sorted(pairs), key=lambda pair: value(_count(_joined(words, pair))[0]))


def _log_likelihood(pieces):
    """Return the logarithm of the probability of a text with these pieces."""
    total = sum(pieces.values())
    return sum(n * math.log(n / total) for n in pieces.values())


def _joined(words, pair):
    """Join a pair in all words, from the left."""
    return {_join(word, pair): n for word, n in words.items()}


def _join(word, pair):
    result = []
    for piece in word:
        if result and (result[-1], piece) == pair:
            result[-1] += piece.removeprefix("##")
        else:
            result.append(piece)
    return tuple(result)


def _count(words):
    """Count pieces and pairs."""
    pieces, pairs = Counter(), Counter()
    for word, amount in words.items():
        for piece in word:
            pieces[piece] += amount
        for pair in zip(word[:-1], word[1:], strict=True):
            pairs[pair] += amount
    return pieces, pairs


def _most_frequent(words):
    """Choose by the count alone, as byte-pair encoding does."""
    _, pairs = _count(words)
    return min(pairs, key=lambda pair: (-pairs[pair], pair))


def _highest_score(words):
    """Choose by the score of the chapter."""
    pieces, pairs = _count(words)
    scores = {p: n / (pieces[p[0]] * pieces[p[1]]) for p, n in pairs.items()}
    return min(pairs, key=lambda pair: (-scores[pair], -pairs[pair], pair))


def _each_word_once(words):
    """Forget how often the words occur."""
    return best_pair(dict.fromkeys(words, 1))


def _per_piece(words):
    """Divide by the number of pieces, which the join has changed."""
    return _best(words, lambda n: _log_likelihood(n) / sum(n.values()))


def _unweighted(words):
    """Add the logarithm of each probability once, however often the piece occurs."""
    return _best(
        words, lambda n: sum(math.log(k / sum(n.values())) for k in n.values())
    )


def _old_total(words):
    """Divide by the number of pieces before the join."""
    total = sum(_count(words)[0].values())
    return _best(words, lambda n: sum(k * math.log(k / total) for k in n.values()))


def _least_likely(words):
    """Take the pair whose join makes the text least likely."""
    return _best(words, lambda pieces: -_log_likelihood(pieces))


def _joined_piece(words):
    """Return the new piece in the place of the pair."""
    first, second = best_pair(words)
    return first + second.removeprefix("##")


def _without_joining(words):
    """Work the counts after the join out from the counts before it."""
    pieces, pairs = _count(words)

    def gain(pair):
        after = Counter(pieces)
        after.subtract({p: pairs[pair] * pair.count(p) for p in pair})
        after["joined"] = pairs[pair]
        return _log_likelihood({p: n for p, n in after.items() if n > 0})

    return max(sorted(pairs), key=gain)


def _spelt(corpus):
    """Cut the words of a text into characters."""
    return {
        (word[0], *("##" + letter for letter in word[1:])): amount
        for word, amount in corpus.items()
    }


CASES = [
    _spelt({"ant": 6, "pan": 4, "pant": 3, "ants": 2}),
    _spelt({"trees": 7, "best": 11, "teas": 2, "east": 4}),
    _spelt({"tree": 6, "street": 3, "nets": 8, "tease": 9, "tents": 7}),
    _spelt({"seat": 8, "east": 12, "tents": 4}),
    {
        ("hu", "##g"): 10,
        ("p", "##u", "##g"): 5,
        ("p", "##u", "##n"): 12,
        ("b", "##u", "##n"): 4,
        ("hu", "##gs"): 5,
    },
    _spelt({"bab": 2, "aaaa": 2, "baaa": 6}),
    {("a", "##b"): 3},
]

register(
    Exercise(
        name="tokens-best-pair",
        question="Find the pair of pieces whose join makes the text most likely.",
        solution=best_pair,
        cases=[(words,) for words in CASES],
        mistakes=[
            Mistake(
                "count alone",
                "you join the most frequent pair. That is byte-pair encoding, which "
                "asks for no probability.",
                _most_frequent,
            ),
            Mistake(
                "score",
                "you take the highest score. It says how surprising a pair is; how "
                "much the text gains depends also on how often that happens.",
                _highest_score,
            ),
            Mistake(
                "each word once",
                "you count every word once. A word that occurs n times counts n "
                "times, in its pairs and in its pieces.",
                _each_word_once,
            ),
            Mistake(
                "per piece",
                "you divide by the number of pieces. But the text is the same before "
                "and after the join: compare its whole log-likelihood.",
                _per_piece,
            ),
            Mistake(
                "unweighted",
                "you add up each log(n/N) once. A piece that occurs n times stands in "
                "the product n times, so its logarithm counts n times.",
                _unweighted,
            ),
            Mistake(
                "old total",
                "your N is the number of pieces before the join. Each place where the "
                "pair is joined leaves one piece less.",
                _old_total,
            ),
            Mistake(
                "overlap",
                "in a run of equal pieces, such as ##a ##a ##a, the pair counts twice "
                "but can be joined only once. Join it in the words, and count anew.",
                _without_joining,
            ),
            Mistake(
                "least likely",
                "your join makes the text least likely. A log-likelihood is negative: "
                "the largest is the one nearest to zero.",
                _least_likely,
            ),
            Mistake(
                "joined",
                "you return the piece that the joining makes; return the pair itself.",
                _joined_piece,
            ),
        ],
        praise="the text is most likely after this join, as its counts say.",
    )
)
