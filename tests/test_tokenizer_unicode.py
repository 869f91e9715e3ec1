"""Every code point, against the reference and against the interpreter."""

import functools
import hashlib
import sys
import unicodedata
from pathlib import Path

import make_unicode_tables
import pytest
from make_unicode_tables import EXTENSION_E_SLIP, scalar_values
from tokenizers import normalizers, pre_tokenizers

from bertbook import normalization
from bertbook.normalization import (
    normal_form,
    split_at_white_space,
    split_words,
    split_words_with_origins,
)

# Nothing is covered here alone, and to note each line would double the time.
pytestmark = pytest.mark.no_cover


def is_checked(code_point):
    """Tell which characters every run looks at: all that Unicode has given out.

    Planes 4 to 13 are empty and 15 and 16 are private: there, every 61st and the
    ends of the planes. That the tables equal a sweep over all is a test of its own.
    """
    assigned = code_point < 0x40000 or 0xE0000 <= code_point < 0xE1000
    return assigned or code_point % 61 == 0 or (code_point + 4) % 0x10000 < 8


@functools.cache
def forms():
    """Return the normal form of every character that is looked at."""
    return {chr(c): normal_form(chr(c)) for c in scalar_values() if is_checked(c)}


def strings_of_all_characters():
    """Yield a hundred texts with every such character between a and b."""
    codes = filter(is_checked, scalar_values())
    known = [chr(c) for c in codes if c not in EXTENSION_E_SLIP]
    for start in range(0, len(known), 4096):
        yield " ".join(f"a{character}b" for character in known[start : start + 4096])


def test_every_character_gives_the_words_of_the_reference():
    normalize = normalizers.BertNormalizer().normalize_str
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    for text in strings_of_all_characters():
        right = [word for word, _ in split(normalize(text))]
        assert "".join(map(forms().get, text)).split() == right


def test_the_forms_are_the_same_under_every_interpreter():
    # Taken under Python 3.11. Python 3.12 and 3.13, and the tables of Unicode 18,
    # gave the same.
    digest = hashlib.sha256("\n".join(forms().values()).encode("utf-8")).hexdigest()
    assert digest == "22ff0fb5cc5f7fe30b3dcad0b57c74611f5fb4d774f5406fc9c94c3fd4da6ddb"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the tables of 3.11")
def test_the_tables_are_what_the_generator_writes():
    path = Path(normalization.__file__).with_name("unicode_tables.py")
    source = make_unicode_tables.module_source(make_unicode_tables.sweep())
    assert path.read_text(encoding="utf-8") == source


def test_extension_e_stands_alone_as_a_whole():
    for code_point in (0x2B81F, 0x2B820, 0x2B91F, 0x2B920, 0x2CEAF):
        assert normal_form(chr(code_point)) == f" {chr(code_point)} "
    assert normal_form("\U0002ceb0") == "\U0002ceb0"


def test_white_space_is_what_becomes_a_blank_and_nothing_else():
    spaces = {character for character, form in forms().items() if form == " "}
    dropped = spaces | set("\x0b\x0c\x1c\x1d\x1e\x1f\x85")
    for text in strings_of_all_characters():
        chunks = split_at_white_space(text)
        assert len(chunks) == sum(character in spaces for character in text) + 1
        assert "".join(chunks) == "".join(c for c in text if c not in dropped)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\u039f\u0394\u039f\u03a3", ["\u03bf\u03b4\u03bf\u03c3"]),  # no final sigma
        ("Stra\u00dfe \ufb01", ["stra\u00dfe", "\ufb01"]),  # lower case, no casefold
        ("\u0130\u0131", ["i\u0131"]),
        ("a\u0301\u0323e\u0302", ["ae"]),
        ("\u0e31\u0915\u093f", ["\u0915\u093f"]),  # Mn goes, Mc stays
        ("\ud55c", ["\u1112\u1161\u11ab"]),
        ("a\u2260b \u037e", ["a", "=", "b", ";"]),
        ("a$b_c", ["a", "$", "b", "_", "c"]),
        ("5\u20ac\u00b0", ["5\u20ac\u00b0"]),  # symbols are no punctuation
        ("\u4e2d\u3042\uac00", ["\u4e2d", "\u3042\u1100\u1161"]),
        ("a\u200b\ufffd\x00\ue000b", ["ab"]),
        ("a\tb\u00a0c\u2028d", ["a", "b", "c", "d"]),
        ("!?", ["!", "?"]),
    ],
)
def test_hard_characters_have_the_forms_that_the_rules_say(text, words):
    assert split_words(text) == words


def test_origins_name_the_character_that_each_letter_came_from():
    found = list(split_words_with_origins("A\u0301\u00e9 \ud55c!"))
    assert found == [("ae", [0, 2]), ("\u1112\u1161\u11ab", [4, 4, 4]), ("!", [5])]


def test_a_form_is_made_of_letters_that_keep_their_form():
    for character, form in forms().items():
        if form != character:
            letters = form.strip(" ")
            assert all(forms()[letter].strip(" ") == letter for letter in letters)


def test_the_remembered_forms_stay_bounded():
    split_words("".join(map(chr, range(0x20000, 0x2A6DF))))
    assert len(normalization._FORMS) <= normalization.MAX_REMEMBERED_FORMS


def test_a_newer_interpreter_cannot_change_the_forms(monkeypatch):
    def knows_everything(form, text):
        return "changed" if text >= "\U00010000" else original(form, text)

    original = unicodedata.normalize
    monkeypatch.setattr(unicodedata, "normalize", knows_everything)
    assert normal_form("\U000105c9") == "\U000105c9"  # decomposed since Unicode 16
    assert normal_form("\u00e9") == "e"
