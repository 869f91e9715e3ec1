"""Exercises of chapter 12, scores; `chapter_12_removal` has the other two."""

import numpy as np

from bertbook.activations import softmax
from bertbook.exercises import Exercise, Mistake, register
from bertbook.pooling import cosine_similarity

# --- Who looks at the next token? ---


def next_score(attention_weights, attention_mask):
    """Return, for each head, the mean weight of a word on the token after it."""
    total, n_words = 0, 0
    for weights, length in zip(
        attention_weights, attention_mask.sum(axis=1), strict=True
    ):
        words = np.arange(1, length - 1)
        total = total + weights[:, words, words + 1].sum(axis=-1)
        n_words += len(words)
    return total / n_words


def padding_counted(attention_weights, attention_mask):
    """Take all rows but the first and the last of the batch for words."""
    return next_score(attention_weights, np.ones_like(attention_mask))


def previous_score(attention_weights, attention_mask):
    """Look at the token before."""
    turned = attention_weights[:, :, ::-1, ::-1]
    return next_score(_aligned(turned, attention_mask), attention_mask)


def _aligned(turned, attention_mask):
    """Shift texts that were turned round, padding first, back to the left."""
    shifts = attention_mask.shape[1] - attention_mask.sum(axis=1)
    pairs = zip(turned, shifts, strict=True)
    return np.stack([np.roll(w, (-k, -k), axis=(1, 2)) for w, k in pairs])


def looked_at_score(attention_weights, attention_mask):
    """Mix up rows and columns: the weight that comes from the next token."""
    return next_score(attention_weights.swapaxes(-1, -2), attention_mask)


def special_counted(attention_weights, attention_mask):
    """Let [CLS] count as a word."""
    scores = 0
    for weights, length in zip(
        attention_weights, attention_mask.sum(axis=1), strict=True
    ):
        first = np.arange(length - 1)
        scores = scores + weights[:, first, first + 1].sum(axis=-1)
    return scores / (attention_mask.sum() - len(attention_mask))


def mean_of_means(attention_weights, attention_mask):
    """Give each text the same say, however few words it has."""
    rows = zip(attention_weights, attention_mask, strict=True)
    return np.mean([next_score(w[None], m[None]) for w, m in rows], axis=0)


def _weights_and_mask(seed, n_heads, *lengths):
    """Draw attention weights for texts of some lengths."""
    rng = np.random.default_rng(seed)
    seq = max(lengths)
    mask = (np.arange(seq) < np.array(lengths)[:, None]).astype(int)
    scores = 2 * rng.standard_normal((len(lengths), n_heads, seq, seq))
    scores = np.where(mask[:, None, None] == 1, scores, -np.inf)
    return softmax(scores), mask


register(
    Exercise(
        name="inside-next",
        question="How much do words look at the token after them?",
        solution=next_score,
        cases=[
            _weights_and_mask(0, 2, 5, 8),
            _weights_and_mask(1, 3, 9, 4, 6),
            _weights_and_mask(2, 12, 7, 3),
            _weights_and_mask(3, 1, 3, 10, 5),
        ],
        mistakes=[
            Mistake(
                "padding",
                "you count rows that are padding. A row of padding has weights like "
                "any other; the mask says which rows are words.",
                padding_counted,
            ),
            Mistake(
                "previous",
                "this is the weight on the token before. The next one has the higher "
                "number.",
                previous_score,
            ),
            Mistake(
                "rows and columns",
                "this is the weight that a word gets from the token after it. In our "
                "arrays, rows look and columns are looked at.",
                looked_at_score,
            ),
            Mistake(
                "special tokens",
                "[CLS] counts as a word with you. It has nothing to say about the "
                "order of words.",
                special_counted,
            ),
            Mistake(
                "mean of means",
                "with you a word in a short text weighs more than one in a long text: "
                "you take the mean of each text first.",
                mean_of_means,
            ),
        ],
        praise="words alone, each with the same say, and no padding.",
        check_dtype=False,
    )
)


# --- How far are the senses of a word apart? ---


def sense_gap(vectors, senses):
    """Return the mean cosine within senses minus that between senses."""
    cosines = cosine_similarity(vectors, vectors)
    same = senses[:, None] == senses
    others = ~np.eye(len(senses), dtype=bool)
    return cosines[same & others].mean() - cosines[~same].mean()


def diagonal_counted(vectors, senses):
    """Compare each use with itself, too."""
    cosines = cosine_similarity(vectors, vectors)
    same = senses[:, None] == senses
    return cosines[same].mean() - cosines[~same].mean()


def scalar_products(vectors, senses):
    """Take scalar products for cosines."""
    products = vectors @ vectors.T
    same = senses[:, None] == senses
    others = ~np.eye(len(senses), dtype=bool)
    return products[same & others].mean() - products[~same].mean()


def turned_round(vectors, senses):
    """Subtract the wrong way."""
    return -sense_gap(vectors, senses)


def all_as_between(vectors, senses):
    """Compare the senses with all pairs, not with those between senses."""
    cosines = cosine_similarity(vectors, vectors)
    same = senses[:, None] == senses
    others = ~np.eye(len(senses), dtype=bool)
    return cosines[same & others].mean() - cosines[others].mean()


def centres_compared(vectors, senses):
    """Compare the mean vectors of the senses instead of the uses."""
    kinds = np.unique(senses)
    centres = np.stack([vectors[senses == kind].mean(axis=0) for kind in kinds])
    cosines = cosine_similarity(centres, centres)
    return 1 - cosines[~np.eye(len(kinds), dtype=bool)].mean()


def _uses(seed, *senses):
    """Draw vectors around one centre for each sense."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(senses) + 1, 6))
    noise = rng.standard_normal((len(senses), 6))
    lengths = rng.uniform(0.5, 2, (len(senses), 1))
    return lengths * (centres[list(senses)] + noise), np.array(senses)


register(
    Exercise(
        name="inside-sense-gap",
        question="Measure how far the senses of a word are apart.",
        solution=sense_gap,
        cases=[
            _uses(0, 0, 0, 1, 1),
            _uses(1, 0, 1, 0, 1, 1),
            _uses(2, 2, 0, 1, 2, 1, 0, 0),
            _uses(3, 1, 1, 1, 0),
        ],
        mistakes=[
            Mistake(
                "diagonal",
                "each use is compared with itself, too. That cosine is always 1 and "
                "says nothing; it makes every gap too large.",
                diagonal_counted,
            ),
            Mistake(
                "scalar products",
                "these are scalar products: long vectors count more. A cosine has the "
                "lengths divided out.",
                scalar_products,
            ),
            Mistake(
                "sign",
                "the size is right and the sign is not: senses that are well apart "
                "should have a large positive gap.",
                turned_round,
            ),
            Mistake(
                "all pairs",
                "you subtract the mean over all pairs; the pairs within a sense are "
                "in it again. Subtract that over pairs of different senses.",
                all_as_between,
            ),
            Mistake(
                "centres",
                "you compare mean vectors of the senses. Then nothing says how much "
                "the uses of one sense differ among themselves.",
                centres_compared,
            ),
        ],
        praise="any number of uses, any number of senses, and no use with itself.",
        check_dtype=False,
    )
)
