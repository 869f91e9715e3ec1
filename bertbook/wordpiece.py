"""WordPiece: how a word falls into known pieces, and how the pieces are learnt.

A piece that goes on inside a word starts with two number signs: ``un ##aff ##able``.
"""

import heapq
from collections import Counter, defaultdict

__all__ = [
    "CONTINUATION",
    "MAX_CHARACTERS",
    "join_tokens",
    "joined",
    "learn_vocab",
    "match_pieces",
]

CONTINUATION = "##"

# A longer word becomes one unknown token, as in the published tokenizers.
MAX_CHARACTERS = 100

# The marks that the reference writes without a blank before them.
_CLOSING = frozenset(".?!,")


def match_pieces(word, vocab, longest=MAX_CHARACTERS):
    """Cut a word into the longest pieces that a vocabulary knows, from the left.

    Parameters
    ----------
    word : str
        A normalised word.
    vocab : container of str
        The known pieces: a set, or the keys of a dictionary.
    longest : int
        Length of the longest piece in ``vocab``; a bound that only saves time.

    Returns
    -------
    list of str or None
        The pieces, or None if the word cannot be made of known pieces.

    Notes
    -----
    Greedy: at each place the longest piece that fits is taken, and never given
    back. A single character that is not known makes the whole word unknown.

    References
    ----------
    Schuster and Nakajima, "Japanese and Korean Voice Search", ICASSP 2012.

    Examples
    --------
    >>> match_pieces("unaffable", {"un", "una", "##aff", "##ff", "##able"})
    ['una', '##ff', '##able']
    """
    if len(word) > MAX_CHARACTERS:
        return None
    if word in vocab:  # most are; asking first makes the search half as long
        return [word]
    pieces = []
    start, prefix = 0, ""
    while start < len(word):
        for end in range(min(len(word), start + longest), start, -1):
            piece = prefix + word[start:end]
            if piece in vocab:
                break
        else:
            return None
        pieces.append(piece)
        start, prefix = end, CONTINUATION
    return pieces


def join_tokens(tokens):
    """Write tokens as a text: the inverse of cutting, with blanks between words.

    Parameters
    ----------
    tokens : list of str
        Words, punctuation marks and pieces.

    Returns
    -------
    str
        Pieces stand close to what they go on from, and so do ``. ? ! ,``.

    Examples
    --------
    >>> join_tokens(["no", "##body", "'", "s", "there", "."])
    "nobody ' s there."
    """
    parts = []
    for token in tokens:
        if not parts or token in _CLOSING:
            parts.append(token)
        elif token.startswith(CONTINUATION):
            parts.append(token.removeprefix(CONTINUATION))
        else:
            parts.append(f" {token}")
    return "".join(parts)


def learn_vocab(word_counts, vocab_size, special_tokens=()):
    """Learn a WordPiece vocabulary from counted words.

    Parameters
    ----------
    word_counts : dict of str to int
        How often each normalised word occurs.
    vocab_size : int
        The size wanted, special tokens and single characters included.
    special_tokens : sequence of str
        Tokens that come first and are no part of any word.

    Returns
    -------
    list of str
        The special tokens, the single characters in alphabetical order, then the
        joined pieces in the order in which they were learnt. Fewer than
        ``vocab_size`` if every word has become one piece before that.

    Raises
    ------
    ValueError
        If ``vocab_size`` has no room for the single characters.

    Notes
    -----
    Of all pairs of neighbouring pieces the one with the highest score is joined,
    again and again::

        score(a, b) = count(a, b) / (count(a) * count(b))

    The score asks how much more often the two stand together than their own
    frequencies let expect; byte-pair encoding looks at ``count(a, b)`` alone. Equal
    scores are decided by the higher count, then by alphabetical order, so the result
    depends neither on the order of the texts nor on the run.

    References
    ----------
    Schuster and Nakajima, "Japanese and Korean Voice Search", ICASSP 2012.
    Hugging Face course, chapter 6, "WordPiece tokenization" (the score).
    """
    corpus = _Corpus(word_counts)
    vocab = dict.fromkeys([*special_tokens, *sorted(corpus.piece_counts)])
    if len(vocab) > vocab_size:
        raise ValueError(
            f"vocab_size is {vocab_size}, but {len(special_tokens)} special tokens and "
            f"{len(corpus.piece_counts)} single characters (at the start of a word and "
            f"inside it apart) already need {len(vocab)}; raise vocab_size to more "
            f"than that, or train on texts with fewer different characters"
        )
    queue = [corpus.rank(pair) for pair in corpus.pair_counts]
    heapq.heapify(queue)
    while queue and len(vocab) < vocab_size:
        entry = heapq.heappop(queue)
        pair = entry[-1]
        # An entry is out of date if its pair was counted anew after it was queued.
        if pair in corpus.pair_counts and entry == corpus.rank(pair):
            vocab[joined(*pair)] = None
            for changed in corpus.join(pair):
                heapq.heappush(queue, corpus.rank(changed))
    return list(vocab)


def joined(first, second):
    """Write two neighbouring pieces as one: ``##a`` and ``##b`` give ``##ab``."""
    return first + second.removeprefix(CONTINUATION)


class _Corpus:
    """The words as lists of pieces, with all counts that joining a pair changes."""

    def __init__(self, word_counts):
        self.word_counts = list(word_counts.values())
        self.words = [
            [word[0], *(CONTINUATION + letter for letter in word[1:])]
            for word in word_counts
        ]
        self.piece_counts, self.pair_counts = Counter(), Counter()
        self.words_with = defaultdict(set)  # pair -> indices of words that hold it
        self.pairs_with = defaultdict(set)  # piece -> pairs that it is part of
        for index in range(len(self.words)):
            self._count(index, self.word_counts[index])

    def rank(self, pair):
        """Return the sort key of a pair: the best pair has the smallest."""
        first, second = pair
        count = self.pair_counts[pair]
        score = count / (self.piece_counts[first] * self.piece_counts[second])
        return -score, -count, pair

    def join(self, pair):
        """Make one piece of a pair in every word; return pairs with a new score."""
        new_piece = joined(*pair)
        for index in self.words_with.pop(pair):
            self._count(index, -self.word_counts[index])
            self.words[index] = _join_in_word(self.words[index], pair, new_piece)
            self._count(index, self.word_counts[index])
        pieces = {*pair, new_piece}
        return {near for piece in pieces for near in self._live_pairs(piece)}

    def _count(self, index, amount):
        """Add one word, ``amount`` times, to all counts (take away if negative)."""
        word = self.words[index]
        for piece in word:
            self.piece_counts[piece] += amount
        for pair in zip(word, word[1:], strict=False):
            self.pair_counts[pair] += amount
            if amount > 0:
                self.words_with[pair].add(index)
                for piece in pair:
                    self.pairs_with[piece].add(pair)

    def _live_pairs(self, piece):
        """Return the pairs with this piece, and forget those that died out."""
        pairs = self.pairs_with[piece]
        for pair in [pair for pair in pairs if not self.pair_counts[pair]]:
            pairs.discard(pair)
            del self.pair_counts[pair]
        return pairs


def _join_in_word(word, pair, new_piece):
    """Return the word's pieces with every occurrence of the pair made one piece."""
    result = []
    for piece in word:
        if result and (result[-1], piece) == pair:
            result[-1] = new_piece
        else:
            result.append(piece)
    return result
