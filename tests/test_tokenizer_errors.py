"""What the tokenizer refuses, and what it says then."""

import numpy as np
import pytest
from test_tokenizer import VOCAB

from bertbook.tokenizer import BertTokenizer


@pytest.fixture
def tokenizer():
    return BertTokenizer(VOCAB)


@pytest.mark.parametrize(
    ("text", "position"), [("\ud83c", 0), ("a\udc00b", 1), ("do \udf37\ud83c", 3)]
)
def test_a_lone_surrogate_is_refused_with_its_position(tokenizer, text, position):
    message = rf"texts\[1\] has the lone surrogate '\\ud.* at position {position}, "
    with pytest.raises(ValueError, match=message):
        tokenizer(["do", text])
    for method in (tokenizer, tokenizer.encode, tokenizer.tokenize):
        with pytest.raises(ValueError, match=f"at position {position}, expected whole"):
            method(text)


@pytest.mark.parametrize("text", [None, 3, b"do", ["do"], np.float64(1)])
def test_what_is_no_text_is_refused(tokenizer, text):
    for method in (tokenizer.encode, tokenizer.tokenize):
        with pytest.raises(TypeError, match="text is of type .*, expected str; "):
            method(text)
    with pytest.raises(TypeError, match=r"texts\[1\] is of type .*, expected str; "):
        tokenizer(["do", text])


def test_bytes_are_told_to_be_decoded_and_tuples_to_be_columns(tokenizer):
    with pytest.raises(TypeError, match=r"decode it first with .decode\('utf-8'\)"):
        tokenizer.encode(b"do")
    with pytest.raises(TypeError, match=r"use texts=\[...\] and pairs=\[...\]"):
        tokenizer([("do", "it")])


@pytest.mark.parametrize("texts", [None, 3, {"do": 1}, {"do"}, iter(["do"]), b"do"])
def test_what_is_neither_a_text_nor_a_list_is_refused(tokenizer, texts):
    with pytest.raises(
        TypeError, match="texts is of type .*, expected a str or a list"
    ):
        tokenizer(texts)
    if texts is not None:
        with pytest.raises(TypeError, match="pairs is of type .*, expected a str or a"):
            tokenizer("do", texts)


def test_texts_and_pairs_must_be_of_one_kind_and_length(tokenizer):
    with pytest.raises(TypeError, match="texts is a list and pairs is a str, expected"):
        tokenizer(["do"], "it")
    with pytest.raises(TypeError, match="texts is a str and pairs is a list, expected"):
        tokenizer("do", ["it"])
    with pytest.raises(ValueError, match="texts has 2 entries and pairs has 1, "):
        tokenizer(["do", "it"], ["it"])


def test_max_length_must_hold_the_special_tokens(tokenizer):
    with pytest.raises(
        ValueError, match="max_length is 1, expected at least 2; 2 spec"
    ):
        tokenizer("do", max_length=1)
    with pytest.raises(
        ValueError, match="max_length is 2, expected at least 3; 3 spec"
    ):
        tokenizer("do", "it", max_length=2)
    assert tokenizer("do", max_length=2)["token_ids"].tolist() == [2, 3]


@pytest.mark.parametrize("name", ["max_length", "pad_to_multiple_of"])
def test_options_that_are_no_whole_numbers_are_refused(tokenizer, name):
    for value in (True, 8.0, "8", np.bool_(True)):
        with pytest.raises(TypeError, match=f"{name} is .*, expected an integer"):
            tokenizer("do", **{name: value})
    with pytest.raises(ValueError, match=f"{name} is 0, expected at least"):
        tokenizer("do", **{name: 0})
    assert tokenizer("do", **{name: np.int64(8)})["token_ids"].max() == 8


def test_an_unknown_truncation_is_refused(tokenizer):
    with pytest.raises(
        ValueError, match="truncation is True, expected 'longest_first'"
    ):
        tokenizer("do", truncation=True)


def test_only_second_needs_second_texts(tokenizer):
    with pytest.raises(ValueError, match="'only_second' and pairs is None, expected"):
        tokenizer("do", truncation="only_second")


@pytest.mark.parametrize("truncation", ["only_first", "only_second"])
def test_a_side_that_is_too_short_to_be_cut_is_refused(tokenizer, truncation):
    message = f"truncation='{truncation}' would have to remove 2 tokens, expected fewer"
    with pytest.raises(ValueError, match=message):
        tokenizer("do do", "it it", max_length=5, truncation=truncation)


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([16], ValueError, "token_ids has the entry 16, expected 0 to 15"),
        ([2, -1], ValueError, "token_ids has the entry -1, expected 0 to 15"),
        (
            [[2, 3]],
            ValueError,
            r"has shape \(1, 2\), expected \(seq,\); decode a batch",
        ),
        (3, ValueError, r"has shape \(\), expected \(seq,\)"),
        ([1.0], TypeError, "token_ids holds float64, expected integers"),
        ([True], TypeError, "token_ids holds bool, expected integers"),
        ("do", TypeError, "token_ids holds <U2, expected integers"),
    ],
)
def test_ids_that_cannot_be_decoded_are_refused(tokenizer, ids, error, message):
    with pytest.raises(error, match=message):
        tokenizer.decode(ids)


def test_a_token_that_stands_twice_is_refused_with_both_places():
    with pytest.raises(ValueError, match="token 'do' as id 8 and again as id 16, exp"):
        BertTokenizer([*VOCAB, "do"])


def test_missing_special_tokens_are_named():
    with pytest.raises(ValueError, match=r"vocab lacks \[UNK\], \[MASK\] \(it starts"):
        BertTokenizer(["[PAD]", "[CLS]", "[SEP]", "do"])
    with pytest.raises(ValueError, match=r"vocab lacks \[PAD\], .* \(it is empty\)"):
        BertTokenizer([])


def test_a_vocabulary_that_is_no_list_of_tokens_is_refused():
    for vocab in ("vocab.txt", None, dict.fromkeys(VOCAB)):
        with pytest.raises(TypeError, match="vocab is of type .*, expected a list of"):
            BertTokenizer(vocab)
    with pytest.raises(TypeError, match=r"vocab\[16\] is of type int, expected str"):
        BertTokenizer([*VOCAB, 7])
