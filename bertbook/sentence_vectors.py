"""From one vector for each token to one vector for each text."""

from collections.abc import Mapping, Set

import numpy as np
from tqdm import tqdm

from bertbook.checks import as_float_array, as_mask, check_axes, check_positive
from bertbook.tokenizer_checks import check_text

__all__ = ["cosine_similarity", "embed_sentences", "mean_pool", "unit_length"]


def mean_pool(hidden_states, attention_mask):
    """Average the vectors of the real tokens.

    Parameters
    ----------
    hidden_states : ndarray of shape (..., seq, d_model), float32 or float64
    attention_mask : array_like of 0 and 1, of shape (..., seq)
        1 for a real token, 0 for padding.

    Returns
    -------
    ndarray of shape (..., d_model)
        In the dtype of `hidden_states`. A text without a real token gives zeros.

    Raises
    ------
    TypeError
        If `hidden_states` is neither float32 nor float64.
    ValueError
        If the mask has another shape or other values, or `hidden_states` one axis.
    """
    hidden_states = as_float_array(hidden_states, "hidden_states")
    check_axes(hidden_states, 2, "hidden_states", "(..., seq, d_model)")
    keep = as_mask(attention_mask, hidden_states.shape[:-1])
    # np.where, not a product: padding may hold anything, NaN included.
    kept = np.where(keep[..., np.newaxis], hidden_states, hidden_states.dtype.type(0))
    count = keep.sum(axis=-1, keepdims=True).astype(hidden_states.dtype)
    return kept.sum(axis=-2) / np.maximum(count, 1)


def unit_length(vectors):
    """Scale each vector to length one; a zero vector stays zero.

    Parameters
    ----------
    vectors : ndarray of shape (..., d_model), float32 or float64

    Returns
    -------
    ndarray
        Same shape and dtype.

    Raises
    ------
    TypeError
        If the vectors are neither float32 nor float64.
    ValueError
        If NaN or infinity is among them: they have no direction.
    """
    vectors = as_float_array(vectors, "vectors")
    # Scaled by the largest entry first: squares can neither overflow nor vanish.
    scale = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0)
    if not np.isfinite(scale).all():
        raise ValueError(
            "vectors holds NaN or infinity, expected finite numbers; look for the text "
            "or the weight that it comes from"
        )
    vectors = vectors / np.where(scale == 0, vectors.dtype.type(1), scale)
    length = np.sqrt(np.sum(vectors * vectors, axis=-1, keepdims=True))
    return vectors / np.where(length == 0, vectors.dtype.type(1), length)


def cosine_similarity(a, b):
    """Return the cosine of the angle between each row of `a` and each row of `b`.

    Parameters
    ----------
    a : ndarray of shape (n, d_model) or (d_model,), float32 or float64
    b : ndarray of shape (m, d_model) or (d_model,)

    Returns
    -------
    ndarray of shape (n, m)
        From -1 to 1, up to rounding; zero for a zero vector. An axis is missing
        where the argument is a single vector.

    Raises
    ------
    TypeError
        If an argument is neither float32 nor float64.
    ValueError
        If the two have different widths, or hold NaN or infinity.
    """
    a, b = unit_length(a), unit_length(b)
    if a.ndim not in (1, 2) or b.ndim not in (1, 2) or a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"the arguments have shapes {a.shape} and {b.shape}, expected (n, d_model) "
            f"and (m, d_model); pass one row per text"
        )
    return a @ b.T


def embed_sentences(
    tokenizer, encoder, texts, *, batch_size=32, max_length=None, progress=False
):
    """Turn texts into vectors whose products say how close the meanings are.

    Parameters
    ----------
    tokenizer : BertTokenizer
    encoder : BertEncoder
    texts : list of str
    batch_size : int, default 32
        Texts encoded at a time. They are sorted by length first, so that little is
        padded; the result is in the order of `texts`.
    max_length : int, optional
        Tokens kept of each text; the positions that the encoder has if left out.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    ndarray of shape (len(texts), d_model)
        Of unit length, in the dtype of the encoder.

    Raises
    ------
    TypeError
        If `texts` is a single string, has no order, or holds something else than
        strings; or if `encoder` is no encoder.
    ValueError
        If `batch_size` is below one, `max_length` is beyond the encoder's
        positions, a text has a lone surrogate, or a weight of the encoder is NaN.

    References
    ----------
    Reimers and Gurevych, "Sentence-BERT", 2019, section 3.
    """
    if not hasattr(encoder, "max_position"):
        raise TypeError(
            f"encoder is {type(encoder).__name__}, expected a BertEncoder; the order "
            f"is embed_sentences(tokenizer, encoder, texts)"
        )
    texts = as_texts(texts, "texts")
    check_positive(batch_size=batch_size)
    max_length = encoder.max_position if max_length is None else max_length
    check_positive(max_length=max_length)
    if max_length > encoder.max_position:
        raise ValueError(
            f"max_length is {max_length}, expected at most {encoder.max_position}, "
            f"the positions that the encoder has; leave it out to use them all"
        )
    vectors = np.empty((len(texts), encoder.d_model), encoder.dtype)
    for rows, batch in _by_length(tokenizer, texts, batch_size, max_length, progress):
        hidden_states = encoder(**batch)["last_hidden_state"]
        pooled = mean_pool(hidden_states, batch["attention_mask"])
        vectors[rows] = unit_length(pooled)
    return vectors


def as_texts(texts, name):
    """Return the texts as a list, or say what is no text.

    Anything that gives one text after the other will do. A set has no order, and
    the keys of a dict are hardly what is meant.
    """
    try:
        listed = None if isinstance(texts, str | bytes | Mapping | Set) else [*texts]
    except TypeError:  # not iterable
        listed = None
    if listed is None:
        kind = "a single string" if isinstance(texts, str) else type(texts).__name__
        raise TypeError(
            f"{name} is {kind}, expected a list of strings; write [text] for one text"
        )
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(
                f"{name}[{index}] is {type(text).__name__}, expected str; "
                f"convert it with str()"
            )
        check_text(text, f"{name}[{index}]")  # the tokenizer gets another order
    return listed


def _by_length(tokenizer, texts, batch_size, max_length, progress):
    """Yield batches of texts of similar length, with the rows they came from."""
    order = np.argsort([len(text) for text in texts], kind="stable")[::-1]
    with tqdm(total=len(texts), disable=not progress, unit="text") as bar:
        for start in range(0, len(texts), batch_size):
            rows = order[start : start + batch_size]
            batch = [texts[row] for row in rows]
            yield rows, tokenizer(batch, max_length=max_length)
            bar.update(len(rows))
