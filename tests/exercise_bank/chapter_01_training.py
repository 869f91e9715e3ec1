"""Answers to the exercise on how pieces are learnt, as readers would write them."""

import math


def tally(words):
    single, double = {}, {}
    for word, n in words.items():
        for k, piece in enumerate(word):
            single[piece] = single.get(piece, 0) + n
            if k:
                pair = (word[k - 1], piece)
                double[pair] = double.get(pair, 0) + n
    return single, double


def glue(word, pair):
    k, out = 0, []
    while k < len(word):
        if word[k : k + 2] == pair:
            out.append(pair[0] + pair[1][2:])
            k += 2
        else:
            out.append(word[k])
            k += 1
    return tuple(out)


def counts_after(words, pair):
    return tally({glue(word, pair): n for word, n in words.items()})[0]


def choose(words, worth):
    found = {pair: worth(counts_after(words, pair)) for pair in tally(words)[1]}
    return max(sorted(found), key=found.get)


def pair_by_probability(words):
    def worth(single):
        total = sum(single.values())
        return sum(n * math.log2(n / total) for n in single.values())

    return choose(words, worth)


def pair_by_entropy(words):
    def worth(single):
        total = sum(single.values())
        return sum(n * math.log(n) for n in single.values()) - total * math.log(total)

    return choose(words, worth)


def pair_most_frequent(words):
    _, double = tally(words)
    top = max(double.values())
    return sorted(pair for pair in double if double[pair] == top)[0]


def pair_by_score(words):
    single, double = tally(words)
    order = sorted(double, key=lambda pair: (-double[pair], pair))
    return max(order, key=lambda p: double[p] / (single[p[0]] * single[p[1]]))


def pair_unweighted_words(words):
    return pair_by_entropy({word: 1 for word in words})


def pair_mean(words):
    def worth(single):
        total = sum(single.values())
        return sum(n / total * math.log(n / total) for n in single.values())

    return choose(words, worth)


def pair_each_piece_once(words):
    def worth(single):
        return math.log(math.prod(n / sum(single.values()) for n in single.values()))

    return choose(words, worth)


def pair_old_total(words):
    old = sum(tally(words)[0].values())
    return choose(
        words, lambda single: sum(n * math.log(n / old) for n in single.values())
    )


def pair_from_counts(words):
    single, double = tally(words)
    total = sum(single.values())

    def f(n):
        return n * math.log(n) if n > 0 else 0

    def gain(pair):
        (a, b), n = pair, double[pair]
        if a == b:
            change = f(single[a] - 2 * n) - f(single[a])
        else:
            change = f(single[a] - n) - f(single[a]) + f(single[b] - n) - f(single[b])
        return change + f(n) - f(sum(single.values()) - n) + f(total)

    return max(sorted(double), key=gain)


def pair_surprise(words):
    def worth(single):
        total = sum(single.values())
        return -sum(n * math.log(n / total) for n in single.values())

    return choose(words, worth)


def pair_joined(words):
    a, b = pair_by_entropy(words)
    return a + b[2:]


def pair_first(words):
    return min(tally(words)[1])


ANSWERS = {
    "tokens-best-pair": {
        "right": [pair_by_probability, pair_by_entropy],
        "wrong": {
            "count alone": pair_most_frequent,
            "score": pair_by_score,
            "each word once": pair_unweighted_words,
            "per piece": pair_mean,
            "unweighted": pair_each_piece_once,
            "old total": pair_old_total,
            "overlap": pair_from_counts,
            "least likely": pair_surprise,
            "joined": pair_joined,
            "general: the first of the alphabet": pair_first,
        },
    },
}
