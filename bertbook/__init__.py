"""BERT's encoder from nothing but NumPy: the code that the book builds."""

from bertbook.activations import gelu, gelu_tanh, softmax, tanh
from bertbook.attention import MultiHeadAttention, scaled_dot_product_attention
from bertbook.checkpoint import load_pretrained, save_pretrained
from bertbook.encoder import BertEncoder, EncoderLayer, FeedForward, named_parameters
from bertbook.layers import LayerNorm, Linear, embed, layer_norm, linear
from bertbook.pooling import (
    SearchIndex,
    cosine_similarity,
    embed_sentences,
    mean_pool,
    top_k,
)
from bertbook.tokenizer import BertTokenizer

__version__ = "0.1.0"

__all__ = [
    "BertEncoder",
    "BertTokenizer",
    "EncoderLayer",
    "FeedForward",
    "LayerNorm",
    "Linear",
    "MultiHeadAttention",
    "SearchIndex",
    "cosine_similarity",
    "embed",
    "embed_sentences",
    "gelu",
    "gelu_tanh",
    "layer_norm",
    "linear",
    "load_pretrained",
    "mean_pool",
    "named_parameters",
    "save_pretrained",
    "scaled_dot_product_attention",
    "softmax",
    "tanh",
    "top_k",
]
