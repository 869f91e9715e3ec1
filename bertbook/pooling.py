"""Vectors of texts, and search by meaning, under one name.

The work is done in two files: `sentence_vectors` turns texts into vectors, and
`search_index` finds the nearest of many.
"""

from bertbook.search_index import SearchIndex, top_k
from bertbook.sentence_vectors import (
    cosine_similarity,
    embed_sentences,
    mean_pool,
    unit_length,
)

__all__ = [
    "SearchIndex",
    "cosine_similarity",
    "embed_sentences",
    "mean_pool",
    "top_k",
    "unit_length",
]
