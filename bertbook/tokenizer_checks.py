"""What a tokenizer accepts, and one clear sentence for everything else."""

from operator import index as as_integer

import numpy as np

from bertbook.batching import TRUNCATIONS
from bertbook.checks import check_choice

__all__ = ["as_text_columns", "check_integer", "check_text", "room_for_content"]


def check_text(text, name):
    """Refuse what is not a str, or is a str with half a surrogate pair in it."""
    if not isinstance(text, str):
        way_out = "for pairs of texts use texts=[...] and pairs=[...]"
        if isinstance(text, bytes):
            way_out = "decode it first with .decode('utf-8')"
        raise TypeError(
            f"{name} is of type {type(text).__name__}, expected str; {way_out}"
        )
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} has the lone surrogate {text[error.start]!a} at position "
            f"{error.start}, expected whole characters; read the source in its right "
            f"encoding, or replace it"
        ) from None


def as_text_columns(texts, pairs):
    """Return ``[texts]`` or ``[texts, pairs]`` as lists of checked texts."""
    columns = {"texts": texts} if pairs is None else {"texts": texts, "pairs": pairs}
    for name, value in columns.items():
        if not isinstance(value, str | list | tuple):
            raise TypeError(
                f"{name} is of type {type(value).__name__}, expected a str or a list "
                f"of str; convert it with list(...)"
            )
    if all(isinstance(value, str) for value in columns.values()):
        for name, text in columns.items():
            check_text(text, name)
        return [[text] for text in columns.values()]
    if any(isinstance(value, str) for value in columns.values()):
        raise TypeError(
            f"texts is a {type(texts).__name__} and pairs is a {type(pairs).__name__}, "
            f"expected two of a kind; put the single text into a list"
        )
    if pairs is not None and len(texts) != len(pairs):
        raise ValueError(
            f"texts has {len(texts)} entries and pairs has {len(pairs)}, expected as "
            f"many; give one second text for each first one"
        )
    for name, value in columns.items():
        for index, text in enumerate(value):
            check_text(text, f"{name}[{index}]")
    return [list(value) for value in columns.values()]


def check_integer(value, name, *, at_least, why):
    """Return a whole number as int; refuse bool, float and what is too small."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, expected an integer; use int(...)")
    value = as_integer(value)
    if value < at_least:
        raise ValueError(f"{name} is {value}, expected at least {at_least}; {why}")
    return value


def room_for_content(max_length, truncation, pad_to_multiple_of, *, n_texts):
    """Check the options of a call; return how many content tokens fit, or None."""
    check_choice(truncation, TRUNCATIONS, "truncation")
    if truncation == "only_second" and n_texts == 1:
        raise ValueError(
            "truncation is 'only_second' and pairs is None, expected second texts; "
            "give pairs, or use 'longest_first'"
        )
    if pad_to_multiple_of is not None:
        why = "None pads to the longest text"
        check_integer(pad_to_multiple_of, "pad_to_multiple_of", at_least=1, why=why)
    if max_length is None:
        return None
    n_special = n_texts + 1
    why = f"{n_special} special tokens are always added, and None never truncates"
    max_length = check_integer(max_length, "max_length", at_least=n_special, why=why)
    return max_length - n_special
