"""The tokenizer on a vocabulary small enough to follow by hand."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bertbook.text_to_ids import MAX_REMEMBERED
from bertbook.tokenizer import BertTokenizer

#        0        1        2        3        4         5     6     7      8
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "re", "##do", "do"]
#         9     10     11      12   13   14    15
VOCAB += ["it", "##s", "##it", ".", "!", "中", "##ne"]


@pytest.fixture
def tokenizer():
    return BertTokenizer(VOCAB)


def listed(batch):
    return {name: array.tolist() for name, array in batch.items()}


def test_a_word_falls_into_the_longest_pieces(tokenizer):
    assert tokenizer.tokenize("undo redoit does") == [
        *["un", "##do", "re", "##do", "##it", "[UNK]"]
    ]


def test_one_unknown_letter_makes_the_whole_word_unknown(tokenizer):
    assert tokenizer.tokenize("undone undonx do") == [
        "un",
        "##do",
        "##ne",
        "[UNK]",
        "do",
    ]


def test_encode_adds_the_two_special_tokens(tokenizer):
    assert tokenizer.encode("Undo it!") == [2, 5, 7, 9, 13, 3]
    assert tokenizer.encode("") == [2, 3]


def test_case_and_accents_are_lost_and_marks_stand_alone(tokenizer):
    assert tokenizer.tokenize("DÖ.ït") == ["do", ".", "it"]


def test_ideographs_are_words(tokenizer):
    assert tokenizer.tokenize("do中it") == ["do", "中", "it"]


def test_special_tokens_in_a_text_are_one_token_each(tokenizer):
    assert tokenizer.encode("un[MASK]do[SEP]") == [2, 5, 4, 8, 3, 3]
    assert tokenizer.tokenize("[mask]") == ["[UNK]", "[UNK]", "[UNK]"]


def test_the_seven_other_spaces_of_python_join_what_they_stand_between(tokenizer):
    for odd in "\x0b\x0c\x1c\x1d\x1e\x1f\x85":
        assert tokenizer.tokenize(f"un{odd}do it") == ["un", "##do", "it"]


def test_one_text_gives_one_row(tokenizer):
    assert listed(tokenizer("do it")) == {
        "token_ids": [2, 8, 9, 3],
        "segment_ids": [0, 0, 0, 0],
        "attention_mask": [1, 1, 1, 1],
    }


def test_a_batch_is_padded_on_the_right(tokenizer):
    assert listed(tokenizer(["do", "undo it"])) == {
        "token_ids": [[2, 8, 3, 0, 0], [2, 5, 7, 9, 3]],
        "segment_ids": [[0] * 5, [0] * 5],
        "attention_mask": [[1, 1, 1, 0, 0], [1] * 5],
    }


def test_padding_uses_the_id_of_the_pad_token_wherever_it_stands():
    tokenizer = BertTokenizer(VOCAB[::-1])
    assert tokenizer(["do", ""])["token_ids"][1, 2] == tokenizer.pad_id == 15
    assert tokenizer.vocab[tokenizer.mask_id] == "[MASK]"


def test_a_pair_has_segments_zero_and_one_and_padding_zero(tokenizer):
    batch = tokenizer(["do", "it"], ["it", "undo it."], return_special_tokens_mask=True)
    assert listed(batch) == {
        "token_ids": [[2, 8, 3, 9, 3, 0, 0, 0], [2, 9, 3, 5, 7, 9, 12, 3]],
        "segment_ids": [[0, 0, 0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1]],
        "attention_mask": [[1, 1, 1, 1, 1, 0, 0, 0], [1] * 8],
        "special_tokens_mask": [[1, 0, 1, 0, 1, 1, 1, 1], [1, 0, 1, 0, 0, 0, 0, 1]],
    }


def test_a_pair_of_single_texts_gives_one_row(tokenizer):
    batch = tokenizer("do", "it")
    assert batch["token_ids"].tolist() == [2, 8, 3, 9, 3]
    assert batch["segment_ids"].tolist() == [0, 0, 0, 1, 1]


def test_every_array_is_int64_and_no_batch_is_no_row(tokenizer):
    options = {"return_offsets": True, "return_special_tokens_mask": True}
    for texts in (["do", "it it"], [], ("do",)):
        batch = tokenizer(texts, **options)
        assert {array.dtype for array in batch.values()} == {np.dtype(np.int64)}
        assert {len(array) for array in batch.values()} == {len(texts)}
    assert batch["offsets"].shape == (1, 3, 2)


def test_offsets_point_into_the_text_as_it_was_given(tokenizer):
    text = " U\u0301N\u200bDO\t[MASK]中It."
    batch = tokenizer(text, return_offsets=True)
    spans = [text[start:end] for start, end in batch["offsets"]]
    assert spans == ["", "U\u0301N", "DO", "[MASK]", "中", "It", ".", ""]


def test_offsets_of_a_pair_count_from_the_start_of_each_text(tokenizer):
    batch = tokenizer(["do it", "do"], ["undo", ""], return_offsets=True)
    assert batch["offsets"].tolist() == [
        [[0, 0], [0, 2], [3, 5], [0, 0], [0, 2], [2, 4], [0, 0]],
        [[0, 0], [0, 2], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
    ]


def test_a_long_text_is_cut_and_keeps_its_last_special_token(tokenizer):
    batch = tokenizer("do it do it", max_length=4, return_offsets=True)
    assert batch["token_ids"].tolist() == [2, 8, 9, 3]
    assert batch["offsets"].tolist() == [[0, 0], [0, 2], [3, 5], [0, 0]]


def test_the_default_cuts_at_512_and_none_never_cuts(tokenizer):
    text = "do " * 600
    assert tokenizer(text)["token_ids"].shape == (512,)
    assert tokenizer(text, max_length=None)["token_ids"].shape == (602,)
    assert len(tokenizer.encode(text)) == 602


@pytest.mark.parametrize(
    ("truncation", "max_length", "kept"),
    [
        ("longest_first", 9, (3, 3)),
        ("longest_first", 8, (2, 3)),
        ("longest_first", 3, (0, 0)),
        ("only_first", 8, (1, 4)),
        ("only_second", 8, (4, 1)),
    ],
)
def test_each_truncation_cuts_the_text_that_it_names(
    tokenizer, truncation, max_length, kept
):
    batch = tokenizer(
        "do do do do", "it it it it", max_length=max_length, truncation=truncation
    )
    ids = batch["token_ids"].tolist()
    assert (ids.count(8), ids.count(9)) == kept
    assert batch["segment_ids"].sum() == kept[1] + 1


def test_the_width_is_a_multiple_when_asked(tokenizer):
    assert tokenizer(["do"], pad_to_multiple_of=4)["token_ids"].tolist() == [
        [2, 8, 3, 0]
    ]
    assert tokenizer("do it", pad_to_multiple_of=4)["token_ids"].shape == (4,)
    assert tokenizer([], pad_to_multiple_of=4)["token_ids"].shape == (0, 0)


def test_decode_writes_words_again(tokenizer):
    assert tokenizer.decode(tokenizer.encode("Undo it. Redoit!")) == "undo it. redoit!"
    assert tokenizer.decode(np.array([11, 10, 14, 8])) == "##its 中 do"
    assert tokenizer.decode([]) == ""


def test_decode_shows_special_tokens_on_request(tokenizer):
    ids = tokenizer.encode("do [MASK] x")
    assert tokenizer.decode(ids) == "do"
    shown = tokenizer.decode(ids, skip_special_tokens=False)
    assert shown == "[CLS] do [MASK] [UNK] [SEP]"


def test_copies_and_pickles_give_the_same_ids(tokenizer):
    tokenizer.encode("undo it")
    for twin in (copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert twin.vocab == tokenizer.vocab
        assert twin.encode("undo it") == tokenizer.encode("undo it")


def test_a_pickle_holds_the_vocabulary_and_nothing_remembered(tokenizer):
    before = len(pickle.dumps(tokenizer))
    tokenizer.encode(" ".join(f"do{number}" for number in range(1000)))
    assert len(pickle.dumps(tokenizer)) == before


def test_what_is_remembered_stays_bounded(tokenizer):
    tokenizer.encode(" ".join(map(str, range(MAX_REMEMBERED + 10))))
    tokenizer.encode("x" * 100_000)
    assert len(tokenizer._ids_by_chunk) <= MAX_REMEMBERED
    assert max(map(len, tokenizer._ids_by_chunk)) < 100
    assert tokenizer.encode("0 do") == [2, 1, 8, 3]


def test_changing_the_list_that_was_given_changes_nothing():
    vocab = list(VOCAB)
    tokenizer = BertTokenizer(vocab)
    vocab[8] = "dont"
    assert tokenizer.tokenize("do") == ["do"]


def test_it_shows_its_size(tokenizer):
    assert repr(tokenizer) == "BertTokenizer(<16 tokens>)"


def test_results_do_not_depend_on_each_other(tokenizer):
    first = tokenizer(["undo it"])
    first["token_ids"][:] = 0
    assert_array_equal(tokenizer(["undo it"])["token_ids"], [[2, 5, 7, 9, 3]])
