"""Find the nearest of many texts: exact search by one matrix product."""

import heapq

import numpy as np

from bertbook.checks import as_float_array, check_positive
from bertbook.index_file import read_index, write_index
from bertbook.sentence_vectors import as_texts, embed_sentences

__all__ = ["SearchIndex", "top_k"]

SAME_MODEL = 0.999  # cosine of one text embedded twice; rounding costs 1e-6 at most


def top_k(scores, k):
    """Return the places of the k largest scores, the largest first.

    Parameters
    ----------
    scores : ndarray of shape (..., n), float32 or float64
    k : int
        How many are wanted.

    Returns
    -------
    ndarray of shape (..., min(k, n)), int64
        Of equal scores, the one that stands first comes first.

    Raises
    ------
    TypeError
        If the scores are neither float32 nor float64, or `k` is no integer.
    ValueError
        If `k` is below one, the scores have no axis, or NaN is among them.

    Notes
    -----
    ``np.argpartition`` puts the k-th largest score in its place in time proportional
    to n, and only the k winners are sorted: O(n + k log k) where sorting all of them
    would take O(n log n).
    """
    scores = as_float_array(scores, "scores")
    check_positive(k=k)
    if scores.ndim == 0:
        raise ValueError(
            "scores is a single number, expected shape (..., n); "
            "pass one score for each candidate"
        )
    k = min(int(k), scores.shape[-1])  # int, since an unsigned k has no negative
    places = np.empty((*scores.shape[:-1], k), np.int64)
    if k:
        for row in np.ndindex(scores.shape[:-1]):
            places[row] = _top_of_row(scores[row], k)
    return places


def _top_of_row(scores, k):
    """Return the places of the k largest of one row, the largest first."""
    winners = np.argpartition(scores, -k)[-k:]
    if np.isnan(scores[winners]).any():  # NaN sorts last, so none can hide elsewhere
        raise ValueError(
            "scores holds NaN, expected numbers that can be ordered; "
            "look for the vector that it comes from"
        )
    # Which of several equal scores argpartition takes is its own affair: take the
    # first ones, so that the answer is the same on every machine.
    smallest = scores[winners].min()
    above = np.flatnonzero(scores > smallest)
    level = np.flatnonzero(scores == smallest)[: k - len(above)]
    winners = np.concatenate([above, level])
    return winners[np.argsort(-scores[winners], kind="stable")]


class SearchIndex:
    """The vectors of many texts, to be searched by meaning.

    Parameters
    ----------
    tokenizer : BertTokenizer
    encoder : BertEncoder
    texts : list of str
        What can be found.
    batch_size : int, default 32
        Texts encoded at a time.
    progress : bool, default False
        Whether to show a progress bar: embedding the texts is the long step.

    Attributes
    ----------
    texts : list of str
    vectors : ndarray of shape (len(texts), d_model)
        Of unit length, one row for each text.

    Raises
    ------
    TypeError
        If `texts` is a single string or holds something else than strings.

    Notes
    -----
    The search is exact: it compares the query with every text.

    Examples
    --------
    >>> index = SearchIndex(tokenizer, encoder, ["a cat", "a bond"])
    >>> places, cosines = index.search("kitten", k=1)
    >>> index.texts[places[0]]
    'a cat'
    """

    def __init__(self, tokenizer, encoder, texts, *, batch_size=32, progress=False):
        self.tokenizer, self.encoder = tokenizer, encoder
        self.texts = as_texts(texts, "texts")
        self.vectors = self.embed(self.texts, batch_size=batch_size, progress=progress)

    def embed(self, texts, *, batch_size=32, progress=False):
        """Turn texts into vectors as the texts of the index were.

        Parameters
        ----------
        texts : list of str
        batch_size : int, default 32
        progress : bool, default False

        Returns
        -------
        ndarray of shape (len(texts), d_model)
            Of unit length.
        """
        return embed_sentences(
            self.tokenizer,
            self.encoder,
            texts,
            batch_size=batch_size,
            progress=progress,
        )

    def search(self, queries, k=10):
        """Find the k nearest texts.

        Parameters
        ----------
        queries : str or list of str
        k : int, default 10
            How many are wanted; fewer come if the index holds fewer.

        Returns
        -------
        places : ndarray of shape (k,) or (len(queries), k), int64
            Rows of `texts`, the nearest first.
        cosines : ndarray
            Same shape, in the dtype of the encoder.

        Raises
        ------
        TypeError
            If a query is no str, or `k` no integer.
        ValueError
            If `k` is below one.
        """
        check_positive(k=k)
        single = isinstance(queries, str)
        queries = as_texts([queries] if single else queries, "queries")
        # Both sides have unit length, so the product is the cosine.
        scores = self.embed(queries) @ self.vectors.T
        places = top_k(scores, k)
        cosines = np.take_along_axis(scores, places, axis=-1)
        return (places[0], cosines[0]) if single else (places, cosines)

    def save(self, path):
        """Write texts and vectors to a safetensors file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            Replaced in one step.

        Raises
        ------
        ValueError
            If `texts` was changed and no longer belongs to `vectors`, or the name
            has the suffix of a pickle.
        """
        write_index(path, self.texts, self.vectors)

    @classmethod
    def load(cls, path, tokenizer, encoder):
        """Read an index that `save` has written.

        Parameters
        ----------
        path : str or path-like
        tokenizer : BertTokenizer
        encoder : BertEncoder
            The model that made the vectors: queries must go through the same one.

        Returns
        -------
        SearchIndex

        Raises
        ------
        ValueError
            If the file is no index, or another model made it. To see that, one text
            is embedded again.
        """
        texts, vectors = read_index(path)
        index = cls(tokenizer, encoder, [])
        index.texts, index.vectors = texts, vectors.astype(encoder.dtype, copy=False)
        # The longest text: an empty one tells the encoder, but not the tokenizer.
        rows = heapq.nlargest(1, range(len(texts)), key=lambda row: len(texts[row]))
        if not _is_own(index.embed([texts[row] for row in rows]), vectors[rows]):
            raise ValueError(
                f"the vectors in {str(path)!r} come from another model, expected the "
                f"one that is to embed the queries; load that one or index anew"
            )
        return index


def _is_own(vectors, stored):
    """Return whether stored vectors are what the model makes of the same texts."""
    if vectors.shape != stored.shape:
        return False
    return bool(np.all(np.sum(vectors * stored, axis=-1) > SAME_MODEL))
