"""Exercises of chapter 9, the complete encoder; `chapter_09_leak` has one more."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- Counting a model that shares its layers ---


def count_shared(vocab_size, max_position, n_layers, d_model, d_ff, d_embedding):
    """Count the parameters of an encoder with narrow tables and one shared layer."""
    tables = (vocab_size + max_position + 2) * d_embedding + 2 * d_embedding
    projection = d_embedding * d_model + d_model
    layer = _count_layer(d_model, d_ff)
    return tables + projection + layer + d_model * d_model + d_model


def _count_layer(d_model, d_ff):
    """Count the parameters of one encoder layer."""
    attention = 4 * (d_model * d_model + d_model)
    return attention + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model


def _off_by(amount):
    """Return a count that is too large by `amount` of the same sizes."""
    return lambda *sizes: count_shared(*sizes) + amount(*sizes)


register(
    Exercise(
        name="encoder-count-shared",
        question="Count the parameters of an encoder that shares one layer.",
        solution=count_shared,
        cases=[
            (30000, 512, 12, 768, 3072, 128),
            (100, 16, 3, 8, 20, 4),
            (7, 5, 1, 6, 10, 6),
            (1000, 128, 24, 256, 1024, 300),
        ],
        mistakes=[
            Mistake(
                "layers multiplied",
                "you count the layer once for each of the n_layers. They share one "
                "set of parameters: running it twelve times stores it once.",
                _off_by(lambda v, p, n, d, f, e: (n - 1) * _count_layer(d, f)),
            ),
            Mistake(
                "no projection",
                "the vectors of the tables are d_embedding wide, and the layer needs "
                "d_model: the linear layer between them is not counted.",
                _off_by(lambda v, p, n, d, f, e: -(e * d + d)),
            ),
            Mistake(
                "projection without bias",
                "the projection from d_embedding to d_model is a linear layer, and "
                "its bias is missing from your count.",
                _off_by(lambda v, p, n, d, f, e: -d),
            ),
            Mistake(
                "wide norm",
                "the embedding norm works on the sum of the three tables, before the "
                "projection: how wide are the vectors there?",
                _off_by(lambda v, p, n, d, f, e: 2 * (d - e)),
            ),
            Mistake(
                "wide positions",
                "only your token table is narrow. All three tables are added, so all "
                "three have d_embedding columns.",
                _off_by(lambda v, p, n, d, f, e: (p + 2) * (d - e)),
            ),
            Mistake(
                "no pooler",
                "the count is too small by one linear layer of d_model x d_model "
                "with its bias: the pooler.",
                _off_by(lambda v, p, n, d, f, e: -(d * d + d)),
            ),
        ],
        praise="the published ALBERT-base has 11,683,584 parameters, as you say.",
    )
)

# --- A pooler that finds the first real token ---


def pool_first_real(hidden_states, attention_mask, weight, bias):
    """Apply the pooler to the first position that the mask admits."""
    return np.tanh(_first_real(hidden_states, attention_mask) @ weight + bias)


def _pool_with(pick, finish=np.tanh, bias_counts=True):
    """Return a pooler that picks its vector, or ends, in another way."""

    def pool(hidden_states, attention_mask, weight, bias):
        picked = pick(hidden_states, attention_mask)
        return finish(picked @ weight + bias * np.float32(bias_counts))

    return pool


def _first_real(hidden_states, attention_mask):
    """Return the vector at the first 1 of each mask."""
    where = np.argmax(attention_mask, axis=-1)[..., np.newaxis, np.newaxis]
    return np.take_along_axis(hidden_states, where, axis=-2)[..., 0, :]


def _last_real(hidden_states, attention_mask):
    """Return the vector at the last 1 of each mask."""
    turned = hidden_states[..., ::-1, :], np.asarray(attention_mask)[..., ::-1]
    return _first_real(*turned)


def _mean_real(hidden_states, attention_mask):
    """Return the mean of the vectors where the mask is 1."""
    keep = np.asarray(attention_mask, hidden_states.dtype)[..., np.newaxis]
    return (hidden_states * keep).sum(axis=-2) / keep.sum(axis=-2)


def _pool_case(masks, seed, scale=1.0):
    """Return arguments for a pooler: random arrays, and the given masks."""
    rng = np.random.default_rng(seed)
    mask = np.array(masks)
    sizes = (*mask.shape, 4), (4, 4), (4,)
    states, weight, bias = (rng.standard_normal(s, dtype=np.float32) for s in sizes)
    return states * np.float32(scale), mask, weight, bias


register(
    Exercise(
        name="encoder-pool-left-padding",
        question="Write a pooler that reads the first real token of each text.",
        solution=pool_first_real,
        cases=[
            _pool_case([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], seed=0),
            _pool_case([[1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 0, 1]], seed=1),
            _pool_case([0, 1, 1], seed=2),
            _pool_case([1], seed=3),
            _pool_case([[0, 1, 1], [1, 1, 0], [1, 0, 1]], seed=4, scale=-3),
        ],
        mistakes=[
            Mistake(
                "position 0",
                "you read position 0 of each text, which is padding where the mask "
                "begins with 0. Where does the mask hold its first 1?",
                _pool_with(lambda states, mask: states[..., 0, :]),
            ),
            Mistake(
                "first text",
                "a single index takes the first text, not each text's first position.",
                _pool_with(lambda states, mask: states[0]),
            ),
            Mistake(
                "every pair",
                "each text is paired with the place of every other text, so there is "
                "one axis too many. Each row needs its own place alone.",
                _pool_with(lambda s, m: s[..., np.argmax(np.asarray(m), axis=-1), :]),
            ),
            Mistake(
                "last token",
                "this is the last real token, [SEP]. The pooler was trained on the "
                "first one, [CLS].",
                _pool_with(_last_real),
            ),
            Mistake(
                "mean",
                "this is the mean over the real tokens: another way to get one "
                "vector, but not the pooler's.",
                _pool_with(_mean_real),
            ),
            Mistake(
                "no bias",
                "the right position, but the bias is not added.",
                _pool_with(_first_real, bias_counts=False),
            ),
            Mistake(
                "no tanh",
                "the right sum, but it does not go through the tanh.",
                _pool_with(_first_real, finish=lambda x: x),
            ),
        ],
        praise="padding may now stand on either side.",
    )
)

# --- Folding a layer norm into the linear layer behind it ---


def fold_norm(gain, norm_bias, weight, bias):
    """Return the weight and bias that do the gain's and the norm bias's work too."""
    return gain[:, np.newaxis] * weight, norm_bias @ weight + bias


def _fold_case(d_in, d_out, seed, plain=False):
    """Return a gain, a norm's bias, a weight and a bias."""
    rng = np.random.default_rng(seed)
    shapes = (d_in,), (d_in,), (d_in, d_out), (d_out,)
    gain, shift, *rest = (rng.standard_normal(s, dtype=np.float32) for s in shapes)
    return (gain * 0 + 1, shift * 0, *rest) if plain else (gain * 2, shift, *rest)


