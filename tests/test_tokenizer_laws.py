"""What must hold for any text whatever."""

import sys
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizer_oracle import PIECES, load_tokenizer

# Nothing is covered here alone, and to note each line would double the time.
pytestmark = pytest.mark.no_cover
TOKENIZER = load_tokenizer()

# A busy machine is no reason to fail.
calmly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Any text that is no lone surrogate, often with the pieces that break tokenizers.
characters = st.characters(exclude_categories=["Cs"])
texts = st.lists(
    st.sampled_from(PIECES) | st.text(characters, max_size=8), max_size=8
).map("".join)


@calmly
@given(texts)
def test_what_stands_at_the_offsets_has_the_same_token_again(text):
    batch = TOKENIZER(text, max_length=None, return_offsets=True)
    tokens = [TOKENIZER.vocab[token_id] for token_id in batch["token_ids"]]
    for token, (start, end) in list(zip(tokens, batch["offsets"], strict=True))[1:-1]:
        again = TOKENIZER.tokenize(text[start:end])
        plain = token.removeprefix("##") if len(token) > 2 else token
        # A syllable of Hangul falls into letters that all have its place.
        assert token == "[UNK]" or plain in "".join(again).replace("##", "")


@calmly
@given(texts)
def test_offsets_go_forward_and_stay_inside_the_text(text):
    offsets = TOKENIZER(text, max_length=None, return_offsets=True)["offsets"][1:-1]
    assert ((0 <= offsets) & (offsets <= len(text))).all()
    assert (offsets[:, 0] < offsets[:, 1]).all()
    assert (offsets[1:, 0] >= offsets[:-1, 0]).all()


@calmly
@given(texts)
def test_the_way_with_offsets_gives_the_ids_of_the_way_without(text):
    batch = TOKENIZER(text, max_length=None, return_offsets=True)
    assert batch["token_ids"].tolist() == TOKENIZER.encode(text)


@calmly
@given(st.lists(texts, min_size=1, max_size=5), st.data())
def test_a_text_has_the_same_ids_alone_and_among_others(some, data):
    batch = TOKENIZER(some)
    order = data.draw(st.permutations(range(len(some))))
    shuffled = TOKENIZER([some[place] for place in order])
    for row, place in enumerate(order):
        alone = TOKENIZER(some[place])["token_ids"]
        for rows, index in ((batch, place), (shuffled, row)):
            kept = rows["attention_mask"][index] == 1
            assert rows["token_ids"][index][kept].tolist() == alone.tolist()
            assert kept[: kept.sum()].all()


@calmly
@given(texts, texts)
def test_texts_that_white_space_parts_do_not_see_each_other(first, second):
    both = TOKENIZER.tokenize(f"{first} {second}")
    assert both == TOKENIZER.tokenize(first) + TOKENIZER.tokenize(second)


@calmly
@given(texts)
def test_decoding_loses_only_what_normalisation_loses(text):
    tokens = TOKENIZER.tokenize(text)
    shown = TOKENIZER.decode(TOKENIZER.encode(text)[1:-1], skip_special_tokens=False)
    assert TOKENIZER.tokenize(shown) == tokens


@calmly
@given(texts.map(lambda text: text.replace("[", "(")))  # [mask] is not [MASK]
def test_case_makes_no_difference(text):
    upper = text.upper()
    if upper.lower() == text:  # no letter whose capital is another letter's
        assert TOKENIZER.encode(upper) == TOKENIZER.encode(text)


@calmly
@given(st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])))
def test_composing_and_decomposing_make_no_difference(text):
    ids = TOKENIZER.encode(text)
    assert TOKENIZER.encode(unicodedata.normalize("NFC", text)) == ids
    assert TOKENIZER.encode(unicodedata.normalize("NFD", text)) == ids


@calmly
@given(texts, texts, st.integers(3, 20))
def test_longest_first_leaves_no_text_longer_than_it_must(first, second, max_length):
    batch = TOKENIZER(first, second, max_length=max_length)
    lengths = [len(TOKENIZER.tokenize(text)) for text in (first, second)]
    kept_second = int(batch["segment_ids"].sum()) - 1
    kept = [len(batch["token_ids"]) - kept_second - 3, kept_second]
    assert sum(kept) == min(sum(lengths), max_length - 3)
    for side in (0, 1):
        if kept[side] < lengths[side]:  # what was cut is not the shorter one
            assert kept[side] >= kept[1 - side] - 1


@calmly
@given(st.lists(texts, max_size=4), st.integers(1, 9))
def test_every_row_is_content_then_padding(some, multiple):
    batch = TOKENIZER(
        some, pad_to_multiple_of=multiple, return_special_tokens_mask=True
    )
    ids, mask = batch["token_ids"], batch["attention_mask"]
    assert ids.shape[1] % multiple == 0
    for row, kept in zip(ids, mask, strict=True):
        length = kept.sum()
        assert row[0] == TOKENIZER.cls_id
        assert row[length - 1] == TOKENIZER.sep_id
        assert (row[length:] == TOKENIZER.pad_id).all()
    assert (batch["segment_ids"] == 0).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda size: "x" * size,
        lambda size: "a" + "\u0301" * size,
        lambda size: "!" * size,
        lambda size: "[" * size,
        lambda size: "[MASK]" * (size // 6),
        lambda size: "\u4e2d" * size,
        lambda size: ("q" * 99 + " ") * (size // 100),
        lambda size: "\x00" * size,
    ],
    ids=["word", "accents", "marks", "brackets", "masks", "ideographs", "long", "nul"],
)
def test_the_steps_grow_no_faster_than_the_text(make):
    def steps(text):
        count = 0

        def note(_frame, _event, _argument):
            nonlocal count
            count += 1
            return note

        before = sys.gettrace()
        sys.settrace(note)
        try:
            TOKENIZER.encode(text)
            TOKENIZER(text, max_length=8, return_offsets=True)
        finally:
            sys.settrace(before)
        return count

    # Four times the text: a quadratic loop would take sixteen times as many.
    assert steps(make(6_000)) < 5 * steps(make(1_500))
