"""From text to token ids and back: BERT's uncased WordPiece tokenizer."""

from collections import Counter

from bertbook.batching import pack, truncated_lengths
from bertbook.checks import as_ids
from bertbook.normalization import split_words
from bertbook.text_to_ids import (
    IdsByChunk,
    split_special_tokens,
    text_to_ids,
    text_to_ids_and_offsets,
)
from bertbook.tokenizer_checks import (
    as_text_columns,
    check_integer,
    check_text,
    room_for_content,
)
from bertbook.vocabulary import SPECIAL_TOKENS, as_vocab, read_vocab
from bertbook.wordpiece import MAX_CHARACTERS, join_tokens, learn_vocab

__all__ = ["BertTokenizer"]


class BertTokenizer:
    """BERT's uncased tokenizer: normalise, split into words, cut into pieces.

    Parameters
    ----------
    vocab : list of str
        All tokens in the order of their ids, the five special tokens among them.
        A token that goes on inside a word starts with ``##``.

    Attributes
    ----------
    vocab : list of str
        The token of each id.
    token_to_id : dict of str to int
        The id of each token.
    pad_id, unk_id, cls_id, sep_id, mask_id : int
        The ids of the special tokens.

    Raises
    ------
    TypeError
        If ``vocab`` is not a list of str.
    ValueError
        If a token stands twice or a special token is missing.

    Notes
    -----
    The ids are those of the package ``tokenizers`` at every code point, with one
    exception: all ideographs of CJK Extension E stand alone here, as they should.
    ``[MASK]`` and the other special tokens count as such in the text too, if they
    are spelt exactly.

    References
    ----------
    Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", 2019,
    section 3, and its code, google-research/bert, ``tokenization.py``.
    """

    def __init__(self, vocab):
        self.vocab = as_vocab(vocab)
        self.token_to_id = {token: index for index, token in enumerate(self.vocab)}
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = (
            self.token_to_id[token] for token in SPECIAL_TOKENS
        )
        self._ids_by_chunk = IdsByChunk(self.token_to_id)

    def __repr__(self):
        """Show the kind and the size of the vocabulary."""
        return f"{type(self).__name__}(<{len(self.vocab)} tokens>)"

    def __reduce__(self):
        """Copy and pickle the vocabulary alone: the rest follows from it."""
        return type(self), (self.vocab,)

    @classmethod
    def from_file(cls, path):
        """Make a tokenizer from a ``vocab.txt``: one token per line, in UTF-8."""
        return cls(read_vocab(path))

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn a WordPiece vocabulary from texts.

        Parameters
        ----------
        texts : iterable of str
            What to learn from. Special tokens in it are passed over.
        vocab_size : int
            The size wanted. The vocabulary stays smaller if before that every word
            of the texts has become one token.

        Returns
        -------
        BertTokenizer
            Special tokens, characters, then what `wordpiece.learn_vocab` chose.

        Raises
        ------
        TypeError, ValueError
            For texts that are no list of str, or no room for their characters.
        """
        why = "published vocabularies have about 30,000"
        check_integer(vocab_size, "vocab_size", at_least=1, why=why)
        if isinstance(texts, str):
            raise TypeError("texts is one str, expected a list of str; use [texts]")
        word_counts = Counter()
        for index, text in enumerate(texts):
            check_text(text, f"texts[{index}]")
            for segment in split_special_tokens(text)[::2]:
                words = split_words(segment)
                word_counts.update(w for w in words if len(w) <= MAX_CHARACTERS)
        return cls(learn_vocab(word_counts, vocab_size, SPECIAL_TOKENS))

    def __call__(
        self,
        texts,
        pairs=None,
        *,
        max_length=512,
        truncation="longest_first",
        pad_to_multiple_of=None,
        return_offsets=False,
        return_special_tokens_mask=False,
    ):
        """Turn texts, or pairs of texts, into the arrays that an encoder takes.

        Parameters
        ----------
        texts : str or list of str
            One text gives arrays of shape (seq,), a list gives (batch, seq).
        pairs : str or list of str, optional
            The second text of each pair.
        max_length : int or None
            Longest row, special tokens included; None never truncates.
        truncation : {"longest_first", "only_first", "only_second"}
            Which text of a pair is cut.
        pad_to_multiple_of : int, optional
            Round the width up to a multiple of this, beyond ``max_length`` if need be.
        return_offsets, return_special_tokens_mask : bool
            Add ``offsets`` or ``special_tokens_mask`` to the result.

        Returns
        -------
        dict of str to ndarray of shape (batch, seq) or (seq,), int64
            ``token_ids``; ``segment_ids``, 1 on the second text and its ``[SEP]``;
            ``attention_mask``, 0 on padding. ``offsets``, of shape (..., seq, 2): start
            and end of each token in its own text, as it was given.
            ``special_tokens_mask``: 1 on what was added; a special token that stands
            in the text itself has 0.

        Raises
        ------
        TypeError
            If a text is not a str, or only one of ``texts`` and ``pairs`` is a list.
        ValueError
            If ``texts`` and ``pairs`` differ in length, a text has a lone surrogate,
            or what may be cut is too short for ``max_length``.
        """
        columns = as_text_columns(texts, pairs)
        room = room_for_content(
            max_length, truncation, pad_to_multiple_of, n_texts=len(columns)
        )
        rows = [
            self._encode_row(row, room, truncation, return_offsets)
            for row in zip(*columns, strict=True)
        ]
        extras = ["offsets"] * return_offsets
        extras += ["special_tokens_mask"] * return_special_tokens_mask
        batch = pack(rows, self, pad_to_multiple_of, extras)
        if isinstance(texts, str):
            return {name: array[0] for name, array in batch.items()}
        return batch

    def encode(self, text):
        """Return the ids of one text, ``[CLS]`` and ``[SEP]`` included.

        Parameters
        ----------
        text : str
            Without a lone surrogate; anything else raises TypeError or ValueError.

        Returns
        -------
        list of int
        """
        check_text(text, "text")
        return [self.cls_id, *text_to_ids(text, self._ids_by_chunk), self.sep_id]

    def tokenize(self, text):
        """Return the tokens of one text; none are added.

        Parameters
        ----------
        text : str
            Without a lone surrogate; anything else raises TypeError or ValueError.

        Returns
        -------
        list of str
        """
        check_text(text, "text")
        ids = text_to_ids(text, self._ids_by_chunk)
        return [self.vocab[token_id] for token_id in ids]

    def decode(self, token_ids, *, skip_special_tokens=True):
        """Write ids of one text as a text again.

        Parameters
        ----------
        token_ids : sequence of int, or ndarray of shape (seq,)
            The ids.
        skip_special_tokens : bool
            Leave out all five special tokens, unknown and masked words included.

        Returns
        -------
        str
            Normalised words between blanks: what normalisation took is gone. As in
            the reference only ``. ? ! ,`` stand close: ``l'heure`` gives ``l ' heure``.

        Raises
        ------
        TypeError, ValueError
            If the ids are no integers, one is out of range, or they are a batch.
        """
        ids = as_ids(token_ids, len(self.vocab), "token_ids", "the vocabulary")
        if ids.ndim != 1:
            raise ValueError(
                f"token_ids has shape {ids.shape}, expected (seq,); decode a batch row "
                f"by row"
            )
        tokens = [self.vocab[token_id] for token_id in ids]
        if skip_special_tokens:
            tokens = [token for token in tokens if token not in SPECIAL_TOKENS]
        return join_tokens(tokens)

    def _encode_row(self, texts, room, truncation, with_offsets):
        """Return [(ids, offsets), ...] of one text or pair, cut to the room."""
        if with_offsets:
            row = [text_to_ids_and_offsets(text, self._ids_by_chunk) for text in texts]
        else:
            row = [(text_to_ids(text, self._ids_by_chunk), []) for text in texts]
        kept = truncated_lengths([len(ids) for ids, _ in row], room, truncation)
        cut = zip(row, kept, strict=True)
        return [(ids[:length], offsets[:length]) for (ids, offsets), length in cut]
