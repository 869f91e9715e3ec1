"""Scaled dot-product attention and its heads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertbook import MultiHeadAttention, scaled_dot_product_attention
from bertbook.attention import merge_heads, split_heads


def random_qkv(seed=0, shape=(2, 3, 5, 4), dtype=np.float64):
    """Return query, key and value of one shape."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for _ in range(3)]


def test_attention_by_hand():
    # scores 0 and log(3) * 2 / sqrt(4) = log(3): weights 1/4 and 3/4
    query = np.array([[np.log(3), 0, 0, 0]])
    key = np.array([[0.0, 9, 0, 0], [2, 0, 5, 0]])
    value = np.array([[4.0, 0], [8, 40]])
    context, weights = scaled_dot_product_attention(query, key, value)
    np.testing.assert_allclose(weights, [[0.25, 0.75]])
    np.testing.assert_allclose(context, [[7, 30]])


def test_equal_keys_give_the_plain_average():
    query, _, value = random_qkv()
    context, weights = scaled_dot_product_attention(query, np.ones_like(query), value)
    np.testing.assert_allclose(weights, 1 / 5)
    np.testing.assert_allclose(
        context, np.broadcast_to(value.mean(-2, keepdims=True), context.shape)
    )


def test_queries_may_be_fewer_than_keys():
    query, key, value = random_qkv()
    context, weights = scaled_dot_product_attention(
        query[:, :, :2], key, value[..., :1]
    )
    assert weights.shape == (2, 3, 2, 5) and context.shape == (2, 3, 2, 1)
    np.testing.assert_allclose(weights.sum(-1), 1)


@given(st.integers(0, 1000))
def test_permuting_keys_with_their_values_changes_nothing(seed):
    query, key, value = random_qkv(seed)
    order = np.random.default_rng(seed).permutation(5)
    one, _ = scaled_dot_product_attention(query, key, value)
    two, _ = scaled_dot_product_attention(query, key[:, :, order], value[:, :, order])
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


@given(st.integers(0, 1000), st.data())
def test_what_stands_under_the_mask_has_no_influence_at_all(seed, data):
    query, key, value = random_qkv(seed)
    keep = np.array(
        data.draw(
            st.lists(
                st.lists(st.booleans(), min_size=5, max_size=5), min_size=2, max_size=2
            )
        )
    )
    keep[:, seed % 5] = True
    one, weights = scaled_dot_product_attention(query, key, value, keep)
    for junk in (np.nan, np.inf, -1e30):
        hidden = ~keep[:, np.newaxis, :, np.newaxis]
        with np.errstate(invalid="ignore"):
            two, _ = scaled_dot_product_attention(
                query, np.where(hidden, junk, key), np.where(hidden, junk, value), keep
            )
        np.testing.assert_array_equal(one, two)
    assert not weights[~np.broadcast_to(keep[:, None, None, :], weights.shape)].any()
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_masking_equals_leaving_the_keys_out():
    query, key, value = random_qkv()
    keep = np.array([[1, 0, 1, 1, 0]] * 2)
    columns = np.flatnonzero(keep[0])
    one, _ = scaled_dot_product_attention(query, key, value, keep)
    two, _ = scaled_dot_product_attention(
        query, key[:, :, columns], value[:, :, columns]
    )
    np.testing.assert_allclose(one, two, rtol=1e-12)


def test_a_text_without_any_visible_key_gets_zeros_and_its_neighbour_is_untouched():
    query, key, value = random_qkv()
    keep = np.array([[0] * 5, [1] * 5])
    context, weights = scaled_dot_product_attention(query, key, value, keep)
    assert not context[0].any() and not weights[0].any()
    plain, _ = scaled_dot_product_attention(query, key, value)
    np.testing.assert_array_equal(context[1], plain[1])


@pytest.mark.parametrize(
    "shape, mask_shape", [((5, 4), (5,)), ((3, 5, 4), (5,)), ((2, 3, 5, 4), (2, 5))]
)
def test_the_mask_has_the_shape_of_the_keys_without_heads(shape, mask_shape):
    query, key, value = random_qkv(shape=shape)
    mask = np.ones(mask_shape, int)
    mask[..., -1] = 0
    _, weights = scaled_dot_product_attention(query, key, value, mask)
    assert not weights[..., -1].any() and weights[..., :-1].all()


@pytest.mark.parametrize("mask_shape", [(5,), (2, 1), (1, 5), (2, 5, 1), (2, 1, 1, 5)])
def test_a_mask_that_only_broadcasts_is_refused(mask_shape):
    with pytest.raises(
        ValueError, match=r"attention_mask has shape .*, expected \(2, 5\)"
    ):
        scaled_dot_product_attention(*random_qkv(), np.ones(mask_shape))


@pytest.mark.parametrize("value", [2, 0.5, -1, np.nan])
def test_a_mask_holds_nothing_but_zero_and_one(value):
    mask = np.ones((2, 5))
    mask[0, 0] = value
    with pytest.raises(ValueError, match="values other than 0 and 1"):
        scaled_dot_product_attention(*random_qkv(), mask)


