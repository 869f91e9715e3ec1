"""Exercise of chapter 8: a pre-norm layer, repaired."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register
from bertbook.layers import LayerNorm


def pre_norm_layer(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Add each sublayer of the normalised stream to the stream."""
    x = x + attention(attention_norm(x))
    return x + feed_forward(feed_forward_norm(x))


def from_the_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Let the residual path start behind the norm."""
    x = attention_norm(x)
    x = feed_forward_norm(x + attention(x))
    return x + feed_forward(x)


def post_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Normalise the sums."""
    x = attention_norm(x + attention(x))
    return feed_forward_norm(x + feed_forward(x))


def on_the_branch(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Normalise what a sublayer gives, not what it takes."""
    x = x + attention_norm(attention(x))
    return x + feed_forward_norm(feed_forward(x))


def no_second_residual(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Forget the second residual."""
    x = x + attention(attention_norm(x))
    return feed_forward(feed_forward_norm(x))


def from_the_start(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Add the network to the input of the layer."""
    middle = x + attention(attention_norm(x))
    return x + feed_forward(feed_forward_norm(middle))


def in_parallel(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Let both sublayers read the input of the layer."""
    return x + attention(attention_norm(x)) + feed_forward(feed_forward_norm(x))


def one_norm(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Use the first norm twice."""
    return pre_norm_layer(x, attention, feed_forward, attention_norm, attention_norm)


def network_first(x, attention, feed_forward, attention_norm, feed_forward_norm):
    """Run the two steps in the other order."""
    return pre_norm_layer(x, feed_forward, attention, feed_forward_norm, attention_norm)


def _use_parts(answer, x, seed):
    """Return what an answer makes of `x` with sublayers drawn from a seed."""
    rng = np.random.default_rng(seed)
    width = x.shape[-1]
    mixing, inner = (rng.standard_normal((width, width), np.float32) for _ in "ab")
    norms = [LayerNorm(width) for _ in range(2)]
    for norm in norms:
        norm.gain[:] = rng.uniform(0.5, 2, width)
        norm.bias[:] = rng.standard_normal(width)

    def attention(v):
        return np.broadcast_to(v.mean(axis=-2, keepdims=True) @ mixing, v.shape)

    def feed_forward(v):
        return np.tanh(v @ inner)

    return answer(x, attention, feed_forward, *norms)


def _draw(*shape):
    rng = np.random.default_rng(sum(shape))
    return 3 * rng.standard_normal(shape, np.float32)


register(
    Exercise(
        name="layer-pre-norm",
        question="Repair a pre-norm layer.",
        solution=pre_norm_layer,
        use=_use_parts,
        rtol=1e-4,
        atol=1e-5,
        cases=[(_draw(5, 4), 0), (_draw(1, 6), 1), (_draw(2, 3, 4), 2)],
        mistakes=[
            Mistake(
                "residual after the norm",
                "your residual path starts behind the norm, so nothing of the stream "
                "gets past it. What is added has to be the stream itself.",
                from_the_norm,
            ),
            Mistake("post-norm", "this is post-norm, as in BERT.", post_norm),
            Mistake(
                "norm on the branch",
                "the norm stands behind the sublayer. In pre-norm the sublayer reads "
                "a normalised stream, and its result is added as it is.",
                on_the_branch,
            ),
            Mistake(
                "second residual",
                "the feed-forward network has a residual path of its own, which is "
                "missing.",
                no_second_residual,
            ),
            Mistake(
                "from the start",
                "what attention has added is lost: the second sum begins with the "
                "stream after attention.",
                from_the_start,
            ),
            Mistake(
                "parallel",
                "both sublayers read the input of the layer. That is a known variant, "
                "but here the network reads what attention has added.",
                in_parallel,
            ),
            Mistake(
                "one norm",
                "each sublayer has a norm with a gain and a bias of its own.",
                one_norm,
            ),
            Mistake(
                "network first",
                "both steps are right and in the wrong order: attention comes first, "
                "and the network works on what it has gathered.",
                network_first,
            ),
        ],
        praise="the stream passes through untouched, and each sublayer adds to it.",
    )
)
