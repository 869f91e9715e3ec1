"""The whole of BERT's encoder: embeddings, a stack of layers, a pooler."""

import numpy as np

from bertbook.activations import tanh
from bertbook.checks import (
    as_ids,
    as_mask,
    as_token_ids,
    check_choice,
    check_dtype,
    check_positive,
    check_rows_have_tokens,
)
from bertbook.encoder_layer import NORMS, EncoderLayer, FeedForward
from bertbook.layers import Identity, LayerNorm, Linear, embed, random_weight

__all__ = ["BertEncoder", "EncoderLayer", "FeedForward", "named_parameters"]


class BertEncoder:
    """BERT's encoder: embeddings, a stack of encoder layers, a pooler.

    Parameters
    ----------
    vocab_size, max_position, n_layers, d_model, n_heads, d_ff : int
        The defaults are those of BERT-base.
    norm : {"post", "pre"}, default "post"
        Where the layer norms stand; "post" is BERT as published.
    n_segments : int, default 2
    layer_norm_eps : float, default 1e-12
    activation : {"gelu", "gelu_tanh"}, default "gelu"
    rng : numpy.random.Generator, optional
        Draws the weights; a generator seeded with 0 if left out.
    dtype : {float32, float64}, default float32
        The dtype of the parameters, and so of everything that is computed.

    Attributes
    ----------
    token_embeddings, position_embeddings, segment_embeddings : ndarray
        Tables with d_model columns.
    embedding_norm : LayerNorm
    layers : list of EncoderLayer
    final_norm : LayerNorm with "pre", Identity with "post"
    pooler_dense : Linear or None
        None for a checkpoint that comes without a pooler.

    Raises
    ------
    ValueError
        For a size below one, or a d_model that n_heads does not divide.
    TypeError
        For a size that is no integer, or another dtype.

    References
    ----------
    Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for
    Language Understanding", 2019, section 3.
    """

    def __init__(
        self, vocab_size=30522, max_position=512, n_layers=12, d_model=768,
        n_heads=12, d_ff=3072, *, norm="post", n_segments=2, layer_norm_eps=1e-12,
        activation="gelu", rng=None, dtype=np.float32,
    ):
        """Draw all the weights."""
        check_positive(
            vocab_size=vocab_size, max_position=max_position, n_layers=n_layers,
            d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_segments=n_segments,
        )
        check_choice(norm, NORMS, "norm")
        rng = np.random.default_rng(0) if rng is None else rng
        self.vocab_size, self.max_position = vocab_size, max_position
        self.n_layers, self.d_model, self.n_heads = n_layers, d_model, n_heads
        self.d_ff, self.n_segments, self.norm = d_ff, n_segments, norm
        self.layer_norm_eps, self.activation = layer_norm_eps, activation
        self.dtype = dtype = check_dtype(dtype)
        self.token_embeddings = random_weight(rng, (vocab_size, d_model), dtype)
        self.position_embeddings = random_weight(rng, (max_position, d_model), dtype)
        self.segment_embeddings = random_weight(rng, (n_segments, d_model), dtype)
        self.embedding_norm = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        options = {"norm": norm, "layer_norm_eps": layer_norm_eps, "rng": rng}
        options |= {"activation": activation, "dtype": dtype}
        self.layers = [
            EncoderLayer(d_model, n_heads, d_ff, **options) for _ in range(n_layers)
        ]
        final_norm = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.final_norm = final_norm if norm == "pre" else Identity()
        self.pooler_dense = Linear(d_model, d_model, rng=rng, dtype=dtype)

    def embed(self, token_ids, segment_ids=None):
        """Sum the token, position and segment embeddings and normalise.

        Parameters
        ----------
        token_ids : array_like of int, of shape (seq,) or (batch, seq)
        segment_ids : array_like of int, of the same shape, optional
            Zeros if left out.

        Returns
        -------
        ndarray of shape (..., seq, d_model)

        Raises
        ------
        TypeError, ValueError
            For ids or segments that are no integers, out of range or misshapen.
        """
        ids = as_token_ids(token_ids, self.vocab_size, self.max_position)
        if segment_ids is None:
            segment_ids = np.zeros(ids.shape, np.int64)
        segments = as_ids(
            segment_ids, self.n_segments, "segment_ids", "the segment table"
        )
        if segments.shape != ids.shape:
            raise ValueError(
                f"segment_ids has shape {segments.shape}, expected {ids.shape}; "
                f"give one entry per token"
            )
        x = embed(self.token_embeddings, ids)
        x += self.position_embeddings[: ids.shape[-1]]
        x += embed(self.segment_embeddings, segments)
        return self.embedding_norm(x)

    def __repr__(self):
        """Show the sizes."""
        sizes = f"{self.n_layers} layers of {self.d_model}, {self.norm}-norm"
        return f"{type(self).__name__}(<{sizes}, {self.dtype}>)"

    def __call__(
        self, token_ids, *, segment_ids=None, attention_mask=None,
        output_attentions=False, output_hidden_states=False,
    ):
        """Encode one sequence or a padded batch.

        Parameters
        ----------
        token_ids : array_like of int, of shape (seq,) or (batch, seq)
        segment_ids : array_like of int, of the same shape, optional
            0 for the first text and 1 for the second; zeros if left out.
        attention_mask : array_like of 0 and 1, of the same shape, optional
            1 for a real token, 0 for padding; ones if left out.
        output_attentions, output_hidden_states : bool, default False

        Returns
        -------
        dict
            ``"last_hidden_state"``: ndarray of shape (..., seq, d_model);
            ``"pooler_output"``: ndarray of shape (..., d_model), or None where
            there is no pooler. On request ``"attentions"``: a tuple of n_layers
            arrays of shape (..., n_heads, seq, seq), and ``"hidden_states"``: a
            tuple of n_layers + 1 arrays, the embeddings first and the last hidden
            state last.

        Raises
        ------
        TypeError, ValueError
            For ids, segments or a mask that are misshapen or out of range, more
            tokens than positions, no tokens at all, or a text of padding alone.
        """
        ids = as_token_ids(token_ids, self.vocab_size, self.max_position)
        if attention_mask is not None:
            attention_mask = as_mask(attention_mask, ids.shape)
            check_rows_have_tokens(attention_mask)
        states, attentions = [self.embed(ids, segment_ids)], []
        for layer in self.layers:
            hidden_states, weights = layer(states[-1], attention_mask)
            kept = states if output_hidden_states else []
            states = [*kept, hidden_states]
            attentions += [weights] if output_attentions else []
        states[-1] = last = self.final_norm(states[-1])
        output = {"last_hidden_state": last, "pooler_output": self._pool(last)}
        output |= {"attentions": tuple(attentions)} if output_attentions else {}
        output |= {"hidden_states": tuple(states)} if output_hidden_states else {}
        return output

    def _pool(self, hidden_states):
        """Return tanh of a linear layer of the first position, [CLS]."""
        if self.pooler_dense is None:
            return None
        return tanh(self.pooler_dense(hidden_states[..., 0, :]))


def named_parameters(encoder):
    """Return every parameter of an encoder under its dotted name.

    Parameters
    ----------
    encoder : BertEncoder

    Returns
    -------
    dict of str to ndarray
        The arrays themselves, in the order in which the input meets them, under
        names such as ``"layers.0.attention.query.weight"``.
    """
    return dict(_walk(encoder, ""))


def _walk(node, prefix):
    """Yield the arrays below `node`, each with its dotted name."""
    children = enumerate(node) if isinstance(node, list) else vars(node).items()
    for name, child in children:
        if isinstance(child, np.ndarray):
            yield f"{prefix}{name}", child
        elif isinstance(child, list) or hasattr(child, "__dict__"):
            yield from _walk(child, f"{prefix}{name}.")
