"""Exercise of chapter 6: a test that catches heads made by a bare reshape."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bertbook.activations import softmax
from bertbook.attention import merge_heads, split_heads
from bertbook.exercises import Exercise, Mistake, register


@dataclass(frozen=True)
class Layer:
    """A function from (seq, d_model) to the same shape, with a name to show."""

    name: str
    function: Callable = field(repr=False)

    def __call__(self, x):
        """Return what the function makes of `x`."""
        return self.function(x)

    def __repr__(self):
        """Return the name."""
        return f"<{self.name}>"


def _attend(x, split=split_heads, merge=merge_heads):
    """Run an attention with two heads whose queries, keys and values are `x`."""
    heads = split(x, 2)
    scores = heads @ heads.swapaxes(-1, -2) / 4
    return np.round(merge(softmax(scores) @ heads), 3)  # no trace of rounding


def _bare_split(x, n_heads):
    return x.reshape(n_heads, len(x), -1)


def _bare_merge(x):
    return x.reshape(x.shape[1], -1)


def _smooth(x):
    """Add the neighbours on both sides."""
    padded = np.pad(x, ((1, 1), (0, 0)))
    return padded[:-2] + x + padded[2:]


def _ring(x):
    """Add the neighbours on both sides, the first and the last being neighbours."""
    return np.roll(x, 1, axis=0) + x + np.roll(x, -1, axis=0)


LAYERS = [
    Layer("two heads", _attend),
    Layer("heads by reshape", lambda x: _attend(x, split=_bare_split)),
    Layer("merged by reshape", lambda x: _attend(x, merge=_bare_merge)),
    Layer("sorted columns", lambda x: np.sort(x, axis=0)),
    Layer("sum with the neighbours", _smooth),
    Layer("sum with the neighbours in a ring", _ring),
    Layer("last token raised", lambda x: x + np.eye(len(x))[-1:].T),
    Layer("slow rise along the text", lambda x: x + 0.01 * np.arange(len(x))[:, None]),
    Layer("rounding errors", lambda x: _attend(x) + 1e-8 * np.arange(len(x))[:, None]),
    Layer("mean of all tokens", lambda x: np.zeros_like(x) + x.mean(axis=0)),
]


def _permutations(x, count=20):
    """Yield permutations of the tokens."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield rng.permutation(len(x))


def keeps_the_law(layer, x):
    """Return whether permuted tokens give permuted results."""
    y = layer(x)
    return all(np.allclose(layer(x[p]), y[p]) for p in _permutations(x))


def same_result(layer, x):
    """Expect the very same result."""
    return all(np.allclose(layer(x[p]), layer(x)) for p in _permutations(x))


def only_reversed(layer, x):
    """Try a single permutation, a symmetric one."""
    return bool(np.allclose(layer(x[::-1]), layer(x)[::-1]))


def only_rotated(layer, x):
    """Try a single permutation, a rotation."""
    return bool(np.allclose(layer(np.roll(x, 1, 0)), np.roll(layer(x), 1, 0)))


def only_one_swap(layer, x):
    """Swap the first two tokens."""
    p = np.arange(len(x))
    p[:2] = 1, 0
    return bool(np.allclose(layer(x[p]), layer(x)[p]))


def to_the_last_bit(layer, x):
    """Allow for no rounding."""
    return all(np.array_equal(layer(x[p]), layer(x)[p]) for p in _permutations(x))


def with_a_wide_tolerance(layer, x):
    """Call results equal that differ in the first decimal."""
    y = layer(x)
    return all(np.abs(layer(x[p]) - y[p]).max() < 0.1 for p in _permutations(x))


def permute_features(layer, x):
    """Permute the other axis."""
    y = layer(x)
    return all(np.allclose(layer(x[:, p]), y[:, p]) for p in _permutations(x.T))


def not_put_back(layer, x):
    """Permute a second time in the same direction."""
    return all(np.allclose(layer(x[p])[p], layer(x)) for p in _permutations(x))


TOKENS = np.random.default_rng(6).integers(-9, 10, (6, 8)).astype(float)

register(
    Exercise(
        name="heads-law",
        question="Test whether a layer treats all positions alike.",
        solution=keeps_the_law,
        cases=[(layer, TOKENS) for layer in LAYERS],
        mistakes=[
            Mistake(
                "same result",
                "the results need not be equal: if tokens change places, their "
                "results have to change places with them.",
                same_result,
            ),
            Mistake(
                "only reversed",
                "one permutation is not enough, and the reversed order is a special "
                "one: a layer that adds the neighbours on both sides passes.",
                only_reversed,
            ),
            Mistake(
                "only rotated",
                "one permutation is not enough. Rotated tokens keep their neighbours, "
                "so a layer that adds the neighbours in a ring passes.",
                only_rotated,
            ),
            Mistake(
                "only one swap",
                "a layer that does something special with the last token passes your "
                "test. Try permutations that move every token.",
                only_one_swap,
            ),
            Mistake(
                "last bit",
                "a right layer may differ in the last digit, since sums are added up "
                "in another order. Compare with a tolerance.",
                to_the_last_bit,
            ),
            Mistake(
                "wide tolerance",
                "a layer that adds a hundredth per place passes: rounding explains "
                "a millionth, not that. Choose a narrower tolerance.",
                with_a_wide_tolerance,
            ),
            Mistake(
                "features",
                "you permute the features. The tokens are the first axis.",
                permute_features,
            ),
            Mistake(
                "not put back",
                "right layers fail your test. The results of the permuted tokens stand "
                "against results that were permuted in the same order, once.",
                not_put_back,
            ),
        ],
        praise="no bare reshape gets past your test, and no right layer is refused.",
    )
)
