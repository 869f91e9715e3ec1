"""The texts that chapter 1 tokenises, and the ids stored beside them, are genuine."""

import json

import make_hard_texts as maker
import pytest
from tokenizer_oracle import load_oracle

STORED = json.loads(maker.TARGET.read_text(encoding="ascii"))
TEXTS = STORED["texts"]


def test_all_reference_cases_up_to_the_stored_length_are_there():
    own = [row for row in TEXTS if row[0] != "generated"]
    cases = maker.reference_texts()
    assert [row[:2] + row[3:] for row in own] == [row[:2] + row[3:] for row in cases]
    assert len(own) > 900


def test_the_reference_still_gives_the_stored_ids():
    encodings = load_oracle().encode_batch([text for _, text, _, _ in TEXTS])
    assert [encoding.ids for encoding in encodings] == [ids for *_, ids in TEXTS]


def test_generated_texts_come_from_the_seed_in_the_script():
    oracle, vocab = load_oracle(), maker.load_tokenizer().vocab
    generated = [row for row in TEXTS if row[0] == "generated"]
    drawn = maker.generated_texts(oracle, vocab)
    assert [row[:2] for row in generated] == [row[:2] for row in drawn]


@pytest.mark.parametrize(
    ("text", "settled"),
    [("caf\u00e9", True), ("\u0378", False), ("\U0001f971", False), ("\u9fbb", False)],
)
def test_only_characters_of_old_unicode_are_settled(text, settled):
    assert maker.is_settled(text) is settled


def test_texts_marked_as_settled_are_settled_in_this_python_too():
    marked = [text for _, text, settled, _ in TEXTS if settled]
    assert len(marked) > 900
    assert [text for text in marked if not maker.is_settled(text)] == []


def test_the_long_run_is_a_real_one():
    run = STORED["long_run"]
    assert run["texts"] >= 200_000
    assert run["agree"] == run["texts"]
