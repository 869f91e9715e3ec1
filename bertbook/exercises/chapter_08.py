"""Exercises of chapter 8: sizes and cosines; `_layers` and `_identity` have more."""

import math

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- How large the stream of a pre-norm stack becomes ---


def stream_size(n_layers, branch_size):
    """Return the root mean square after `n_layers`, from an input of size one."""
    return math.sqrt(1 + 2 * n_layers * branch_size**2)


def not_squared(n_layers, branch_size):
    """Add sizes in the place of squares, under the root."""
    return math.sqrt(1 + 2 * n_layers * branch_size)


def mean_square(n_layers, branch_size):
    """Forget the root."""
    return 1 + 2 * n_layers * branch_size**2


def sizes_added(n_layers, branch_size):
    """Add the sizes, as if all pointed in the same direction."""
    return 1 + 2 * n_layers * branch_size


def one_sublayer(n_layers, branch_size):
    """Count one sublayer in each layer."""
    return math.sqrt(1 + n_layers * branch_size**2)


def no_input(n_layers, branch_size):
    """Leave the input out."""
    return math.sqrt(2 * n_layers) * branch_size


def compounded(n_layers, branch_size):
    """Let each sum grow by the same factor."""
    return math.sqrt(1 + branch_size**2) ** (2 * n_layers)


register(
    Exercise(
        name="layer-stream-size",
        question="How large is the stream of a pre-norm stack after n layers?",
        solution=stream_size,
        cases=[(1, 0.5), (12, 0.75), (48, 0.8), (6, 1.0), (0, 0.7), (3, 2.0)],
        check_dtype=False,
        mistakes=[
            Mistake(
                "no root",
                "this is the mean of the squares. The size is its root.",
                mean_square,
            ),
            Mistake(
                "added sizes",
                "the sizes would add up if all contributions pointed in the same "
                "direction. At right angles it is the squares that add up.",
                sizes_added,
            ),
            Mistake(
                "size for square",
                "under the root stand squares: square the size of a contribution too.",
                not_squared,
            ),
            Mistake(
                "one sublayer",
                "how many sublayers does a layer have, each with a sum of its own?",
                one_sublayer,
            ),
            Mistake(
                "no input",
                "the input is on the stream as well, with size one. With no layer at "
                "all nothing else is there.",
                no_input,
            ),
            Mistake(
                "compounded",
                "each sum adds the same amount here, since every sublayer reads a "
                "normalised stream. Growth by a factor would need sublayers that get "
                "louder with the stream.",
                compounded,
            ),
        ],
        praise="a pre-norm stream grows like the root of the depth.",
    )
)


# --- How alike the tokens are, with padding ---


def mean_similarity(hidden_states, attention_mask):
    """Return the mean cosine between two different real tokens."""
    tokens = hidden_states[attention_mask.astype(bool)]
    unit = tokens / np.linalg.norm(tokens, axis=-1, keepdims=True)
    n = len(unit)
    return float(((unit @ unit.T).sum() - n) / (n * (n - 1)))


def with_padding(hidden_states, attention_mask):
    """Let the padding count."""
    return mean_similarity(hidden_states, np.ones_like(attention_mask))


def _cosines(hidden_states, attention_mask):
    tokens = hidden_states[attention_mask.astype(bool)]
    unit = tokens / np.linalg.norm(tokens, axis=-1, keepdims=True)
    return unit @ unit.T


def with_itself(hidden_states, attention_mask):
    """Compare each token with itself, too."""
    return float(_cosines(hidden_states, attention_mask).mean())


def divided_by_all(hidden_states, attention_mask):
    """Leave the diagonal out of the sum, and not out of the count."""
    cosines = _cosines(hidden_states, attention_mask)
    return float((cosines.sum() - len(cosines)) / cosines.size)


def not_normalised(hidden_states, attention_mask):
    """Take scalar products for cosines."""
    tokens = hidden_states[attention_mask.astype(bool)]
    products, n = tokens @ tokens.T, len(tokens)
    return float((products.sum() - np.trace(products)) / (n * (n - 1)))


def neighbours(hidden_states, attention_mask):
    """Compare neighbours alone."""
    return float(np.diagonal(_cosines(hidden_states, attention_mask), 1).mean())


def absolute(hidden_states, attention_mask):
    """Drop the signs."""
    cosines = np.abs(_cosines(hidden_states, attention_mask))
    n = len(cosines)
    return float((cosines.sum() - n) / (n * (n - 1)))


def _draw(seed, seq, d_model, n_real, common=0.0):
    """Return hidden states that share a direction, and a mask."""
    rng = np.random.default_rng(seed)
    states = rng.standard_normal((seq, d_model), np.float32)
    states += np.float32(common)
    mask = np.zeros(seq, np.int64)
    mask[:n_real] = 1
    return states, mask


register(
    Exercise(
        name="layer-similarity",
        question="How alike are the real tokens of a padded text?",
        solution=mean_similarity,
        cases=[
            _draw(0, 6, 4, 4),
            _draw(1, 7, 8, 5, common=1.0),
            _draw(2, 5, 3, 3),
            _draw(3, 9, 16, 7, common=-0.5),
        ],
        check_dtype=False,
        mistakes=[
            Mistake(
                "padding",
                "the padding counts in your mean. Take the rows that the mask keeps.",
                with_padding,
            ),
            Mistake(
                "itself",
                "each token is compared with itself, too, and that cosine is always "
                "one: leave the diagonal out.",
                with_itself,
            ),
            Mistake(
                "count",
                "the diagonal is out of the sum, but not out of the count.",
                divided_by_all,
            ),
            Mistake(
                "no unit vectors",
                "these are scalar products. A cosine needs vectors of length one.",
                not_normalised,
            ),
            Mistake(
                "neighbours",
                "only neighbouring tokens are compared. All pairs are asked for.",
                neighbours,
            ),
            Mistake(
                "absolute",
                "a cosine of minus one is the opposite of alike: keep the signs.",
                absolute,
            ),
        ],
        praise="all pairs of different real tokens, and nothing else.",
    )
)