def test_float32_stays_float32_and_arguments_stay_as_they_were():
    qkv = random_qkv(dtype=np.float32)
    copies = [array.copy() for array in qkv]
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int64)
    for mask_or_none in (None, mask, mask.astype(bool), mask.astype(np.float64)):
        context, weights = scaled_dot_product_attention(*qkv, mask_or_none)
        assert context.dtype == weights.dtype == np.float32
    for array, copy in zip(qkv, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    "shapes, message",
    [
        (((5, 4), (5, 3), (5, 3)), "with the same head_dim"),
        (((4,), (5, 4), (5, 4)), r"query has shape \(4,\)"),
        (((5, 4), (5, 4), (6, 4)), "expected one value for each key"),
        (((2, 5, 4), (2, 5, 4), (1, 5, 4)), "expected one value for each key"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(*(np.ones(shape) for shape in shapes))


def test_splitting_gives_each_head_its_own_columns():
    x = np.arange(24).reshape(2, 3, 4)  # (batch, seq, d_model)
    heads = split_heads(x, 2)
    np.testing.assert_array_equal(heads[:, 0], x[:, :, :2])
    np.testing.assert_array_equal(heads[:, 1], x[:, :, 2:])


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (0, 3, 4)])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_merging_undoes_splitting(shape, n_heads):
    x = np.random.default_rng(0).standard_normal(shape)
    np.testing.assert_array_equal(merge_heads(split_heads(x, n_heads)), x)


@pytest.mark.parametrize("d_model, n_heads", [(10, 3), (4, 8)])
def test_a_width_that_the_heads_cannot_share_is_refused(d_model, n_heads):
    with pytest.raises(ValueError, match=f"d_model is {d_model} and n_heads {n_heads}"):
        MultiHeadAttention(d_model, n_heads)


def test_multi_head_attention_is_its_heads_computed_one_by_one():
    rng = np.random.default_rng(0)
    layer = MultiHeadAttention(6, 3, rng=rng, dtype=np.float64)
    x = rng.standard_normal((2, 4, 6))
    projected = [p(x) for p in (layer.query, layer.key, layer.value)]
    found = [
        scaled_dot_product_attention(*(a[..., 2 * h : 2 * h + 2] for a in projected))[0]
        for h in range(3)
    ]
    hidden_states, weights = layer(x)
    np.testing.assert_allclose(
        hidden_states, layer.output(np.concatenate(found, -1)), rtol=1e-9
    )
    assert weights.shape == (2, 3, 4, 4)


def test_one_sequence_is_a_batch_of_one():
    layer = MultiHeadAttention(6, 3)
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    mask = np.array([1, 1, 1, 0])
    for one, many in zip(layer(x, mask), layer(x[None], mask[None]), strict=True):
        np.testing.assert_allclose(one, many[0], atol=1e-7)


def test_hidden_states_of_another_width_are_refused():
    with pytest.raises(ValueError, match="hidden_states has shape .* last axis of 6"):
        MultiHeadAttention(6, 3)(np.ones((4, 5), np.float32))


def test_infinity_under_the_mask_does_not_even_warn():
    query, key, value = random_qkv()
    keep = np.array([[1, 1, 1, 1, 0]] * 2)
    expected, _ = scaled_dot_product_attention(query, key, value, keep)
    key[:, :, 4] = value[:, :, 4] = np.inf
    query[0, 0, 0] = 0  # zero times infinity is invalid
    got, _ = scaled_dot_product_attention(query, key, value, keep)
    np.testing.assert_array_equal(got[1], expected[1])


def test_texts_of_other_batches_are_not_mixed():
    query, key, value = random_qkv()
    with pytest.raises(ValueError, match="expected the same batch and heads"):
        scaled_dot_product_attention(query, key[[0, 1, 0]], value[[0, 1, 0]])


def test_heads_without_a_feature_are_refused():
    empty = np.ones((5, 0))
    with pytest.raises(ValueError, match="expected a head_dim of at least 1"):
        scaled_dot_product_attention(empty, empty, empty)


def test_heads_are_split_and_merged_only_where_there_are_enough_axes():
    with pytest.raises(ValueError, match=r"x has shape \(4,\), expected \(\.\.\., seq"):
        split_heads(np.ones(4), 2)
    with pytest.raises(ValueError, match=r"x has shape \(3, 4\), expected \(.*n_heads"):
        merge_heads(np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"hidden_states has shape \(6,\), expected"):
        MultiHeadAttention(6, 3)(np.ones(6, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_of_the_weights_decides(dtype):
    layer = MultiHeadAttention(6, 3, dtype=dtype)
    for x in (np.ones((4, 6)), np.ones((4, 6), np.float32), [[1.0] * 6]):
        assert {array.dtype for array in layer(x)} == {np.dtype(dtype)}


@pytest.mark.parametrize("n_heads, error", [(3, ValueError), (2.0, TypeError)])
def test_splitting_refuses_heads_that_cannot_be(n_heads, error):
    with pytest.raises(error, match=rf"n_heads (is )?{n_heads}"):
        split_heads(np.ones((2, 4)), n_heads)
