"""The file of a search index: vectors, and texts as plain bytes."""

import numpy as np

from bertbook.safetensors_format import read_safetensors, write_safetensors

__all__ = ["read_index", "write_index"]

# What the file holds: the kind of number and the number of axes of each tensor.
TENSORS = {"vectors": ("f", 2), "text_bytes": ("u", 1), "text_lengths": ("i", 1)}


def write_index(path, texts, vectors):
    """Write texts and their vectors, whole or not at all.

    Parameters
    ----------
    path : str or path-like
    texts : list of str
    vectors : ndarray of shape (len(texts), d_model)

    Raises
    ------
    ValueError
        If there is not one vector for each text.
    """
    if len(texts) != len(vectors):
        raise ValueError(
            f"texts has {len(texts)} entries and vectors {len(vectors)}, expected as "
            f"many; make a new index of all the texts"
        )
    encoded = [text.encode("utf-8") for text in texts]
    arrays = {
        "vectors": vectors,
        "text_bytes": np.frombuffer(b"".join(encoded), np.uint8),
        "text_lengths": np.array([len(text) for text in encoded], np.int64),
    }
    write_safetensors(path, arrays, metadata={"format": "bertbook index"})


def read_index(path):
    """Return the texts and the vectors of a saved index, or say why it is none.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    texts : list of str
    vectors : ndarray of shape (len(texts), d_model)

    Raises
    ------
    ValueError
        If the file is broken, or holds something else than an index.
    """
    arrays = read_safetensors(path)
    try:
        if _is_index(arrays):
            # A copy: the map would show what another program writes to the file.
            return _cut_texts(arrays), np.array(arrays["vectors"])
    except UnicodeDecodeError:
        pass  # which says less than the sentence below
    raise ValueError(
        f"{str(path)!r} holds no index, expected a file that SearchIndex.save has "
        f"written; a model is read by load_pretrained"
    )


def _is_index(arrays):
    """Return whether the tensors of a file belong together as those of an index."""
    if {name: (a.dtype.kind, a.ndim) for name, a in arrays.items()} != TENSORS:
        return False
    vectors, raw, lengths = (arrays[name] for name in TENSORS)
    # Each by itself first: a sum of enormous lengths can come out right by overflow.
    fits = ((lengths >= 0) & (lengths <= raw.nbytes)).all()
    if len(lengths) != len(vectors) or not fits or lengths.sum() != raw.nbytes:
        return False
    # Squared only if none is huge; a NaN is not below two either.
    if not (np.abs(vectors).max(axis=-1, initial=0) < 2).all():
        return False
    return bool((np.abs(np.vecdot(vectors, vectors) - 1) < 0.05).all())


def _cut_texts(arrays):
    """Return the texts that stand one after the other in `text_bytes`."""
    raw, lengths = arrays["text_bytes"].tobytes(), arrays["text_lengths"]
    stops = np.cumsum(lengths)
    pieces = zip(stops - lengths, stops, strict=True)
    return [raw[start:stop].decode("utf-8") for start, stop in pieces]
