"""The three curves of BERT: softmax, GELU and tanh.

`gelu` is the exact form, which BERT's checkpoints call "gelu"; `gelu_tanh` is the
approximation that others call "gelu_new" or "gelu_pytorch_tanh". The two differ by
up to 5e-4, far more than rounding, so neither ever stands in for the other.
"""

import functools
import math

import numpy as np

from bertbook.checks import as_float_array
from bertbook.erf_fit import erf_polynomial

__all__ = ["ACTIVATIONS", "erf", "gelu", "gelu_tanh", "softmax", "tanh"]

# Elements worked on at a time: a block and its temporaries stay in the cache.
BLOCK = 1 << 15


def softmax(x, axis=-1):
    """Turn scores into weights that are positive and sum to one.

    Parameters
    ----------
    x : ndarray, float32 or float64
        Scores. ``-inf`` marks an entry that must get no weight.
    axis : int, default -1
        The axis along which the weights sum to one.

    Returns
    -------
    ndarray
        Same shape and dtype as `x`. A row of ``-inf`` alone gives zeros.

    Raises
    ------
    TypeError
        If `x` is neither float32 nor float64.

    Notes
    -----
    softmax(x)_i = exp(x_i - m) / sum_j exp(x_j - m) with m = max_j x_j. The result
    does not depend on m; with the maximum no exponential can overflow.
    """
    return softmax_(np.array(as_float_array(x, "x")), axis)


def softmax_(x, axis=-1):
    """Replace the scores `x` by their softmax, and return `x`."""
    highest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    x -= np.where(highest == -np.inf, 0, highest)  # -inf - (-inf) would be NaN
    np.exp(x, out=x)
    total = np.sum(x, axis=axis, keepdims=True)
    x /= np.where(total == 0, 1, total)
    return x


def tanh(x):
    """Return the hyperbolic tangent of `x`, which lies between -1 and 1.

    Parameters
    ----------
    x : ndarray, float32 or float64

    Returns
    -------
    ndarray
        Same shape and dtype as `x`.

    Raises
    ------
    TypeError
        If `x` is neither float32 nor float64.
    """
    return np.tanh(as_float_array(x, "x"))


def erf(x):
    """Return the error function of `x`, to the precision of its dtype.

    Parameters
    ----------
    x : ndarray, float32 or float64

    Returns
    -------
    ndarray
        Same shape and dtype as `x`; absolute error below 2e-7 in float32 and
        below 1e-14 in float64.

    Raises
    ------
    TypeError
        If `x` is neither float32 nor float64.

    Notes
    -----
    erf(x) = 2 / sqrt(pi) * integral of exp(-t*t) from 0 to x. NumPy has no erf,
    but it has a fast tanh, and artanh(erf(x)) / x is a smooth even function: a
    polynomial q in x*x. So erf(x) = tanh(x * q(x*x)), and the tanh approximation
    of GELU is what remains when q stops after its second term.
    """
    return _in_blocks(_erf_, own_copy(x, "x"))


def gelu(x):
    """Apply the Gaussian error linear unit, in its exact form.

    Parameters
    ----------
    x : ndarray, float32 or float64

    Returns
    -------
    ndarray
        Same shape and dtype as `x`.

    Raises
    ------
    TypeError
        If `x` is neither float32 nor float64.

    Notes
    -----
    gelu(x) = x * (1 + erf(x / sqrt(2))) / 2: each input is weighed by the
    probability that a standard normal number lies below it.

    References
    ----------
    Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.
    """
    return _in_blocks(_gelu_, own_copy(x, "x"))


def gelu_tanh(x):
    """Apply the tanh approximation of the Gaussian error linear unit.

    Parameters
    ----------
    x : ndarray, float32 or float64

    Returns
    -------
    ndarray
        Same shape and dtype as `x`; up to 4.8e-4 away from `gelu`.

    Raises
    ------
    TypeError
        If `x` is neither float32 nor float64.

    Notes
    -----
    gelu_tanh(x) = x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))) / 2.

    References
    ----------
    Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.
    """
    return _in_blocks(_gelu_tanh_, own_copy(x, "x"))


def own_copy(x, name):
    """Return a contiguous copy of `x`, which may then be worked on in place."""
    return np.array(as_float_array(x, name), order="C")


def _in_blocks(function_, x):
    """Let `function_`, which works in place, replace all of `x`; return `x`."""
    flat = x.reshape(-1)  # a view, since x is contiguous
    for start in range(0, flat.size, BLOCK):
        function_(flat[start : start + BLOCK])
    return x


def _erf_(x):
    """Replace x by erf(x)."""
    x[...] = _erf_of_scaled(x, 1)


def _erf_of_scaled(x, scale):
    """Return erf(scale * x); x itself is left alone."""
    limit, coefficients = erf_polynomial(x.dtype)
    x = np.clip(x, -limit / scale, limit / scale)  # beyond, erf is 1 or -1
    u = x * x
    u *= 2 * (scale / limit) ** 2
    u -= 1
    q = u * (scale * coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        q += scale * coefficient
        q *= u
    q += scale * coefficients[0]
    q *= x
    return np.tanh(q, out=q)


def _gelu_(x):
    """Replace x by gelu(x)."""
    weight = _erf_of_scaled(x, math.sqrt(0.5))
    weight += 1
    weight *= 0.5
    x *= weight


def _gelu_tanh_(x):
    """Replace x by gelu_tanh(x)."""
    clipped = np.clip(x, -10, 10)  # beyond, tanh is 1 or -1
    inner = clipped * clipped  # since NumPy's x**3 is many times slower
    inner *= 0.044715
    inner += 1
    inner *= clipped
    inner *= math.sqrt(2 / math.pi)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= 0.5
    x *= inner


# In place, for the encoder: a copy of its inner activations, which are large and
# contiguous, costs time.
ACTIVATIONS = {
    "gelu": functools.partial(_in_blocks, _gelu_),
    "gelu_tanh": functools.partial(_in_blocks, _gelu_tanh_),
}
