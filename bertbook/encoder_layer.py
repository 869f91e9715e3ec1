"""One encoder layer: attention, then a feed-forward network, each position alone."""

import numpy as np

from bertbook.activations import ACTIVATIONS, own_copy
from bertbook.attention import MultiHeadAttention
from bertbook.checks import as_hidden_states, check_choice
from bertbook.layers import LayerNorm, Linear

__all__ = ["EncoderLayer", "FeedForward"]

NORMS = ("post", "pre")


class FeedForward:
    """Two linear layers with an activation between, the same at each position.

    Parameters
    ----------
    d_model, d_ff : int
        Width outside and inside.
    activation : {"gelu", "gelu_tanh"}, default "gelu"
    rng : numpy.random.Generator, optional
    dtype : dtype, default float32

    Attributes
    ----------
    intermediate : Linear from d_model to d_ff
    output : Linear from d_ff to d_model

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.3.
    """

    def __init__(
        self, d_model, d_ff, *, activation="gelu", rng=None, dtype=np.float32
    ):
        """Draw the two projections."""
        check_choice(activation, ACTIVATIONS, "activation")
        rng = np.random.default_rng(0) if rng is None else rng
        self.activation = activation
        self.intermediate = Linear(d_model, d_ff, rng=rng, dtype=dtype)
        self.output = Linear(d_ff, d_model, rng=rng, dtype=dtype)

    def __call__(self, hidden_states):
        """Return an array of the same shape (..., d_model)."""
        inner = self.intermediate(hidden_states)
        if type(self.intermediate) is not Linear:
            # A part put in its place may keep the array, or return its own input.
            inner = own_copy(inner, "inner")
        return self.output(ACTIVATIONS[self.activation](inner))


class EncoderLayer:
    """Attention and feed-forward, each with a residual path and a layer norm.

    Parameters
    ----------
    d_model, n_heads, d_ff : int
    norm : {"post", "pre"}, default "post"
        "post" normalises after each sum, as BERT does; "pre" normalises the input
        of each sublayer and leaves the residual path untouched.
    layer_norm_eps : float, default 1e-12
    activation : {"gelu", "gelu_tanh"}, default "gelu"
    rng : numpy.random.Generator, optional
    dtype : dtype, default float32

    Attributes
    ----------
    attention : MultiHeadAttention
    attention_norm, feed_forward_norm : LayerNorm
    feed_forward : FeedForward

    References
    ----------
    Vaswani et al., 2017, section 3.1 ("post"); Xiong et al., "On Layer
    Normalization in the Transformer Architecture", 2020, figure 1 ("pre").
    """

    def __init__(
        self, d_model, n_heads, d_ff, *, norm="post", layer_norm_eps=1e-12,
        activation="gelu", rng=None, dtype=np.float32,
    ):
        """Draw the sublayers and start the norms at gain one, bias zero."""
        check_choice(norm, NORMS, "norm")
        rng = np.random.default_rng(0) if rng is None else rng
        self.norm = norm
        self.attention = MultiHeadAttention(d_model, n_heads, rng=rng, dtype=dtype)
        self.attention_norm = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, rng=rng, dtype=dtype
        )
        self.feed_forward_norm = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)

    def __call__(self, hidden_states, attention_mask=None):
        """Refine each position once.

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
        x = as_hidden_states(hidden_states, self.attention_norm.gain)
        if self.norm == "post":
            attended, weights = self.attention(x, attention_mask)
            x = self.attention_norm(x + attended)
            x = self.feed_forward_norm(x + self.feed_forward(x))
        else:
            attended, weights = self.attention(self.attention_norm(x), attention_mask)
            x = x + attended
            x = x + self.feed_forward(self.feed_forward_norm(x))
        return x, weights
