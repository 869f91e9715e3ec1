"""What BERT's uncased normalisation leaves of a text: one small table lookup.

Every character has a *normal form*: nothing at all, a blank, itself, or a few
plainer letters; a character that stands alone (punctuation, ideographs) comes
with blanks around it. So one ``str.translate`` followed by ``str.split`` is the
whole way from a raw text to its words.
"""

import re
import unicodedata
from bisect import bisect_right

from bertbook import unicode_tables

__all__ = [
    "normal_form",
    "split_at_white_space",
    "split_words",
    "split_words_with_origins",
]

# Forms of this many characters are kept: more than any one language uses, and
# no more than about 2 MB whatever texts come along.
MAX_REMEMBERED_FORMS = 16_384


def _bounds(table):
    """Flatten ``"41-5A 5F"`` to the sorted bounds ``[0x41, 0x5B, 0x5F, 0x60]``."""
    bounds = []
    for item in table.split():
        first, _, last = item.partition("-")
        bounds += [int(first, 16), int(last or first, 16) + 1]
    return bounds


def _partners(table):
    """Read ``"41-5A:61"`` as ``{0x41: "a", ..., 0x5A: "z"}``."""
    partners = {}
    for item in table.split():
        span, partner = item.split(":")
        first, after_last = _bounds(span)
        for code_point in range(first, after_last):
            partners[code_point] = chr(int(partner, 16) + code_point - first)
    return partners


_REMOVED = _bounds(unicode_tables.REMOVED)
_SPACES = _bounds(unicode_tables.SPACES)
_CJK = _bounds(unicode_tables.CJK)
_PUNCTUATION = _bounds(unicode_tables.PUNCTUATION)
_DECOMPOSED = _bounds(unicode_tables.DECOMPOSED)
_LOWERED = _partners(unicode_tables.LOWERED)


def _among(bounds, character):
    """Tell whether a character lies inside one of the ranges."""
    return bisect_right(bounds, ord(character)) % 2 == 1


def normal_form(character):
    r"""Return what BERT's uncased normalisation makes of one character.

    Parameters
    ----------
    character : str
        One character.

    Returns
    -------
    str
        ``""`` if the character is removed, ``" "`` if it is white space, else its
        lower-case letters without accents; between blanks if it stands alone.

    Notes
    -----
    In this order: controls are removed and white space becomes a blank; the rest
    is decomposed (NFD), non-spacing marks are removed, each letter is lower-cased
    by itself. The last point matters for the Greek capital sigma, which
    ``str.lower`` treats differently at the end of a word.

    A text is normalised character by character, so of NFD's second step, the
    canonical order of marks, nothing is done. It is invisible in the ids unless
    one word of the vocabulary holds two of the few combining marks that are kept.

    References
    ----------
    Unicode Standard Annex 15, "Unicode Normalization Forms".
    google-research/bert, ``tokenization.py``, class ``BasicTokenizer``.

    Examples
    --------
    >>> normal_form("É"), normal_form("?"), normal_form("\t"), normal_form("\u200b")
    ('e', ' ? ', ' ', '')
    """
    if _among(_REMOVED, character):
        return ""
    if _among(_SPACES, character):
        return " "
    letters = character
    if _among(_DECOMPOSED, character):
        letters = unicodedata.normalize("NFD", character)
    kept = [letter for letter in letters if not _among(_REMOVED, letter)]
    form = "".join(_LOWERED.get(ord(letter)) or letter.lower() for letter in kept)
    if _among(_CJK, character) or _among(_PUNCTUATION, form[0]):
        return f" {form} "
    return form


class _NormalForms(dict):
    """Normal forms by code point, found when first asked for (``str.translate``)."""

    def __missing__(self, code_point):
        """Find the form of a character, and remember it as long as there is room."""
        form = normal_form(chr(code_point))
        if len(self) < MAX_REMEMBERED_FORMS:
            self[code_point] = form
        return form


_FORMS = _NormalForms()

# Python counts these as white space too; BERT removes them, and joins what they part.
_ODD_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_WITHOUT_ODD_SPACES = dict.fromkeys(map(ord, _ODD_SPACES))


def split_at_white_space(text):
    """Return the stretches of a raw text between white space, as BERT sees it."""
    if any(map(text.__contains__, _ODD_SPACES)):
        text = text.translate(_WITHOUT_ODD_SPACES)
    return text.split()


def split_words(text):
    """Normalise a text and split it into words and punctuation marks.

    Parameters
    ----------
    text : str
        Any text, without special tokens.

    Returns
    -------
    list of str
        The normalised words; every punctuation mark and ideograph is a word.

    Examples
    --------
    >>> split_words("Déjà vu, again?")
    ['deja', 'vu', ',', 'again', '?']
    """
    return text.translate(_FORMS).split()


def split_words_with_origins(text):
    """Do the same, and remember where every character came from.

    Parameters
    ----------
    text : str
        Any text, without special tokens.

    Yields
    ------
    word : str
        One normalised word.
    origins : list of int
        For each character of the word, its index in ``text``.
    """
    forms = [_FORMS[ord(character)] for character in text]
    origins = [index for index, form in enumerate(forms) for _ in form]
    for match in re.finditer(r"\S+", "".join(forms)):
        yield match.group(), origins[match.start() : match.end()]
