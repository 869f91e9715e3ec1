"""The polynomial behind erf, fitted once for each dtype."""

import functools
import math

import numpy as np
from numpy.polynomial import chebyshev

__all__ = ["erf_polynomial"]

# dtype -> (argument from which erf is 1, degree of the polynomial, power of the
# weights: as they are, those of float64 would span too many orders of magnitude)
ERF_FIT = {np.dtype(np.float32): (4.2, 6, 1), np.dtype(np.float64): (6.0, 40, 0.25)}


@functools.cache
def erf_polynomial(dtype):
    """Return the interval and the coefficients of q in erf(x) = tanh(x * q).

    Parameters
    ----------
    dtype : numpy.dtype
        float32 or float64.

    Returns
    -------
    limit : float
        The polynomial holds for abs(x) <= limit; beyond, erf is 1 in this dtype.
    coefficients : tuple of float
        Lowest power first, in u = 2 * (x / limit)**2 - 1, which runs from -1 to 1.
    """
    limit, degree, power = ERF_FIT[dtype]
    x = limit * np.cos(np.pi / 2 * (np.arange(400) + 0.5) / 400)
    erfc = np.array([math.erfc(value) for value in x])
    q = np.log((2 - erfc) / erfc) / (2 * x)  # artanh(erf(x)) / x
    # A slip in q moves erf by x * (1 - erf(x)**2) times as much: weigh it by that.
    weight = (x * erfc * (2 - erfc)) ** power
    series = chebyshev.chebfit(2 * (x / limit) ** 2 - 1, q, degree, w=weight)
    return limit, tuple(chebyshev.cheb2poly(series).tolist())
