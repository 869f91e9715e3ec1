"""Answers to the exercise on how pieces are learnt, as readers would write them."""


def tally(words):
    single, double = {}, {}
    for word, n in words.items():
        for k, piece in enumerate(word):
            single[piece] = single.get(piece, 0) + n
            if k:
                pair = (word[k - 1], piece)
                double[pair] = double.get(pair, 0) + n
    return single, double


def pair_by_sorting(words):
    single, double = tally(words)
    table = [
        (n / single[a] / single[b], n, (a, b)) for (a, b), n in sorted(double.items())
    ]
    table.sort(key=lambda row: (-round(row[0], 12), -row[1]))
    return table[0][2]


def pair_by_loop(words):
    single, double = tally(words)
    best = None
    for pair in sorted(double):
        a, b = pair
        better = best is None or (
            double[pair] * single[best[0]] * single[best[1]],
            double[pair],
        ) > (double[best] * single[a] * single[b], double[best])
        if better:
            best = pair
    return best


def pair_most_frequent(words):
    _, double = tally(words)
    top = max(double.values())
    return sorted(pair for pair in double if double[pair] == top)[0]


def pair_unweighted(words):
    return pair_by_loop({word: 1 for word in words})


def pair_sum(words):
    single, double = tally(words)
    order = sorted(double, key=lambda pair: (-double[pair], pair))
    return max(order, key=lambda p: double[p] / (single[p[0]] + single[p[1]]))


def pair_alphabet(words):
    single, double = tally(words)
    return max(sorted(double), key=lambda p: double[p] / (single[p[0]] * single[p[1]]))


def pair_joined(words):
    a, b = pair_by_loop(words)
    return a + b[2:]


def pair_lowest(words):
    single, double = tally(words)
    return min(sorted(double), key=lambda p: double[p] / (single[p[0]] * single[p[1]]))


ANSWERS = {
    "tokens-best-pair": {
        "right": [pair_by_sorting, pair_by_loop],
        "wrong": {
            "count alone": pair_most_frequent,
            "each word once": pair_unweighted,
            "sum": pair_sum,
            "ties": pair_alphabet,
            "joined": pair_joined,
            "general: the worst pair": pair_lowest,
        },
    },
}
