"""Exercise of chapter 8: a layer that changes nothing, yet."""

import numpy as np

from bertbook.encoder_layer import EncoderLayer
from bertbook.exercises import Exercise, Mistake, register


def make_identity(layer):
    """Silence the last matrix and bias of both sublayers."""
    for linear in (layer.attention.output, layer.feed_forward.output):
        linear.weight[:] = 0
        linear.bias[:] = 0


def weights_only(layer):
    """Leave the biases."""
    for linear in (layer.attention.output, layer.feed_forward.output):
        linear.weight[:] = 0


def attention_only(layer):
    """Leave the network as it is."""
    layer.attention.output.weight[:] = 0
    layer.attention.output.bias[:] = 0


def network_only(layer):
    """Leave attention as it is."""
    layer.feed_forward.output.weight[:] = 0
    layer.feed_forward.output.bias[:] = 0


def first_matrices(layer):
    """Silence the matrices at the entry of the sublayers."""
    for linear in (layer.attention.value, layer.feed_forward.intermediate):
        linear.weight[:] = 0
        linear.bias[:] = 0


def gains(layer):
    """Silence the norms."""
    for norm in (layer.attention_norm, layer.feed_forward_norm):
        norm.gain[:] = 0
        norm.bias[:] = 0


def _use_layer(answer, seed, shape):
    """Return what the layer makes of an input, and whether the rest is as it was."""
    rng = np.random.default_rng(seed)
    layer = EncoderLayer(shape[-1], 2, 12, norm="pre", rng=rng)
    before = []
    for array in _arrays(layer):
        array += rng.standard_normal(array.shape, np.float32)
        before.append(array.copy())
    answer(layer)
    kept = [np.array_equal(a, b) for a, b in zip(_arrays(layer), before, strict=True)]
    x = rng.standard_normal(shape, np.float32)
    return layer(x)[0] - x, kept


def _clears_too_much(inputs, got, expected):
    """Return whether nothing is added, and an array changed that could stay."""
    added, kept = got
    cleared = [
        may_stay and not k for k, may_stay in zip(kept, expected[1], strict=True)
    ]
    return not added.any() and any(cleared)


def _arrays(layer):
    """Return the parameters that the answer may leave as they are."""
    attention, network = layer.attention, layer.feed_forward
    linears = [attention.query, attention.key, attention.value, network.intermediate]
    linears += [attention.output, network.output]
    parts = [*linears, layer.attention_norm, layer.feed_forward_norm]
    return [array for part in parts for array in vars(part).values() if _is(array)]


def _is(array):
    return isinstance(array, np.ndarray)


register(
    Exercise(
        name="layer-identity",
        question="Make a pre-norm layer that changes nothing and can still learn.",
        solution=make_identity,
        use=_use_layer,
        rtol=1e-4,
        atol=1e-5,
        cases=[(0, (5, 8)), (1, (1, 4)), (2, (2, 3, 6))],
        mistakes=[
            Mistake(
                "biases",
                "the matrices are silent, but a bias is added at every position.",
                weights_only,
            ),
            Mistake(
                "attention only",
                "attention is silent. The feed-forward network still adds something.",
                attention_only,
            ),
            Mistake(
                "network only",
                "the network is silent. Attention still adds something.",
                network_only,
            ),
            Mistake(
                "everything",
                "the layer changes nothing, but you cleared more than the exits of "
                "the sublayers. If both matrices in a row are zero, neither of them "
                "can ever learn.",
                recognise=_clears_too_much,
            ),
            Mistake(
                "entry",
                "a sublayer whose entry is zero still adds the bias of its last "
                "matrix. Silence it at the exit.",
                first_matrices,
            ),
            Mistake(
                "norms",
                "a sublayer that reads zeros still adds its biases. Silence it at the "
                "exit.",
                gains,
            ),
        ],
        praise="only the exits are silent. A layer like this may be put anywhere.",
    )
)
