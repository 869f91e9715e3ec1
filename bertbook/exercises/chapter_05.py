"""Exercises of chapter 5, masks; `chapter_05_more` has two more."""

import math

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- How much leaks through a raw mask ---


def leak(n_real, n_pads, score):
    """Return the share of padding if a raw mask is added, and if it is multiplied."""
    added = n_pads / (n_pads + n_real * math.e)
    multiplied = n_pads / (n_pads + n_real * math.exp(score))
    return added, multiplied


def _added_is(wrong):
    """Return a recogniser of one wrong share of the added mask."""
    return lambda inputs, got, expected: (
        len(got) == 2 and math.isclose(got[0], wrong(*inputs), rel_tol=1e-5)
    )


def _multiplied_is(wrong):
    """Return a recogniser of a wrong second share beside the right first one."""
    return lambda inputs, got, expected: (
        len(got) == 2
        and math.isclose(got[0], expected[0], rel_tol=1e-5)
        and math.isclose(got[1], wrong(*inputs), rel_tol=1e-5)
    )


register(
    Exercise(
        name="mask-leak",
        question="How much weight leaks to the padding through a raw mask?",
        solution=leak,
        cases=[(4, 3, 1.5), (2, 3, 0.0), (1, 1, -2.0), (5, 40, 0.5), (3, 0, 1.0)],
        mistakes=[
            Mistake(
                "padding lost its score",
                "added: the padding gets + 0, so it keeps its score. Write out both "
                "exponentials and see what they have in common.",
                recognise=_added_is(lambda n, p, s: p / (p + n * math.exp(1 + s))),
            ),
            Mistake(
                "no bonus",
                "added: that is the share without any mask. The real tokens get + 1.",
                recognise=_added_is(lambda n, p, s: p / (p + n)),
            ),
            Mistake(
                "bonus to the padding",
                "added: you give the bonus to the padding. The mask has its ones at "
                "the real tokens.",
                recognise=_added_is(lambda n, p, s: p * math.e / (p * math.e + n)),
            ),
            Mistake(
                "share of the real tokens",
                "added: that is the share of the real tokens. Asked for is the rest.",
                recognise=_added_is(lambda n, p, s: n * math.e / (p + n * math.e)),
            ),
            Mistake(
                "zero hides",
                "added is right. Multiplied: the scores of the padding become 0, and "
                "what is the exponential of 0?",
                recognise=_multiplied_is(lambda n, p, s: 0.0),
            ),
            Mistake(
                "padding keeps its score",
                "added is right. Multiplied: only the real tokens keep their score, "
                "so it no longer cancels.",
                recognise=_multiplied_is(lambda n, p, s: p / (p + n)),
            ),
        ],
        praise="added, the score cancels; multiplied, it decides everything.",
    )
)


# --- The largest value of the real tokens ---


def masked_max(hidden_states, attention_mask):
    """Return the maximum over real tokens; zeros where there are none."""
    keep = attention_mask[..., np.newaxis] == 1
    lowest = hidden_states.dtype.type(-np.inf)
    highest = np.where(keep, hidden_states, lowest).max(axis=-2)
    return np.where(keep.any(axis=-2), highest, hidden_states.dtype.type(0))


def max_times_mask(hidden_states, attention_mask):
    """Set padding to zero, which is larger than what is negative."""
    keep = attention_mask[..., np.newaxis].astype(hidden_states.dtype)
    return (hidden_states * keep).max(axis=-2)


def max_of_all(hidden_states, attention_mask):
    """Forget the mask."""
    return hidden_states.max(axis=-2)


def max_plus_mask(hidden_states, attention_mask):
    """Add the raw mask."""
    keep = attention_mask[..., np.newaxis].astype(hidden_states.dtype)
    return (hidden_states + keep).max(axis=-2)


def max_inverted(hidden_states, attention_mask):
    """Keep the padding and hide the tokens."""
    return masked_max(hidden_states, 1 - attention_mask)


def _only_empty_rows(inputs, got, expected):
    """Return whether nothing is wrong but the rows without a token."""
    hidden_states, attention_mask = inputs
    full = attention_mask.any(axis=-1)
    return np.allclose(got[full], expected[full]) and not np.allclose(got, expected)


def _over_features(inputs, got, expected):
    """Return whether there is one number for each token."""
    return np.shape(got) == inputs[0].shape[:-1] != expected.shape


def _padded(seed, mask):
    """Draw hidden states, mostly negative, with large ones under the mask."""
    mask = np.array(mask)
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((*mask.shape, 5), dtype=np.float32) - np.float32(1.5)
    return np.where(mask[..., np.newaxis] == 1, x, np.abs(x) + 4), mask


register(
    Exercise(
        name="mask-max-pool",
        question="Take the maximum of each feature over the real tokens.",
        solution=masked_max,
        cases=[
            _padded(0, [[1, 1, 1, 0], [1, 1, 1, 1]]),
            _padded(1, [[1, 0, 0, 0, 0, 0]]),
            _padded(2, [[1, 0, 1], [0, 1, 1]]),
            (np.float32(1e6) * _padded(3, [[1, 1, 0]])[0], np.array([[1, 1, 0]])),
            _padded(4, [[0, 0, 0], [1, 1, 0]]),
        ],
        mistakes=[
            Mistake(
                "zero wins",
                "you multiply by the mask, and padding becomes 0. Among negative "
                "numbers 0 is the largest. Which number can never win a maximum?",
                max_times_mask,
            ),
            Mistake(
                "no mask",
                "the padding takes part: your mask changes nothing.",
                max_of_all,
            ),
            Mistake(
                "raw mask added",
                "the raw mask is added: real tokens become larger by 1, and padding "
                "stays where it is.",
                max_plus_mask,
            ),
            Mistake(
                "inverted",
                "your mask is inverted: 1 stands for a real token.",
                max_inverted,
            ),
            Mistake(
                "features",
                "you take the maximum over the features of each token. Asked for is "
                "the maximum over tokens, for each feature.",
                recognise=_over_features,
            ),
            Mistake(
                "empty row",
                "right for every text, but a row that is all padding must give zeros, "
                "not the number that you hide with.",
                recognise=_only_empty_rows,
            ),
        ],
        praise="the trick of the scores works for any maximum.",
    )
)
