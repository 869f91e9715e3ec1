"""The three layers that everything else is made of: linear, layer norm, embed."""

import numpy as np

from bertbook.checks import (
    as_eps,
    as_float_array,
    as_ids,
    check_dtype,
    check_last_axis,
    check_positive,
    check_rng,
    check_shape,
)

__all__ = ["Identity", "LayerNorm", "Linear", "embed", "layer_norm", "linear"]

# Passed as `rng` by code that replaces every weight at once: nothing is drawn.
UNINITIALISED = object()


def linear(x, weight, bias):
    """Multiply by a matrix and add a vector.

    Parameters
    ----------
    x : ndarray of shape (..., d_in), float32 or float64
    weight : ndarray of shape (d_in, d_out)
    bias : ndarray of shape (d_out,)

    Returns
    -------
    ndarray of shape (..., d_out)
        In the dtype of the arguments.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    TypeError
        If `x` is neither float32 nor float64.

    Notes
    -----
    y = x W + b.
    """
    x = as_float_array(x, "x")
    check_last_axis(x, weight.shape[0], "x")
    check_shape(bias, weight.shape[1:], "bias")
    # One large product is faster than one product per batch entry.
    y = x.reshape(-1, weight.shape[0]) @ weight
    y += bias
    return y.reshape(*x.shape[:-1], weight.shape[1])


def layer_norm(x, gain, bias, *, eps=1e-12):
    """Centre each vector, scale it to variance one, then apply gain and bias.

    Parameters
    ----------
    x : ndarray of shape (..., d_model), float32 or float64
    gain, bias : ndarray of shape (d_model,)
    eps : float, default 1e-12
        Added to the variance, inside the root.

    Returns
    -------
    ndarray of shape (..., d_model)
        In the dtype of `x`. A constant vector gives exactly `bias`.

    Raises
    ------
    ValueError
        If the shapes do not fit together, or `eps` is not positive.
    TypeError
        If `x` is neither float32 nor float64, or `eps` is no number.

    Notes
    -----
    y = (x - mean) / sqrt(variance + eps) * gain + bias, where the mean and the
    variance (divided by d_model, not d_model - 1) are taken over the last axis.

    References
    ----------
    Ba, Kiros and Hinton, "Layer Normalization", 2016, equation 4.
    """
    x = as_float_array(x, "x")
    check_last_axis(x, gain.shape[-1], "x")
    check_shape(gain, x.shape[-1:], "gain")
    check_shape(bias, x.shape[-1:], "bias")
    x_hat, _ = standardize(x, as_eps(eps, x.dtype))
    x_hat *= gain
    x_hat += bias
    return x_hat


def standardize(x, eps):
    """Return x centred and scaled to variance one, and the scale.

    Parameters
    ----------
    x : ndarray of shape (..., d_model)
    eps : float

    Returns
    -------
    x_hat : ndarray of shape (..., d_model)
    inv_std : ndarray of shape (..., 1)
        1 / sqrt(variance + eps).
    """
    # Relative to the first feature, a constant vector is exactly zero.
    x_hat = x - x[..., :1]
    x_hat -= x_hat.mean(axis=-1, keepdims=True)
    # Two passes: the mean of squares minus the square of the mean cancels.
    variance = np.vecdot(x_hat, x_hat)[..., np.newaxis] / x.shape[-1]
    inv_std = 1 / np.sqrt(variance + eps)
    x_hat *= inv_std
    return x_hat, inv_std


def embed(table, ids):
    """Look up one row of a table for each id.

    Parameters
    ----------
    table : ndarray of shape (n_rows, d_model)
    ids : array_like of int, of any shape
        Each from 0 to n_rows - 1.

    Returns
    -------
    ndarray of shape (*ids.shape, d_model)
        In the dtype of `table`.

    Raises
    ------
    TypeError
        If the ids are not integers.
    ValueError
        If an id is negative or too large.

    Notes
    -----
    Equal to one_hot(ids) @ table, without the multiplications by zero.
    """
    return table[as_ids(ids, table.shape[0], "ids", "the table")]


def random_weight(rng, shape, dtype):
    """Draw a weight from a normal distribution of standard deviation 0.02."""
    if rng is UNINITIALISED:
        return np.empty(shape, dtype)
    weight = check_rng(rng).standard_normal(shape, dtype=dtype)
    weight *= 0.02
    return weight


class Linear:
    """A matrix and a vector that are applied to each position.

    Parameters
    ----------
    d_in, d_out : int
    rng : numpy.random.Generator, optional
        Draws the weight; a generator seeded with 0 if left out.
    dtype : dtype, default float32

    Attributes
    ----------
    weight : ndarray of shape (d_in, d_out)
        Drawn from a normal distribution of standard deviation 0.02.
    bias : ndarray of shape (d_out,)
        Zeros.

    Notes
    -----
    Published checkpoints store the transpose, (d_out, d_in).
    """

    def __init__(self, d_in, d_out, *, rng=None, dtype=np.float32):
        """Draw the weight and clear the bias."""
        check_positive(d_in=d_in, d_out=d_out)
        dtype = check_dtype(dtype)
        self.weight = random_weight(rng, (d_in, d_out), dtype)
        self.bias = np.zeros(d_out, dtype)

    def __call__(self, x):
        """Return x W + b for `x` of shape (..., d_in), in the dtype of the weight."""
        x = as_float_array(x, "x").astype(self.weight.dtype, copy=False)
        return linear(x, self.weight, self.bias)


class LayerNorm:
    """Layer normalisation with a gain and a bias for each feature.

    Parameters
    ----------
    d_model : int
    eps : float, default 1e-12
    dtype : dtype, default float32

    Attributes
    ----------
    gain, bias : ndarray of shape (d_model,)
        Ones and zeros.
    eps : float
    """

    def __init__(self, d_model, *, eps=1e-12, dtype=np.float32):
        """Start as pure standardisation: gain one, bias zero."""
        check_positive(d_model=d_model)
        dtype = check_dtype(dtype)
        as_eps(eps, dtype)
        self.gain = np.ones(d_model, dtype)
        self.bias = np.zeros(d_model, dtype)
        self.eps = float(eps)

    def __call__(self, x):
        """Return the normalised `x`, of the same shape, in the dtype of the gain."""
        x = as_float_array(x, "x").astype(self.gain.dtype, copy=False)
        return layer_norm(x, self.gain, self.bias, eps=self.eps)


class Identity:
    """A layer that changes nothing: `final_norm` of a post-norm encoder."""

    def __call__(self, x):
        """Return `x` itself."""
        return x
