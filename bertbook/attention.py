"""Attention: every position looks at every other and takes what it needs."""

import math

import numpy as np

from bertbook.activations import softmax_
from bertbook.checks import (
    as_float_array,
    as_hidden_states,
    as_mask,
    check_axes,
    check_positive,
)
from bertbook.layers import Linear

__all__ = [
    "MultiHeadAttention",
    "merge_heads",
    "scaled_dot_product_attention",
    "split_heads",
]


def scaled_dot_product_attention(query, key, value, attention_mask=None):
    """Average the values, weighted by how well each key answers the query.

    Parameters
    ----------
    query : ndarray of shape (..., seq_q, head_dim), float32 or float64
    key : ndarray of shape (..., seq, head_dim)
    value : ndarray of shape (..., seq, d_value)
    attention_mask : array_like of shape (seq,) or (batch, seq), optional
        1 for a key that may be looked at, 0 for one that may not. The shape is
        that of `key` without its last axis and without the axis of heads.

    Returns
    -------
    context : ndarray of shape (..., seq_q, d_value)
    attention_weights : ndarray of shape (..., seq_q, seq)
        Each row sums to one over the keys that the mask admits. A row whose keys
        are all hidden is zero.

    Raises
    ------
    TypeError
        If an argument is neither float32 nor float64.
    ValueError
        If the shapes do not fit together, or the mask holds other values.

    Notes
    -----
    softmax(Q K^T / sqrt(head_dim)) V, with -inf in place of the scores of hidden
    keys. Whatever stands at a hidden position, NaN included, has no influence.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.
    """
    query, key, value = (
        as_float_array(array, name)
        for array, name in [(query, "query"), (key, "key"), (value, "value")]
    )
    _check_shapes(query, key, value)
    keep = _keys_to_keep(attention_mask, key)
    # math.sqrt, since a NumPy float64 scalar would promote float32 arrays. To divide
    # the keys is to divide the scores; laid out in rows, they are multiplied faster.
    scale = 1 / math.sqrt(key.shape[-1])
    scaled_keys = np.multiply(key.swapaxes(-1, -2), scale, order="C")
    if keep is not None:
        # Hidden NaN or infinity would spread: a weight of zero does not stop it.
        np.copyto(scaled_keys, 0, where=~keep)
        value = np.where(keep.swapaxes(-1, -2), value, value.dtype.type(0))
    attention_scores = query @ scaled_keys  # (..., seq_q, seq)
    if keep is not None:
        np.copyto(attention_scores, -np.inf, where=~keep)
    attention_weights = softmax_(attention_scores)
    return attention_weights @ value, attention_weights


def _keys_to_keep(attention_mask, key):
    """Return the mask as (..., 1, seq) of `key`, or None where it hides nothing."""
    if attention_mask is None:
        return None
    keep = as_mask(attention_mask, (*key.shape[:-3], key.shape[-2]))
    if keep.all():
        return None
    ones = (1,) * (key.ndim - keep.ndim)
    # (batch, seq) -> (batch, 1, 1, seq): the mask speaks of keys, not of queries
    return keep.reshape(*keep.shape[:-1], *ones, keep.shape[-1])


def _check_shapes(query, key, value):
    """Refuse query, key and value that cannot be multiplied."""
    if min(query.ndim, key.ndim, value.ndim) < 2 or query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query has shape {query.shape} and key {key.shape}, expected "
            f"(..., seq, head_dim) with the same head_dim; "
            f"add an axis for a single vector, as in query[np.newaxis]"
        )
    if query.shape[-1] == 0:
        raise ValueError(
            f"query has shape {query.shape}, expected a head_dim of at least 1; "
            f"check how the heads were split"
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"key has shape {key.shape} and value {value.shape}, expected one value "
            f"for each key; the axes before the last must be equal"
        )
    try:
        np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    except ValueError:
        raise ValueError(
            f"query has shape {query.shape} and key {key.shape}, expected the same "
            f"batch and heads; give the queries and the keys of the same texts"
        ) from None


