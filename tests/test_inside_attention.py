"""What chapter 12 measures on the genuine weights, against Transformers.

The reference (``chapters/data/inside_minilm.npz``) was made by
``make_inside_reference.py``. The chapter takes a head's contribution away from the
attention's output; here its rows in the output projection are cleared.
"""

import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest

from bertbook import cosine_similarity, load_pretrained, mean_pool
from bertbook.pooling import unit_length

DATA = Path(__file__).parent.parent / "chapters" / "data"
STORED = json.loads((DATA / "inside_sentences.json").read_text("utf-8"))
SENTENCES = [text for pair in STORED["pairs"] for text in pair]
WORDS = STORED["senses"]
with np.load(DATA / "inside_minilm.npz") as stored:
    REFERENCE = dict(stored)
HEADS = [(layer, head) for layer in range(6) for head in range(12)]


@pytest.fixture(scope="module")
def model():
    return load_pretrained("all-MiniLM-L6-v2")


@pytest.fixture(scope="module")
def removal_states(model):
    tokenizer, encoder = model
    batch = tokenizer(SENTENCES[:24])
    output = encoder(**batch, output_hidden_states=True)
    return batch["attention_mask"], output["hidden_states"]


def test_there_are_sentences_enough():
    assert len(set(SENTENCES)) == len(SENTENCES) == 40
    assert len(WORDS) == 40


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_one_token_and_occurs_once_in_each_of_its_sentences(model, word):
    tokenizer, _ = model
    assert word in tokenizer.token_to_id
    assert [len(texts) for texts in WORDS[word].values()] == [2, 2]
    for text in (text for texts in WORDS[word].values() for text in texts):
        assert tokenizer.tokenize(text).count(word) == 1
        assert tokenizer.tokenize(text)[-1] == "."


def test_no_sentence_occurs_twice():
    uses = [t for senses in WORDS.values() for texts in senses.values() for t in texts]
    assert len({*uses, *SENTENCES}) == len(uses) + len(SENTENCES) == 200


def habits(tokenizer, encoder):
    """Return the weights on the previous token, on [CLS] or [SEP], on itself."""
    total, n_words = 0, 0
    for text in SENTENCES:
        ids = tokenizer(text)["token_ids"]
        weights = np.stack(encoder(ids, output_attentions=True)["attentions"])
        inner = weights[:, :, 1:-1]
        previous = np.trace(inner, axis1=-2, axis2=-1)
        itself = np.trace(inner, offset=1, axis1=-2, axis2=-1)
        separators = (inner[..., 0] + inner[..., -1]).sum(axis=-1)
        total = total + np.stack([previous, separators, itself])
        n_words += inner.shape[2]
    return total / n_words


def test_the_habits_of_the_heads_agree_with_transformers(model):
    np.testing.assert_allclose(habits(*model), REFERENCE["habits"], rtol=0, atol=1e-5)


def vectors_without(encoder, states, mask, layer, head, *, axis=0):
    """Return sentence vectors with a part of one output projection cleared."""
    broken = copy.copy(encoder.layers[layer])
    broken.attention = copy.copy(broken.attention)
    broken.attention.output = copy.copy(broken.attention.output)
    weight = broken.attention.output.weight = np.array(broken.attention.output.weight)
    gone = slice(32 * head, 32 * (head + 1))
    weight[(gone, slice(None)) if axis == 0 else (slice(None), gone)] = 0
    x = states[layer]
    for part in [broken, *encoder.layers[layer + 1 :]]:
        x, _ = part(x, mask)
    return unit_length(mean_pool(x, mask))


def effects(vectors, whole):
    """Return how far vectors have moved, and whether similarities keep their order."""
    pairs = np.triu_indices(len(whole), 1)
    ranks = [(v @ v.T)[pairs].argsort().argsort() for v in (whole, vectors)]
    moved = 1 - np.mean(np.sum(vectors * whole, axis=1, dtype=np.float64))
    return moved, np.corrcoef(*ranks)[0, 1]


@pytest.mark.parametrize(("layer", "head"), HEADS)
def test_the_removal_of_a_head_agrees_with_transformers(
    model, removal_states, layer, head
):
    mask, states = removal_states
    whole = unit_length(mean_pool(states[-1], mask))
    vectors = vectors_without(model[1], states, mask, layer, head)
    moved, agreement = effects(vectors, whole)
    assert moved == pytest.approx(REFERENCE["moved"][layer, head], abs=1e-5)
    assert agreement == pytest.approx(REFERENCE["agreement"][layer, head], abs=1e-4)


def test_clearing_columns_is_not_the_removal_of_a_head(model, removal_states):
    mask, states = removal_states
    whole = unit_length(mean_pool(states[-1], mask))
    vectors = vectors_without(model[1], states, mask, 5, 0, axis=1)
    moved, _ = effects(vectors, whole)
    assert abs(moved - REFERENCE["moved"][5, 0]) > 1e-3


def test_a_removal_leaves_the_encoder_as_it_was(model, removal_states):
    mask, states = removal_states
    vectors_without(model[1], states, mask, 5, 0)
    again, _ = model[1].layers[5](states[5], mask)
    np.testing.assert_array_equal(again, states[6])


@pytest.mark.parametrize("number", range(40))
def test_the_cosines_of_a_word_agree_with_transformers(model, number):
    tokenizer, encoder = model
    word = list(WORDS)[number]
    uses = []
    for text in (text for texts in WORDS[word].values() for text in texts):
        ids = tokenizer(text)["token_ids"]
        place = ids.tolist().index(tokenizer.token_to_id[word])
        states = encoder(ids, output_hidden_states=True)["hidden_states"]
        uses.append([state[place] for state in states])
    for layer, vectors in enumerate(zip(*uses, strict=True)):
        found = cosine_similarity(np.stack(vectors), np.stack(vectors))
        expected = REFERENCE["sense_cosines"][number, layer]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_the_file_says_what_made_it():
    origin = str(REFERENCE["origin"])
    assert re.fullmatch(r"\S+ in float64, transformers \S+, torch \S+, .+", origin)
