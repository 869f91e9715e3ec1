"""Exercises of chapter 12 on removing heads and on other weights."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- Remove what a head knows, not what it always says ---


def silence(context, attention_mask, head):
    """Return the contexts with those of one head replaced by their mean."""
    silenced = context.copy()
    real = attention_mask == 1
    silenced[:, head] = context[:, head][real].mean(axis=0)
    return silenced


def with_zeros(context, attention_mask, head):
    """Put zeros in the place of the head."""
    silenced = context.copy()
    silenced[:, head] = 0
    return silenced


def with_padding(context, attention_mask, head):
    """Let padding take part in the mean."""
    return silence(context, np.ones_like(attention_mask), head)


def text_by_text(context, attention_mask, head):
    """Take the mean of each text by itself."""
    texts = zip(context, attention_mask, strict=True)
    return np.concatenate([silence(c[None], m[None], head) for c, m in texts])


def one_number(context, attention_mask, head):
    """Take one mean over all features."""
    silenced = context.copy()
    silenced[:, head] = context[:, head][attention_mask == 1].mean()
    return silenced


def all_heads(context, attention_mask, head):
    """Replace every head by its mean."""
    silenced = context.copy()
    for k in range(context.shape[1]):
        silenced = silence(silenced, attention_mask, k)
    return silenced


def _contexts(seed, n_heads, head, *lengths):
    """Draw contexts that are not zero on average."""
    rng = np.random.default_rng(seed)
    mask = (np.arange(max(lengths)) < np.array(lengths)[:, None]).astype(int)
    shape = (len(lengths), n_heads, max(lengths), 4)
    return 1 + rng.standard_normal(shape, dtype=np.float32), mask, head


register(
    Exercise(
        name="inside-silence",
        question="Replace what a head says by what it says on average.",
        solution=silence,
        cases=[
            _contexts(0, 3, 1, 4, 6),
            _contexts(1, 2, 0, 5, 3, 2),
            _contexts(2, 4, 3, 7, 2),
        ],
        mistakes=[
            Mistake(
                "zeros",
                "these are zeros: with them the layer also loses what the head says "
                "in every text, which it may rely on as on a bias.",
                with_zeros,
            ),
            Mistake(
                "padding",
                "the contexts of padding are in your mean: only real tokens count.",
                with_padding,
            ),
            Mistake(
                "text by text",
                "you take a mean for each text. It still tells what the text is "
                "about; take one mean over the whole batch.",
                text_by_text,
            ),
            Mistake(
                "one number",
                "you take one mean over all features. Each feature has its own.",
                one_number,
            ),
            Mistake(
                "all heads",
                "you silence every head; only one was to go.",
                all_heads,
            ),
        ],
        praise="what the head knows of this text is gone, what it always says stays.",
    )
)


# --- Other weights, the same result ---


def other_weights(weights, value):
    """Return other attention weights that give the same context."""
    equations = np.column_stack([value, np.ones(len(weights))])
    left, _, _ = np.linalg.svd(equations)
    free = left[:, -1]  # adds up to nothing, in every feature and in the sum
    return weights + _longest_step(weights, free) * free


def _longest_step(weights, direction):
    """Return how far one can go before the first weight is negative."""
    falling = direction < 0
    return np.min(weights[falling] / -direction[falling])


def sum_forgotten(weights, value):
    """Keep the context alone, not the sum of the weights."""
    left, _, _ = np.linalg.svd(value)
    free = left[:, value.shape[1] :]
    free = free @ (free.T @ np.ones(len(weights)))
    return weights + 0.5 * _longest_step(weights, -free) * -free


def too_far(weights, value):
    """Go on where weights become negative."""
    return weights + 5 * (other_weights(weights, value) - weights)


def unchanged(weights, value):
    """Return the same weights."""
    return weights.copy()


def reordered(weights, value):
    """Give each weight to another token."""
    return np.roll(weights, 1)


def _what_is_true(other_weights, weights, value):
    """Say which of the four demands an answer meets."""
    original, known = weights.copy(), value.copy()  # an answer may work in place
    found = np.asarray(other_weights(weights, value), dtype=float)
    weights, value = original, known
    if found.shape != weights.shape:
        return f"weights of shape {found.shape}"
    demands = {
        "other weights": np.abs(found - weights).sum() > 0.01,
        "none negative": found.min() > -1e-9,
        "sum one": abs(found.sum() - 1) < 1e-6,
        "same context": np.abs((found - weights) @ value).max() < 1e-6,
    }
    return ", ".join(name if met else f"NOT {name}" for name, met in demands.items())


def _tokens(seed, seq, head_dim):
    """Draw weights and values; there are more tokens than the values can tell."""
    rng = np.random.default_rng(seed)
    powers = np.exp(rng.standard_normal(seq))
    return powers / powers.sum(), rng.standard_normal((seq, head_dim))


register(
    Exercise(
        name="inside-other-weights",
        question="Find other attention weights that give the same context.",
        solution=other_weights,
        cases=[_tokens(0, 6, 2), _tokens(1, 40, 32), _tokens(2, 4, 2)],
        use=_what_is_true,
        mistakes=[
            Mistake(
                "sum",
                "the context is the same, but your weights no longer sum to one. "
                "That is one more equation, as if each value had one more feature: 1.",
                sum_forgotten,
            ),
            Mistake(
                "too far",
                "context and sum are right, but some weights are negative: take a "
                "shorter step.",
                too_far,
            ),
            Mistake(
                "unchanged",
                "these are the weights that you were given, or nearly so: they should "
                "differ by more than 0.01 in sum. Others exist: there are more tokens "
                "than equations.",
                unchanged,
            ),
            Mistake(
                "context",
                "positive weights that sum to one, but the context is another. Which "
                "changes of the weights add up to nothing in every feature?",
                reordered,
            ),
        ],
        praise="another story about where the head looked, and not one number of "
        "its result has changed.",
    )
)
