"""From lists of ids to one rectangular batch: truncation, special tokens, padding."""

import numpy as np

__all__ = ["TRUNCATIONS", "pack", "truncated_lengths"]

TRUNCATIONS = ("longest_first", "only_first", "only_second")


def truncated_lengths(lengths, room, truncation):
    """Tell how many tokens of one text, or of the two texts of a pair, are kept.

    Parameters
    ----------
    lengths : sequence of int
        Number of tokens of the text, or of both texts of a pair.
    room : int or None
        How many tokens may stay in all, special tokens not counted; None for all.
    truncation : {"longest_first", "only_first", "only_second"}
        Which text of a pair has to give.

    Returns
    -------
    list of int
        How many tokens of each text to keep, from the left.

    Raises
    ------
    ValueError
        If the one text that may be cut would have nothing left.

    Notes
    -----
    ``"longest_first"`` cuts the longer text down to the shorter one, then both alike;
    of an odd room the text that was not shorter, in doubt the second, gets one more.
    """
    excess = 0 if room is None else sum(lengths) - room
    if excess <= 0:
        return list(lengths)
    if len(lengths) == 1:
        return [room]
    if truncation == "longest_first":
        shorter = min(*lengths, room // 2)
        kept = [shorter, room - shorter]
        return kept if lengths[0] <= lengths[1] else kept[::-1]
    side = TRUNCATIONS.index(truncation) - 1
    if lengths[side] <= excess:
        raise ValueError(
            f"truncation={truncation!r} would have to remove {excess} tokens, expected "
            f"fewer than the {lengths[side]} of that text; raise max_length, or use "
            f"'longest_first'"
        )
    kept = list(lengths)
    kept[side] -= excess
    return kept


def pack(rows, special_ids, pad_to_multiple_of=None, extras=()):
    """Add the special tokens and pad all rows to one width, on the right.

    Parameters
    ----------
    rows : list of list of (ids, offsets)
        For each row its one or two texts: a list of ids, and a list with the (start,
        end) of each token, which may be empty.
    special_ids : BertTokenizer
        Anything with ``pad_id``, ``cls_id`` and ``sep_id``.
    pad_to_multiple_of : int, optional
        Round the width up to a multiple of this.
    extras : collection of str
        What to return besides: ``"special_tokens_mask"``, ``"offsets"``.

    Returns
    -------
    dict of str to ndarray of shape (batch, seq), int64
        ``token_ids``: ``[CLS] first [SEP]`` or ``[CLS] first [SEP] second [SEP]``;
        ``segment_ids``: 1 on the second text and its ``[SEP]``, else 0;
        ``attention_mask``: 0 on the padding, else 1;
        ``special_tokens_mask``: 1 on all that was added here, padding included;
        ``offsets``, of shape (batch, seq, 2): (0, 0) on all that was added here.
    """
    widths = [1 + sum(len(ids) + 1 for ids, _ in row) for row in rows]
    multiple = pad_to_multiple_of or 1
    shape = (len(rows), -(-max(widths, default=0) // multiple) * multiple)
    batch = {
        "token_ids": np.full(shape, special_ids.pad_id, dtype=np.int64),
        "segment_ids": np.zeros(shape, dtype=np.int64),
        "attention_mask": np.zeros(shape, dtype=np.int64),
    }
    if "special_tokens_mask" in extras:
        batch["special_tokens_mask"] = np.ones(shape, dtype=np.int64)
    if "offsets" in extras:
        batch["offsets"] = np.zeros((*shape, 2), dtype=np.int64)
    for index, row in enumerate(rows):
        _fill_row(
            {name: array[index] for name, array in batch.items()}, row, special_ids
        )
    return batch


def _fill_row(arrays, row, special_ids):
    """Write one text or pair, with its special tokens, into the start of a row."""
    arrays["token_ids"][0] = special_ids.cls_id
    end = 1
    for segment, (ids, offsets) in enumerate(row):
        start, end = end, end + len(ids) + 1
        arrays["token_ids"][start:end] = [*ids, special_ids.sep_id]
        arrays["segment_ids"][start:end] = segment
        if "special_tokens_mask" in arrays:
            arrays["special_tokens_mask"][start : end - 1] = 0
        if offsets:
            arrays["offsets"][start : end - 1] = offsets
    arrays["attention_mask"][:end] = 1
