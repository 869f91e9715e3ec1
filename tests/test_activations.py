"""Softmax, GELU, erf and tanh."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from reference import arrays as reference_arrays
from reference import case_names

from bertbook.activations import erf, gelu, gelu_tanh, softmax, tanh

OPS = "op_cases.npz"
finite = arrays(
    np.float32,
    array_shapes(max_dims=3, max_side=6),
    elements=st.floats(-1e4, 1e4, width=32),
)


def test_softmax_of_three_scores_by_hand():
    scores = np.log(np.array([1.0, 2.0, 5.0]))
    np.testing.assert_allclose(softmax(scores), [0.125, 0.25, 0.625])


def test_softmax_along_the_first_axis():
    scores = np.log(np.array([[1.0, 2.0], [3.0, 2.0]]))
    np.testing.assert_allclose(softmax(scores, axis=0), [[0.25, 0.5], [0.75, 0.5]])


@pytest.mark.parametrize(
    "name", [n for n in case_names(OPS, "softmax") if n != "softmax_all_minus_inf"]
)
@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-15), (np.float32, 1e-6)])
def test_softmax_equals_the_reference(name, dtype, atol):
    stored = reference_arrays(OPS)
    x = np.maximum(stored[f"{name}/x"], np.finfo(dtype).min).astype(dtype)
    np.testing.assert_allclose(softmax(x), stored[f"{name}/y"], atol=atol, rtol=1e-5)


def test_softmax_of_a_row_without_any_candidate_is_zero():
    x = np.array([[-np.inf, -np.inf], [0, -np.inf]], np.float32)
    np.testing.assert_array_equal(softmax(x), [[0, 0], [1, 0]])


@given(finite)
def test_softmax_rows_are_positive_and_sum_to_one(x):
    weights = softmax(x)
    assert weights.dtype == np.float32
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)


@given(finite, st.integers(-50, 50))
def test_softmax_ignores_a_shift_of_all_scores(x, shift):
    x = np.round(x.astype(np.float64))
    np.testing.assert_allclose(softmax(x + shift), softmax(x), rtol=1e-12)


def test_softmax_leaves_its_argument_alone():
    x = np.array([1.0, 2.0])
    softmax(x)
    np.testing.assert_array_equal(x, [1, 2])


def test_gelu_at_points_known_by_hand():
    # Phi(1) = 0.8413447460685429, and gelu(-x) = gelu(x) - x
    x = np.array([-1.0, 0.0, 1.0])
    expected = [0.8413447460685429 - 1, 0, 0.8413447460685429]
    np.testing.assert_allclose(gelu(x), expected, atol=1e-15)


@pytest.mark.parametrize("function, key", [(gelu, "exact"), (gelu_tanh, "tanh")])
@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-13), (np.float32, 1e-6)])
def test_gelu_equals_the_reference(function, key, dtype, atol):
    stored = reference_arrays(OPS)
    got = function(stored["gelu/x"].astype(dtype))
    assert got.dtype == dtype
    scale = np.maximum(1, np.abs(stored["gelu/x"]))
    assert (np.abs(got - stored[f"gelu/{key}"]) / scale).max() < atol


def test_the_two_gelus_differ_as_much_as_the_reference_says():
    x = np.linspace(-5, 5, 100001)
    gap = np.abs(gelu(x) - gelu_tanh(x))
    assert gap.max() == pytest.approx(4.73e-4, rel=1e-2)
    assert abs(x[gap.argmax()]) == pytest.approx(2.7, abs=0.1)


@pytest.mark.parametrize("dtype, bound", [(np.float32, 2e-7), (np.float64, 1e-14)])
def test_erf_is_exact_to_the_precision_of_its_dtype(dtype, bound):
    x = np.linspace(-7, 7, 20001).astype(dtype)
    exact = np.array([math.erf(value) for value in x.tolist()])
    assert np.abs(erf(x) - exact).max() < bound


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [gelu, gelu_tanh, erf, tanh])
def test_curves_survive_extreme_numbers(function, dtype):
    extreme = np.array([-1e30, -1e4, 0, 1e4, 1e30, np.inf], dtype)
    y = function(extreme)
    assert not np.isnan(y).any()
    expected = {gelu: np.maximum(extreme, 0), gelu_tanh: np.maximum(extreme, 0)}
    np.testing.assert_array_equal(y, expected.get(function, np.sign(extreme)))


@given(finite)
def test_gelu_lies_between_the_ramp_and_the_line(x):
    y = gelu(x)
    assert (y <= np.maximum(x, 0)).all()
    assert (y >= np.minimum(x, 0) - 1e-6).all()


@pytest.mark.parametrize("function", [gelu, gelu_tanh, erf, tanh, softmax])
def test_curves_keep_shape_dtype_and_argument(function):
    x = np.linspace(-3, 3, 2 * 3 * 40000, dtype=np.float32).reshape(2, 3, -1)
    before = x.copy()
    y = function(x[:, ::-1])
    assert y.shape == x.shape and y.dtype == np.float32
    np.testing.assert_allclose(y, function(x[:, ::-1].copy()), rtol=1e-6)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("function", [gelu, gelu_tanh, erf, tanh, softmax])
@pytest.mark.parametrize("bad", [[1, 2], np.zeros(2, np.float16), np.zeros(2, bool)])
def test_curves_refuse_what_is_no_float32_or_float64(function, bad):
    with pytest.raises(
        TypeError, match=r"x holds \w+, expected float32 or float64; conv"
    ):
        function(bad)


@pytest.mark.parametrize("function", [gelu, gelu_tanh, erf, tanh, softmax])
def test_curves_take_an_array_without_entries(function):
    assert function(np.zeros((0, 3), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("function", [gelu, gelu_tanh, erf, tanh, softmax])
def test_the_memory_layout_of_an_array_does_not_matter(function):
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(function(x.T), function(x.T.copy()))


def test_softmax_of_a_single_number_is_one():
    assert softmax(np.float32(3)) == softmax(-7.5) == 1


def test_the_way_out_fits_what_was_given():
    with pytest.raises(TypeError, match=r"convert with \.astype\(np\.float32\)$"):
        softmax(np.arange(3))
    with pytest.raises(TypeError, match=r"with np\.array\(x, dtype=np\.float32\)$"):
        softmax([1, 2, 3])