def split_heads(x, n_heads):
    """Cut the features of each position into one piece for each head.

    Parameters
    ----------
    x : ndarray of shape (..., seq, d_model)
    n_heads : int
        Must divide d_model.

    Returns
    -------
    ndarray of shape (..., n_heads, seq, head_dim)
        A view; head_dim is d_model / n_heads.

    Raises
    ------
    ValueError
        If d_model is not divisible by `n_heads`, or `x` lacks an axis.
    """
    check_axes(x, 2, "x", "(..., seq, d_model)")
    _check_heads(x.shape[-1], n_heads)
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return pieces.swapaxes(-3, -2)  # (..., seq, n_heads, head_dim) -> heads first


def merge_heads(x):
    """Put the pieces of all heads side by side again: the inverse of `split_heads`.

    Parameters
    ----------
    x : ndarray of shape (..., n_heads, seq, head_dim)

    Returns
    -------
    ndarray of shape (..., seq, n_heads * head_dim)

    Raises
    ------
    ValueError
        If `x` lacks an axis.
    """
    check_axes(x, 3, "x", "(..., n_heads, seq, head_dim)")
    pieces = x.swapaxes(-3, -2)  # (..., n_heads, seq, head_dim) -> positions first
    return pieces.reshape(*pieces.shape[:-2], pieces.shape[-2] * pieces.shape[-1])


def _check_heads(d_model, n_heads):
    """Refuse a width that cannot be shared out evenly among the heads."""
    check_positive(d_model=d_model, n_heads=n_heads)
    if d_model % n_heads:
        raise ValueError(
            f"d_model is {d_model} and n_heads {n_heads}, expected d_model to be a "
            f"multiple of n_heads; BERT-base has 768 and 12"
        )


class MultiHeadAttention:
    """Several attentions side by side, each in its own part of the features.

    Parameters
    ----------
    d_model, n_heads : int
        `n_heads` must divide `d_model`.
    rng : numpy.random.Generator, optional
    dtype : dtype, default float32

    Attributes
    ----------
    query, key, value, output : Linear
        Projections from d_model to d_model; `output` mixes the heads' results.
    n_heads : int

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    """

    def __init__(self, d_model, n_heads, *, rng=None, dtype=np.float32):
        """Draw the four projections."""
        _check_heads(d_model, n_heads)
        rng = np.random.default_rng(0) if rng is None else rng
        self.n_heads = n_heads
        self.query = Linear(d_model, d_model, rng=rng, dtype=dtype)
        self.key = Linear(d_model, d_model, rng=rng, dtype=dtype)
        self.value = Linear(d_model, d_model, rng=rng, dtype=dtype)
        self.output = Linear(d_model, d_model, rng=rng, dtype=dtype)

    def __call__(self, hidden_states, attention_mask=None):
        """Let each position gather from the positions that the mask admits.

        Parameters
        ----------
        hidden_states : ndarray of shape (seq, d_model) or (batch, seq, d_model)
        attention_mask : array_like of shape (seq,) or (batch, seq), optional
            1 for a real token, 0 for padding.

        Returns
        -------
        hidden_states : ndarray of the same shape, in the dtype of the weights
        attention_weights : ndarray of shape (..., n_heads, seq, seq)

        Raises
        ------
        TypeError
            If `hidden_states` is neither float32 nor float64.
        ValueError
            If the last axis is not d_model, or the mask has another shape.
        """
        hidden_states = as_hidden_states(hidden_states, self.query.weight)
        query, key, value = (
            split_heads(projection(hidden_states), self.n_heads)
            for projection in (self.query, self.key, self.value)
        )
        context, attention_weights = scaled_dot_product_attention(
            query, key, value, attention_mask
        )
        return self.output(merge_heads(context)), attention_weights
