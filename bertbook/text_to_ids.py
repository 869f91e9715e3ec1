"""From one text to the ids of its tokens, and to where each token stands in it."""

import re
from itertools import accumulate, chain, pairwise

from bertbook.normalization import (
    split_at_white_space,
    split_words,
    split_words_with_origins,
)
from bertbook.vocabulary import SPECIAL_TOKENS
from bertbook.wordpiece import CONTINUATION, match_pieces

__all__ = [
    "IdsByChunk",
    "split_special_tokens",
    "text_to_ids",
    "text_to_ids_and_offsets",
]

# With the group, re.split gives in turn: text, special token, text, ..., text.
_SPECIAL = re.compile("(" + "|".join(map(re.escape, SPECIAL_TOKENS)) + ")")

UNKNOWN = ["[UNK]"]

# How much is remembered: this many stretches of text, none of them longer than this.
MAX_REMEMBERED, MAX_REMEMBERED_LENGTH = 32_768, 32


def split_special_tokens(text):
    """Split a text at its special tokens, which then stand at the odd places."""
    return _SPECIAL.split(text) if "[" in text else [text]


def text_to_ids(text, ids_by_chunk):
    """Return the ids of a text as a list.

    Parameters
    ----------
    text : str
        A text, special tokens perhaps included.
    ids_by_chunk : IdsByChunk
        The vocabulary, and what was found with it so far.
    """
    ids = []
    for place, segment in enumerate(split_special_tokens(text)):
        if place % 2:
            ids.append(ids_by_chunk.token_to_id[segment])
        else:
            chunks = split_at_white_space(segment)
            ids.extend(chain.from_iterable(map(ids_by_chunk.__getitem__, chunks)))
    return ids


def text_to_ids_and_offsets(text, ids_by_chunk):
    """Return the same ids, and a list with the (start, end) of each in the text."""
    ids, offsets, start = [], [], 0
    for place, segment in enumerate(split_special_tokens(text)):
        if place % 2:
            ids.append(ids_by_chunk.token_to_id[segment])
            offsets.append((start, start + len(segment)))
        else:
            for word, origins in split_words_with_origins(segment):
                pieces = ids_by_chunk.pieces(word)
                ids += [ids_by_chunk.token_to_id[piece] for piece in pieces]
                offsets += [
                    (start + origins[first], start + origins[after_last - 1] + 1)
                    for first, after_last in piece_spans(word, pieces)
                ]
        start += len(segment)
    return ids, offsets


def piece_spans(word, pieces):
    """Return the (start, end) of each piece in its word, as an iterable."""
    if pieces == UNKNOWN:
        return [(0, len(word))]
    lengths = [len(piece) for piece in pieces[:1]]
    lengths += [len(piece) - len(CONTINUATION) for piece in pieces[1:]]
    return pairwise(accumulate(lengths, initial=0))


class IdsByChunk(dict):
    """The ids of stretches of text without white space, found when first asked for.

    Parameters
    ----------
    token_to_id : dict of str to int
        The id of every token, special tokens included.

    Notes
    -----
    Ordinary text repeats itself, so most words cost one look-up here. No step joins
    what white space parts, so the ids of a stretch depend on nothing around it.
    """

    def __init__(self, token_to_id):
        super().__init__()
        self.token_to_id = token_to_id
        self._longest = max(map(len, token_to_id))

    def __missing__(self, chunk):
        """Find the ids of a stretch, and remember them if it is a short one."""
        pieces = chain.from_iterable(map(self.pieces, split_words(chunk)))
        ids = tuple(self.token_to_id[piece] for piece in pieces)
        if len(chunk) <= MAX_REMEMBERED_LENGTH:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[chunk] = ids
        return ids

    def pieces(self, word):
        """Return the pieces of a normalised word, or the unknown token."""
        return match_pieces(word, self.token_to_id, self._longest) or UNKNOWN
