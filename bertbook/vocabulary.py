"""The vocabulary: a list of tokens, in which a token's place is its id."""

from pathlib import Path

__all__ = ["SPECIAL_TOKENS", "as_vocab", "read_vocab"]

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def read_vocab(path):
    r"""Read a vocabulary file: one token per line, its id is the line's number.

    Parameters
    ----------
    path : str or Path
        A ``vocab.txt``, in UTF-8.

    Returns
    -------
    list of str
        The tokens. An empty line is a token too, and the last line need not end.

    Raises
    ------
    ValueError
        If the file is not UTF-8.

    Notes
    -----
    Only ``\n`` or ``\r\n`` ends a line. ``str.splitlines`` would stop at eight other
    characters as well, and shift all ids behind a token that holds one of them.
    """
    *lines, rest = Path(path).read_bytes().split(b"\n")
    tokens = [line.removesuffix(b"\r") for line in lines] + ([rest] if rest else [])
    try:
        return [token.decode("utf-8") for token in tokens]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} has the token {error.object!r}, which is not UTF-8, expected one "
            f"token in UTF-8 per line; give the path of a vocab.txt"
        ) from None


def as_vocab(vocab):
    """Return a vocabulary as a new list; refuse duplicates and missing tokens."""
    if not isinstance(vocab, list | tuple):
        raise TypeError(
            f"vocab is of type {type(vocab).__name__}, expected a list of tokens in "
            f"the order of their ids; use BertTokenizer.from_file for a vocab.txt"
        )
    first_id = {}
    for token_id, token in enumerate(vocab):
        if not isinstance(token, str):
            raise TypeError(
                f"vocab[{token_id}] is of type {type(token).__name__}, expected str; "
                f"list the tokens themselves, in the order of their ids"
            )
        if first_id.setdefault(token, token_id) != token_id:
            raise ValueError(
                f"vocab has the token {token!r} as id {first_id[token]} and again as "
                f"id {token_id}, expected every token once; look for a doubled line"
            )
    missing = [token for token in SPECIAL_TOKENS if token not in first_id]
    if missing:
        start = f"it starts with {vocab[0]!r}" if vocab else "it is empty"
        raise ValueError(
            f"vocab lacks {', '.join(missing)} ({start}), expected all of "
            f"{', '.join(SPECIAL_TOKENS)}; add them, at any place"
        )
    return list(vocab)
