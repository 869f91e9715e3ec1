"""Linear, layer norm and embed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from reference import arrays as reference_arrays
from reference import case_names

from bertbook.layers import LayerNorm, Linear, embed, layer_norm, linear, standardize

OPS = "op_cases.npz"
rows = arrays(
    np.float64,
    array_shapes(min_dims=1, max_dims=3, max_side=7),
    elements=st.floats(-100, 100),
)


def norm(x, eps=1e-12):
    """Layer norm with gain one and bias zero."""
    width = x.shape[-1]
    return layer_norm(x, np.ones(width, x.dtype), np.zeros(width, x.dtype), eps=eps)


def test_linear_by_hand():
    weight = np.array([[1.0, 0, 2], [0, 3, -1]])
    y = linear(np.array([[2.0, 1], [0, -1]]), weight, np.array([10.0, 20, 30]))
    np.testing.assert_array_equal(y, [[12, 23, 33], [10, 17, 31]])


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3), (0, 3), (2, 0, 3)])
def test_linear_keeps_all_axes_but_the_last(shape):
    layer = Linear(3, 5)
    y = layer(np.ones(shape, np.float32))
    assert y.shape == (*shape[:-1], 5) and y.dtype == np.float32


def test_linear_refuses_vectors_of_another_width():
    with pytest.raises(
        ValueError, match=r"x has shape \(2, 4\), expected a last axis of 3"
    ):
        Linear(3, 5)(np.ones((2, 4), np.float32))


def test_layer_norm_by_hand():
    # mean 1/4, variance 3/16, so the outlier lies sqrt(3) standard deviations out
    x = np.array([1.0, 0, 0, 0])
    third = 1 / np.sqrt(3)
    np.testing.assert_allclose(norm(x), [np.sqrt(3), -third, -third, -third])


def test_layer_norm_applies_gain_then_bias():
    x = np.array([-1.0, 1.0])
    y = layer_norm(x, np.array([2.0, 3]), np.array([10.0, 20]), eps=1e-12)
    np.testing.assert_allclose(y, [8, 23])


@pytest.mark.parametrize("name", case_names(OPS, "layernorm"))
def test_layer_norm_equals_the_reference(name):
    case = {
        k.split("/")[1]: v
        for k, v in reference_arrays(OPS).items()
        if k.startswith(name + "/")
    }
    y = layer_norm(case["x"], case["gamma"], case["beta"], eps=float(case["eps"]))
    np.testing.assert_allclose(y, case["y"], rtol=1e-7, atol=1e-8)


def test_eps_stands_inside_the_root():
    # variance 1e-12 and eps 1e-12: inside gives 1/sqrt(2), outside almost 1
    x = np.array([1e-6, -1e-6])
    np.testing.assert_allclose(norm(x), np.array([1, -1]) / np.sqrt(2), rtol=1e-9)


@pytest.mark.parametrize("value", [0.1, 5.0, -3e8, 1e-30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_vector_gives_exactly_the_bias(value, dtype):
    bias = np.linspace(-1, 1, 384, dtype=dtype)
    y = layer_norm(np.full((2, 384), value, dtype), np.ones(384, dtype), bias)
    np.testing.assert_array_equal(y, np.broadcast_to(bias, (2, 384)))


def test_a_large_offset_does_not_swallow_the_variance_in_float32():
    small = np.random.default_rng(0).standard_normal(384).astype(np.float32)
    shifted = np.float32(4096) + small  # keeps about 11 bits of the small numbers
    kept = (shifted - np.float32(4096)).astype(np.float64)
    np.testing.assert_allclose(norm(shifted), norm(kept), atol=1e-5)


@given(rows)
def test_layer_norm_output_has_mean_zero_and_at_most_unit_variance(x):
    y = norm(x)
    np.testing.assert_allclose(y.mean(-1), 0, atol=1e-6)
    assert (y.var(-1) <= 1 + 1e-9).all()


@given(rows, st.floats(0.5, 20), st.floats(-100, 100))
def test_layer_norm_ignores_shift_and_scale(x, scale, shift):
    spread = x.std(-1, keepdims=True)
    x = np.where(spread > 1e-2, x, 0)  # below, eps and rounding show
    np.testing.assert_allclose(norm(x * scale + shift), norm(x), atol=1e-6)


def test_layer_norm_stays_float32_and_leaves_its_argument_alone():
    x = np.random.default_rng(0).standard_normal((2, 8)).astype(np.float32)
    before = x.copy()
    assert LayerNorm(8)(x).dtype == np.float32
    np.testing.assert_array_equal(x, before)


def test_layer_norm_refuses_half_precision():
    with pytest.raises(TypeError, match="x holds float16, expected float32 or float64"):
        LayerNorm(4)(np.ones(4, np.float16))


@pytest.mark.parametrize("eps", [0, -1e-5, float("nan")])
def test_layer_norm_refuses_an_eps_that_cannot_help(eps):
    with pytest.raises(ValueError, match="eps is .*, expected a positive number"):
        LayerNorm(4, eps=eps)


def test_embed_is_a_product_with_one_hot_rows():
    table = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    ids = np.array([[4, 0], [2, 2]])
    np.testing.assert_array_equal(
        embed(table, ids), np.eye(5, dtype=np.float32)[ids] @ table
    )


@pytest.mark.parametrize("bad, got", [([0, -1], -1), ([5, 1], 5), ([-6, 7], -6)])
def test_embed_refuses_ids_outside_the_table(bad, got):
    with pytest.raises(ValueError, match=rf"ids has the entry {got}, expected 0 to 4"):
        embed(np.zeros((5, 3), np.float32), bad)


@pytest.mark.parametrize("bad", [[0.0], [True], ["a"], [None]])
def test_embed_refuses_ids_that_are_no_integers(bad):
    with pytest.raises(TypeError, match="ids holds .*, expected integers"):
        embed(np.zeros((5, 3), np.float32), bad)


def test_weights_follow_the_generator_and_have_the_published_spread():
    one = Linear(300, 200, rng=np.random.default_rng(1))
    two = Linear(300, 200, rng=np.random.default_rng(1))
    other = Linear(300, 200, rng=np.random.default_rng(2))
    np.testing.assert_array_equal(one.weight, two.weight)
    assert not np.array_equal(one.weight, other.weight)
    assert one.weight.std() == pytest.approx(0.02, rel=0.02)
    assert not one.bias.any()


@pytest.mark.parametrize("dtype", [np.float16, np.int32, "complex64"])
def test_parameters_are_float32_or_float64(dtype):
    with pytest.raises(TypeError, match=r"dtype is \w+, expected float32 or float64"):
        Linear(2, 2, dtype=dtype)


@pytest.mark.parametrize("size", [0, -3])
def test_sizes_are_at_least_one(size):
    with pytest.raises(ValueError, match=f"d_in is {size}, expected at least 1"):
        Linear(size, 2)


@pytest.mark.parametrize("size", [2.0, "3", None, True])
def test_sizes_are_integers(size):
    with pytest.raises(TypeError, match="d_out is .*, expected an integer"):
        Linear(2, size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [np.ones(4), np.ones(4, np.float32), [1.0, 2, 3, 4]])
def test_the_dtype_of_the_parameters_decides(dtype, x):
    assert Linear(4, 3, dtype=dtype)(x).dtype == dtype
    assert LayerNorm(4, dtype=dtype)(x).dtype == dtype


@pytest.mark.parametrize("x", [[1, 2, 3, 4], np.ones(4, bool), None, ["a"] * 4])
def test_linear_refuses_what_is_no_float32_or_float64(x):
    with pytest.raises(TypeError, match=r"x holds \S+, expected float32 or float64"):
        Linear(4, 3)(x)
    with pytest.raises(TypeError, match=r"x holds \S+, expected float32 or float64"):
        linear(x, np.ones((4, 3)), np.ones(3))


def test_rows_of_different_lengths_are_refused_in_our_own_words():
    with pytest.raises(ValueError, match="x is a list of rows of different lengths"):
        LayerNorm(2)([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("shape", [(1,), (2,), (2, 3), ()])
def test_a_bias_that_only_broadcasts_is_refused(shape):
    with pytest.raises(ValueError, match=r"bias has shape .*, expected \(3,\)"):
        linear(np.ones((2, 4)), np.ones((4, 3)), np.ones(shape))


@pytest.mark.parametrize(
    "gain, bias, message",
    [
        (np.ones(4), np.zeros(1), r"bias has shape \(1,\), expected \(4,\)"),
        (np.ones((4, 4)), np.zeros(4), r"gain has shape \(4, 4\), expected \(4,\)"),
    ],
)
def test_layer_norm_parameters_that_only_broadcast_are_refused(gain, bias, message):
    with pytest.raises(ValueError, match=message):
        layer_norm(np.ones((4, 4)), gain, bias)


@pytest.mark.parametrize("eps", [0, -1.0, 1e-50, float("inf")])
def test_an_eps_that_is_nothing_in_the_dtype_is_refused_at_the_call_too(eps):
    ones = np.ones(4, np.float32)
    with pytest.raises(ValueError, match="expected a positive number that float32"):
        layer_norm(ones, ones, ones, eps=eps)
    with pytest.raises(ValueError, match="expected a positive number that float32"):
        LayerNorm(4, eps=eps)


@pytest.mark.parametrize("kind", [int, np.int64, np.float32, np.float64, float])
def test_eps_may_be_any_real_number_and_keeps_float32(kind):
    x, ones = np.array([[1, 2, 4]], np.float32), np.ones(3, np.float32)
    normed = layer_norm(x, ones, ones, eps=kind(1))
    assert normed.dtype == np.float32
    np.testing.assert_array_equal(normed, layer_norm(x, ones, ones, eps=1.0))
    assert type(LayerNorm(3, eps=kind(1)).eps) is float


def test_a_linear_without_a_generator_draws_from_seed_zero():
    weight = Linear(3, 4, rng=np.random.default_rng(0)).weight
    np.testing.assert_array_equal(Linear(3, 4).weight, weight)


@pytest.mark.parametrize("eps", [None, "1e-12", True, 1e-12j])
def test_an_eps_that_is_no_number_is_refused(eps):
    with pytest.raises(TypeError, match="eps is .*, expected a number"):
        LayerNorm(4, eps=eps)


@pytest.mark.parametrize("rng", [0, np.random, "seed"])
def test_random_numbers_come_from_a_generator(rng):
    with pytest.raises(TypeError, match="expected a numpy.random.Generator; pass"):
        Linear(2, 2, rng=rng)


def test_a_dtype_of_none_is_not_float64():
    with pytest.raises(TypeError, match="dtype is None, expected float32 or float64"):
        Linear(2, 2, dtype=None)


@pytest.mark.parametrize("shape", [(5,), (2, 3), ()])
def test_layer_norm_refuses_vectors_of_another_width(shape):
    with pytest.raises(ValueError, match=r"x has shape .*, expected a last axis of 4"):
        layer_norm(np.ones(shape), np.ones(4), np.zeros(4))


def test_both_parts_of_standardizing_stay_float32():
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert {part.dtype for part in standardize(x, 1e-12)} == {x.dtype}
    assert {part.shape for part in standardize(x, 1e-12)} == {(2, 4), (2, 1)}