register(
    Exercise(
        name="encoder-fold-norm",
        question="Fold the gain and bias of a layer norm into a linear layer.",
        solution=fold_norm,
        cases=[
            _fold_case(4, 4, seed=0),
            _fold_case(3, 5, seed=1),
            _fold_case(6, 2, seed=2),
            _fold_case(4, 4, seed=3, plain=True),
        ],
        mistakes=[
            Mistake(
                "gain on columns",
                "the gain multiplies the features that come in, and those are the "
                "rows of the weight. You scale its columns.",
                lambda g, n, w, b: (w * g, n @ w + b),
            ),
            Mistake(
                "bias not multiplied",
                "the norm's bias is added before the matrix product, so it has to go "
                "through the matrix before it meets the other bias.",
                lambda g, n, w, b: (g[:, np.newaxis] * w, n + b),
            ),
            Mistake(
                "gain on the bias",
                "the norm adds its bias after the gain. You send it through the "
                "folded weight, which applies the gain to it as well.",
                lambda g, n, w, b: (g[:, np.newaxis] * w, (g * n) @ w + b),
            ),
            Mistake(
                "norm bias lost",
                "the weight is right, but the norm's bias has disappeared.",
                lambda g, n, w, b: (g[:, np.newaxis] * w, b),
            ),
            Mistake(
                "linear bias lost",
                "the weight is right, but the linear layer's own bias is gone.",
                lambda g, n, w, b: (g[:, np.newaxis] * w, n @ w),
            ),
            Mistake(
                "gain divided out",
                "you divide by the gain. The norm multiplies by it, and the new "
                "weight has to do the same.",
                lambda g, n, w, b: (w / g[:, np.newaxis], n @ w + b),
            ),
        ],
        praise="two arrays fewer, and the same function.",
    )
)
