"""A call changes nothing but what it returns, whatever stands in the places of parts.

The encoder works in place where an array is its own. A part that was exchanged may
return its input or an array that it keeps: then the array is not the encoder's own.
"""

import numpy as np
import pytest

from bertbook import BertEncoder, EncoderLayer, FeedForward, gelu
from bertbook.encoder import named_parameters
from bertbook.layers import Identity, Linear

IDS = [[1, 2, 3, 4], [5, 6, 0, 0]]
MASK = [[1, 1, 1, 1], [1, 1, 0, 0]]
X = np.random.default_rng(3).standard_normal((2, 4, 16), dtype=np.float32)


class Listener:
    """A part that keeps what it took and gave, and lends its attributes."""

    def __init__(self, part):
        self.part, self.kept, self.copies = part, [], []

    def __call__(self, *arguments):
        result = self.part(*arguments)
        arrays = result if isinstance(result, tuple) else (result,)
        self.kept += [*arguments[:1], *arrays]
        self.copies += [np.array(array) for array in (*arguments[:1], *arrays)]
        return result

    def __getattr__(self, name):
        return getattr(self.part, name)


def small_encoder(norm="post"):
    return BertEncoder(20, 8, 2, 16, 2, 16, norm=norm)


def listen_everywhere(encoder):
    """Put a listener in the place of every part, and return them."""
    places = [(encoder, "embedding_norm"), (encoder, "final_norm")]
    for layer in encoder.layers:
        places += [(layer, name) for name in vars(layer) if name != "norm"]
        inside = [(layer.attention, n) for n in ("query", "key", "value", "output")]
        inside += [(layer.feed_forward, n) for n in ("intermediate", "output")]
        for owner, name in inside:
            setattr(owner, name, Listener(getattr(owner, name)))
            yield getattr(owner, name)
    for owner, name in places:
        listener = Listener(getattr(owner, name))
        setattr(owner, name, listener)
        yield listener


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_call_changes_neither_its_inputs_nor_a_parameter(norm):
    encoder = small_encoder(norm)
    ids, mask = np.array(IDS), np.array(MASK)
    before = {name: array.copy() for name, array in named_parameters(encoder).items()}
    first = encoder(ids, attention_mask=mask, output_hidden_states=True)
    first = {name: np.array(first[name]) for name in ("pooler_output", "hidden_states")}
    again = encoder(ids, attention_mask=mask, output_hidden_states=True)
    for name, array in first.items():
        np.testing.assert_array_equal(again[name], array)
    for name, array in named_parameters(encoder).items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    np.testing.assert_array_equal(ids, IDS)
    np.testing.assert_array_equal(mask, MASK)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_what_the_parts_took_and_gave_stays_as_it_was(norm):
    encoder = small_encoder(norm)
    expected = encoder(IDS, attention_mask=MASK)["last_hidden_state"]
    listeners = list(listen_everywhere(encoder))
    output = encoder(IDS, attention_mask=MASK, output_hidden_states=True)
    np.testing.assert_array_equal(output["last_hidden_state"], expected)
    for listener in listeners:
        assert listener.kept
        for kept, copy in zip(listener.kept, listener.copies, strict=True):
            np.testing.assert_array_equal(kept, copy)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("part", ["attention", "feed_forward"])
def test_a_sublayer_that_returns_its_input_leaves_it_alone(norm, part):
    encoder = small_encoder(norm)
    through = {"attention": lambda x, mask: (x, None), "feed_forward": Identity()}
    setattr(encoder.layers[1], part, through[part])
    before = encoder.layers[0](encoder.embed(IDS), None)[0]
    states = encoder(IDS, output_hidden_states=True)["hidden_states"]
    np.testing.assert_array_equal(states[1], before)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
def test_an_intermediate_that_returns_its_input_leaves_it_alone(activation):
    network, x = FeedForward(16, 16, activation=activation), X.copy()
    network.intermediate = Identity()
    network(x)
    np.testing.assert_array_equal(x, X)


def test_hidden_states_survive_an_intermediate_that_returns_its_input():
    layer = EncoderLayer(16, 2, 16, norm="post")
    layer.feed_forward.intermediate = Identity()
    attended = layer.attention_norm(X + layer.attention(X)[0])
    moved = layer.feed_forward.output(gelu(attended))
    expected = layer.feed_forward_norm(attended + moved)
    np.testing.assert_allclose(layer(X)[0], expected, atol=1e-6)


class KeptLinear(Linear):
    """A Linear that always returns the same array, as a cache does."""

    def __call__(self, x):
        return X


@pytest.mark.parametrize(
    "intermediate",
    [lambda x: X, KeptLinear(16, 16), lambda x: np.asfortranarray(X)],
    ids=["stored", "stored by a Linear", "not contiguous"],
)
def test_an_array_that_an_intermediate_keeps_gets_the_activation_in_a_copy(
    intermediate,
):
    network, before = FeedForward(16, 16), X.copy()
    network.intermediate = intermediate
    for _ in range(2):
        np.testing.assert_array_equal(network(X), network.output(gelu(before)))
    np.testing.assert_array_equal(X, before)


def test_an_intermediate_that_returns_no_floats_is_refused_in_one_sentence():
    network = FeedForward(16, 16)
    network.intermediate = np.signbit
    with pytest.raises(TypeError, match="inner holds bool, expected float32"):
        network(X)
