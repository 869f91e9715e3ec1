"""Feed-forward network, encoder layer and the whole encoder."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertbook import BertEncoder, EncoderLayer, FeedForward, gelu, named_parameters
from bertbook.layers import Identity, LayerNorm

SMALL = {
    "vocab_size": 50,
    "max_position": 12,
    "n_layers": 3,
    "d_model": 12,
    "n_heads": 3,
    "d_ff": 20,
}


@pytest.fixture(scope="module")
def small():
    """Return a small encoder whose weights are large enough to matter."""
    encoder = BertEncoder(**SMALL, dtype=np.float64)
    rng = np.random.default_rng(1)
    for parameter in named_parameters(encoder).values():
        parameter += 0.3 * rng.standard_normal(parameter.shape)
    return encoder


def test_feed_forward_is_two_linear_layers_round_a_gelu():
    layer = FeedForward(4, 6, dtype=np.float64)
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    inside = gelu(x @ layer.intermediate.weight + layer.intermediate.bias)
    np.testing.assert_allclose(
        layer(x), inside @ layer.output.weight + layer.output.bias
    )


def test_feed_forward_treats_each_position_by_itself():
    layer = FeedForward(4, 6, dtype=np.float64)
    x = np.random.default_rng(0).standard_normal((5, 4))
    np.testing.assert_allclose(layer(x)[::-1], layer(x[::-1]), rtol=1e-12)


def test_the_tanh_activation_is_used_when_asked_for():
    x = 3 * np.random.default_rng(0).standard_normal((5, 4))
    exact, approximate = (
        FeedForward(4, 6, activation=name, dtype=np.float64)
        for name in ("gelu", "gelu_tanh")
    )
    for layer in (exact, approximate):
        layer.intermediate.weight *= 50
    gap = np.abs(exact(x) - approximate(x)).max()
    assert 0 < gap < 1e-4


def test_post_norm_normalises_each_sum():
    layer = EncoderLayer(6, 2, 8, dtype=np.float64)
    x = np.random.default_rng(0).standard_normal((3, 6))
    attended, weights = layer.attention(x)
    middle = layer.attention_norm(x + attended)
    y, returned = layer(x)
    np.testing.assert_allclose(
        y, layer.feed_forward_norm(middle + layer.feed_forward(middle))
    )
    np.testing.assert_array_equal(weights, returned)


def test_pre_norm_leaves_the_residual_path_free():
    layer = EncoderLayer(6, 2, 8, norm="pre", dtype=np.float64)
    for linear in (layer.attention.output, layer.feed_forward.output):
        linear.weight[...] = 0
    x = np.random.default_rng(0).standard_normal((3, 6))
    np.testing.assert_array_equal(layer(x)[0], x)
    layer = EncoderLayer(6, 2, 8, norm="pre", dtype=np.float64)
    middle = x + layer.attention(layer.attention_norm(x))[0]
    expected = middle + layer.feed_forward(layer.feed_forward_norm(middle))
    np.testing.assert_allclose(layer(x)[0], expected)


@pytest.mark.parametrize("norm", ["last", None, ["pre"]])
def test_a_layer_of_another_norm_is_refused(norm):
    with pytest.raises(ValueError, match="norm is .*, expected 'post' or 'pre'"):
        EncoderLayer(6, 2, 8, norm=norm)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_dtype_of_a_layers_weights_decides(norm, dtype):
    layer = EncoderLayer(6, 2, 8, norm=norm, dtype=dtype)
    for x in (np.ones((4, 6)), np.ones((4, 6), np.float32), [[1.0] * 6]):
        assert {array.dtype for array in layer(x)} == {np.dtype(dtype)}


def test_only_pre_norm_has_a_final_norm_with_parameters():
    assert isinstance(BertEncoder(**SMALL).final_norm, Identity)
    pre = BertEncoder(**SMALL, norm="pre")
    assert isinstance(pre.final_norm, LayerNorm)
    pre.final_norm.bias += 7
    assert pre([1, 2])["last_hidden_state"].mean() == pytest.approx(7, abs=1e-4)
    names = set(named_parameters(pre)) - set(named_parameters(BertEncoder(**SMALL)))
    assert names == {"final_norm.gain", "final_norm.bias"}


def test_embeddings_are_summed_and_normalised(small):
    got = small.embed([7, 7, 3], [0, 1, 1])
    tables = small.token_embeddings, small.position_embeddings, small.segment_embeddings
    total = tables[0][[7, 7, 3]] + tables[1][[0, 1, 2]] + tables[2][[0, 1, 1]]
    np.testing.assert_allclose(got, small.embedding_norm(total), rtol=1e-12)


def test_segments_default_to_zero_and_are_always_added(small):
    np.testing.assert_array_equal(small.embed([7, 3]), small.embed([7, 3], [0, 0]))
    assert not np.allclose(small.embed([7, 3]), small.embed([7, 3], [1, 1]))


def test_embedding_does_not_change_the_tables(small):
    before = small.token_embeddings.copy()
    small.embed([1, 2, 3])
    np.testing.assert_array_equal(small.token_embeddings, before)


def test_the_parameters_of_bert_base_are_counted_right():
    # 30522*768 + 512*768 + 2*768 + 2*768, 12 * 7,087,872, 768*768 + 768
    encoder = BertEncoder(dtype=np.float32)
    assert sum(p.size for p in named_parameters(encoder).values()) == 109_482_240


def test_the_defaults_are_those_of_the_listing():
    parameters = inspect.signature(BertEncoder).parameters.values()
    positional = {
        p.name: p.default for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD
    }
    assert positional == {
        "vocab_size": 30522,
        "max_position": 512,
        "n_layers": 12,
        "d_model": 768,
        "n_heads": 12,
        "d_ff": 3072,
    }
    others = {p.name for p in parameters if p.kind == p.KEYWORD_ONLY}
    assert others == {
        "norm",
        "n_segments",
        "layer_norm_eps",
        "activation",
        "rng",
        "dtype",
    }


def test_the_small_example_of_the_listing_runs():
    encoder = BertEncoder(
        vocab_size=1000, max_position=128, n_layers=4, d_model=256, n_heads=8, d_ff=1024
    )
    output = encoder(np.array([2, 105, 234, 567, 89, 3]))
    assert {k: v.shape for k, v in output.items()} == {
        "last_hidden_state": (6, 256),
        "pooler_output": (256,),
    }


@pytest.mark.parametrize("rng", [None, np.random.default_rng(3)])
def test_no_two_weights_are_drawn_alike(rng):
    parameters = named_parameters(BertEncoder(**SMALL, rng=rng))
    weights = [p.ravel()[:20] for name, p in parameters.items() if p.std() > 0]
    assert len(weights) == 3 + 3 * 6 + 1
    assert len(set(map(id, parameters.values()))) == len(parameters)
    assert len({tuple(weight.tolist()) for weight in weights}) == len(weights)


def test_the_options_of_an_encoder_reach_each_layer():
    encoder = BertEncoder(
        **SMALL, norm="pre", layer_norm_eps=0.5, activation="gelu_tanh", n_segments=4
    )
    norms = [encoder.embedding_norm, encoder.final_norm]
    for layer in encoder.layers:
        norms += [layer.attention_norm, layer.feed_forward_norm]
        assert (layer.norm, layer.feed_forward.activation) == ("pre", "gelu_tanh")
    assert {norm.eps for norm in norms} == {0.5}
    assert encoder.segment_embeddings.shape == (4, 12)
    assert encoder([1, 2], segment_ids=[0, 3])["pooler_output"].shape == (12,)


def test_named_parameters_are_the_arrays_themselves(small):
    parameters = named_parameters(small)
    assert (
        parameters["layers.2.feed_forward.output.bias"]
        is small.layers[2].feed_forward.output.bias
    )
    assert list(parameters)[:5] == [
        "token_embeddings",
        "position_embeddings",
        "segment_embeddings",
        "embedding_norm.gain",
        "embedding_norm.bias",
    ]
    assert list(parameters)[-2:] == ["pooler_dense.weight", "pooler_dense.bias"]
    assert len(parameters) == 5 + 3 * 16 + 2
    assert "layers.0.attention.query.weight" in parameters


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_everything_asked_for_is_returned(norm):
    encoder = BertEncoder(**SMALL, norm=norm)
    ids = np.ones((2, 5), int)
    output = encoder(ids, output_attentions=True, output_hidden_states=True)
    assert list(output) == [
        "last_hidden_state",
        "pooler_output",
        "attentions",
        "hidden_states",
    ]
    assert [a.shape for a in output["attentions"]] == [(2, 3, 5, 5)] * 3
    assert [h.shape for h in output["hidden_states"]] == [(2, 5, 12)] * 4
    np.testing.assert_array_equal(output["hidden_states"][0], encoder.embed(ids))
    np.testing.assert_array_equal(
        output["hidden_states"][-1], output["last_hidden_state"]
    )
    bare = encoder(ids)
    assert list(bare) == ["last_hidden_state", "pooler_output"]
    np.testing.assert_array_equal(
        bare["last_hidden_state"], output["last_hidden_state"]
    )


def test_the_hidden_states_before_the_last_are_those_between_the_layers(small):
    states = small([3, 1, 4], output_hidden_states=True)["hidden_states"]
    for before, after, layer in zip(states, states[1:], small.layers, strict=False):
        np.testing.assert_allclose(layer(before)[0], after, rtol=1e-12)


def test_the_pooler_reads_the_first_position_and_has_a_bias(small):
    output = small([[3, 1, 4]])
    first = output["last_hidden_state"][:, 0]
    pooler = small.pooler_dense
    expected = np.tanh(first @ pooler.weight + pooler.bias)
    np.testing.assert_allclose(output["pooler_output"], expected, rtol=1e-12)
    assert pooler.bias.any()


def test_without_a_pooler_its_output_is_none(small):
    pooler, small.pooler_dense = small.pooler_dense, None
    try:
        assert small([1])["pooler_output"] is None
        assert "pooler_dense.weight" not in named_parameters(small)
    finally:
        small.pooler_dense = pooler


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 11))
@settings(max_examples=40, deadline=None)
def test_a_text_gives_the_same_vectors_alone_and_padded(small, seed, length, padding):
    rng = np.random.default_rng(seed)
    padding = min(padding, 12 - length)
    ids = rng.integers(0, 50, length + padding)
    mask = np.arange(length + padding) < length
    alone, padded = small(ids[:length]), small(ids, attention_mask=mask)
    np.testing.assert_allclose(
        padded["last_hidden_state"][:length], alone["last_hidden_state"], atol=1e-9
    )
    np.testing.assert_allclose(
        padded["pooler_output"], alone["pooler_output"], atol=1e-9
    )


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_a_text_gives_the_same_vectors_whatever_stands_beside_it(small, seed):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 50, (4, 9))
    segments = rng.integers(0, 2, (4, 9))
    mask = np.arange(9) < rng.integers(1, 10, (4, 1))
    order = rng.permutation(4)
    whole = small(ids, segment_ids=segments, attention_mask=mask)["last_hidden_state"]
    mixed = small(ids[order], segment_ids=segments[order], attention_mask=mask[order])
    np.testing.assert_allclose(mixed["last_hidden_state"], whole[order], atol=1e-9)
    one = small(ids[2], segment_ids=segments[2], attention_mask=mask[2])
    np.testing.assert_allclose(
        one["last_hidden_state"][mask[2]], whole[2][mask[2]], atol=1e-9
    )


def test_each_layer_is_given_the_mask(small):
    ids, mask = np.arange(6), np.array([1, 1, 1, 1, 0, 0])
    attentions = small(ids, attention_mask=mask, output_attentions=True)["attentions"]
    for weights in attentions:
        assert not weights[:, :, 4:].any()
        np.testing.assert_allclose(weights.sum(-1), 1)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float32, np.float64])
def test_the_kind_of_the_mask_does_not_matter(small, dtype):
    mask = np.array([[1, 1, 0], [1, 1, 1]])
    ids = np.array([[1, 2, 3], [4, 5, 6]])
    expected = small(ids, attention_mask=mask)["last_hidden_state"]
    got = small(ids, attention_mask=mask.astype(dtype))["last_hidden_state"]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64])
def test_the_kind_of_integer_does_not_matter(small, dtype):
    ids = np.array([1, 2, 3], dtype)
    np.testing.assert_array_equal(
        small(ids)["last_hidden_state"], small([1, 2, 3])["last_hidden_state"]
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_nothing_is_ever_float64_in_a_float32_model(norm):
    encoder = BertEncoder(**SMALL, norm=norm)
    mask = np.array([[1, 1, 0], [1, 1, 1]])
    output = encoder(
        np.ones((2, 3), np.int64),
        segment_ids=mask,
        attention_mask=mask.astype(np.float64),
        output_attentions=True,
        output_hidden_states=True,
    )
    arrays = [
        output["last_hidden_state"],
        output["pooler_output"],
        *output["attentions"],
        *output["hidden_states"],
    ]
    assert {a.dtype for a in arrays} == {np.dtype(np.float32)}
    assert {p.dtype for p in named_parameters(encoder).values()} == {
        np.dtype(np.float32)
    }


def test_an_empty_batch_gives_empty_arrays(small):
    output = small(np.zeros((0, 4), int), attention_mask=np.zeros((0, 4)))
    assert output["last_hidden_state"].shape == (0, 4, 12)
    assert output["pooler_output"].shape == (0, 12)


def test_the_longest_sequence_is_accepted_and_one_more_is_not(small):
    assert small(np.zeros(12, int))["last_hidden_state"].shape == (12, 12)
    with pytest.raises(
        ValueError, match=r"13 tokens per row, expected at most 12 \(max_pos"
    ):
        small(np.zeros(13, int))


@pytest.mark.parametrize(
    "ids, error, message",
    [
        ([[1, -1]], ValueError, "token_ids has the entry -1, expected 0 to 49"),
        ([1, 50], ValueError, "token_ids has the entry 50, expected 0 to 49"),
        ([1.0, 2.0], TypeError, "token_ids holds float64, expected integers"),
        ([True, False], TypeError, "token_ids holds bool, expected integers"),
        (["a"], TypeError, "token_ids holds <U1, expected integers"),
        ([], ValueError, r"shape \(0,\), expected at least one token"),
        (np.zeros((2, 0), int), ValueError, r"shape \(2, 0\), expected at least one"),
        (3, ValueError, r"shape \(\), expected \(seq,\) or \(batch, seq\)"),
        (np.zeros((1, 2, 3), int), ValueError, r"expected \(seq,\) or \(batch, seq\)"),
        ([[1, 2], [3]], ValueError, "rows of different lengths"),
        (np.ma.array([1, 2]), TypeError, "token_ids is a masked array, expected a pl"),
    ],
)
def test_token_ids_that_make_no_sense_are_refused(small, ids, error, message):
    with pytest.raises(error, match=message):
        small(ids)


@pytest.mark.parametrize(
    "segments, error, message",
    [
        ([0, 2], ValueError, "segment_ids has the entry 2, expected 0 to 1"),
        ([0, -1], ValueError, "segment_ids has the entry -1, expected 0 to 1"),
        ([0.0, 1.0], TypeError, "segment_ids holds float64, expected integers"),
        ([0], ValueError, r"segment_ids has shape \(1,\), expected \(2,\)"),
        ([[0, 1]], ValueError, r"segment_ids has shape \(1, 2\), expected \(2,\)"),
    ],
)
def test_segments_that_make_no_sense_are_refused(small, segments, error, message):
    with pytest.raises(error, match=message):
        small([1, 2], segment_ids=segments)


@pytest.mark.parametrize(
    "mask, error, message",
    [
        ([[1], [1]], ValueError, r"shape \(2, 1\), expected \(2, 3\)"),
        ([1, 1, 1], ValueError, r"shape \(3,\), expected \(2, 3\)"),
        (np.ones((2, 9)), ValueError, r"shape \(2, 9\), expected \(2, 3\)"),
        ([[1, 1, 2], [1, 1, 1]], ValueError, "values other than 0 and 1"),
        ([["a"] * 3] * 2, TypeError, "attention_mask holds <U1"),
        ([[1, 1, 1], [0, 0, 0]], ValueError, "hides every token of row 1"),
        ([[1, 1, 1], [1]], ValueError, "attention_mask is a list of rows of diff"),
        (np.ma.ones((2, 3)), TypeError, "attention_mask is a masked array, expected"),
    ],
)
def test_masks_that_make_no_sense_are_refused(small, mask, error, message):
    with pytest.raises(error, match=message):
        small(np.ones((2, 3), int), attention_mask=mask)


def test_a_single_text_of_all_padding_is_refused(small):
    with pytest.raises(ValueError, match="hides every token of the text"):
        small([1, 2], attention_mask=[0, 0])


def test_segments_and_mask_cannot_be_mixed_up(small):
    with pytest.raises(TypeError, match="positional"):
        small([1, 2], [1, 1])


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"d_model": 10}, ValueError, "d_model is 10 and n_heads 3"),
        ({"n_layers": 0}, ValueError, "n_layers is 0, expected at least 1"),
        ({"d_ff": 2.5}, TypeError, "d_ff is 2.5, expected an integer"),
        ({"norm": "last"}, ValueError, "norm is 'last', expected 'post' or 'pre'"),
        (
            {"activation": "relu"},
            ValueError,
            "activation is 'relu', expected 'gelu' or",
        ),
        ({"layer_norm_eps": 0.0}, ValueError, "eps is 0.0, expected a positive number"),
        ({"dtype": np.float16}, TypeError, "dtype is float16, expected float32 or"),
        ({"dtype": None}, TypeError, "dtype is None, expected float32 or float64"),
        ({"rng": 0}, TypeError, "rng is 0, expected a numpy.random.Generator"),
        ({"norm": []}, ValueError, r"norm is \[\], expected 'post' or 'pre'"),
        ({"activation": []}, ValueError, r"activation is \[\], expected 'gelu' or"),
    ],
)
def test_an_encoder_that_cannot_be_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        BertEncoder(**{**SMALL, **change})


def test_two_encoders_of_one_seed_are_equal_and_of_two_are_not():
    one, two = BertEncoder(**SMALL), BertEncoder(**SMALL)
    other = BertEncoder(**SMALL, rng=np.random.default_rng(5))
    ids = [1, 2, 3]
    np.testing.assert_array_equal(
        one(ids)["last_hidden_state"], two(ids)["last_hidden_state"]
    )
    assert not np.allclose(
        one(ids)["last_hidden_state"], other(ids)["last_hidden_state"]
    )
    first, second = (layer.attention.query.weight for layer in one.layers[:2])
    assert not np.allclose(first, second)


def test_an_encoder_shows_its_sizes():
    encoder = BertEncoder(100, 16, 2, 8, 2, 32, norm="pre", dtype=np.float64)
    assert repr(encoder) == "BertEncoder(<2 layers of 8, pre-norm, float64>)"
