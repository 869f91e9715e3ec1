"""Every step of the encoder against Transformers on the genuine weights.

The reference (``chapters/data/parity_minilm.npz``, made by
``make_parity_reference.py``) holds the shape of each of 76 tensors and every 19th
value in float64. Here the package's own encoder runs while listeners note what goes
in and out of its parts; chapter 10 goes the same ladder by hand.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import bertbook.attention
from bertbook import embed_sentences, load_pretrained
from bertbook.attention import softmax_

MODEL = "all-MiniLM-L6-v2"
FILE = Path(__file__).parent.parent / "chapters" / "data" / "parity_minilm.npz"
with np.load(FILE) as stored:
    REFERENCE = dict(stored)
RUNGS = [name.removesuffix(":shape") for name in REFERENCE if name.endswith(":shape")]
BATCH = {key: REFERENCE[key] for key in ("token_ids", "attention_mask")}
LIMITS = {np.float32: 3e-5, np.float64: 1e-12}


class Listener:
    """A part of the encoder that notes its input and output under their rungs."""

    def __init__(self, part, seen, *, before=None, after=None):
        self.part, self.seen, self.before, self.after = part, seen, before, after

    def __getattr__(self, name):
        return getattr(self.part, name)

    def __call__(self, x):
        y = self.part(x)
        notes = {self.before: np.array(x), self.after: np.array(y)}
        self.seen |= {name: array for name, array in notes.items() if name}
        return y


def listen_to_layer(layer, rung, seen):
    """Put listeners in the places of the parts of a layer."""
    places = [
        (layer.attention, "query", None, "query"),
        (layer.attention, "key", None, "key"),
        (layer.attention, "value", None, "value"),
        (layer.attention, "output", "context", "attention_output"),
        (layer, "attention_norm", None, "attention_norm"),
        (layer.feed_forward, "intermediate", None, "intermediate"),
        (layer.feed_forward, "output", "activation", "feed_forward"),
        (layer, "feed_forward_norm", None, "feed_forward_norm"),
    ]
    for owner, name, before, after in places:
        before, after = (step and f"{rung}.{step}" for step in (before, after))
        part = Listener(getattr(owner, name), seen, before=before, after=after)
        setattr(owner, name, part)


def climb(encoder, softmax=softmax_, **batch):
    """Run the encoder; return {rung: array} with every step of it."""
    seen, scores = {}, []

    def listening_softmax(x):
        scores.append(np.array(x))
        return softmax(x)

    encoder.embedding_norm = Listener(
        encoder.embedding_norm, seen, before="embeddings", after="embedding_norm"
    )
    for index, layer in enumerate(encoder.layers):
        listen_to_layer(layer, f"layers.{index}", seen)
    encoder.pooler_dense = Listener(encoder.pooler_dense, seen, after="pooler_linear")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bertbook.attention, "softmax_", listening_softmax)
        output = encoder(**batch, output_attentions=True)
    for index, weights in enumerate(output["attentions"]):
        seen[f"layers.{index}.scores"] = scores[index]
        seen[f"layers.{index}.weights"] = weights
    return seen | {"pooler_output": output["pooler_output"]}


def difference(name, got):
    """Return the largest difference from the stored values, inf if not comparable."""
    if got.shape != tuple(REFERENCE[f"{name}:shape"]):
        return np.inf
    step = REFERENCE["step"] if got.ndim > 2 else 1
    got, expected = got.reshape(-1)[::step].astype(np.float64), REFERENCE[name]
    unequal = ~(got == expected)
    gap = np.abs(got[unequal] - expected[unequal])
    return np.inf if np.isnan(gap).any() else float(np.max(gap, initial=0))


@pytest.fixture(scope="module", params=LIMITS, ids=lambda dtype: dtype.__name__)
def ladder(request):
    """Yield the dtype and all steps of the encoder in it."""
    _, encoder = load_pretrained(MODEL, dtype=request.param)
    return request.param, climb(encoder, **BATCH)


def test_the_ladder_has_all_rungs_of_six_layers():
    assert len(RUNGS) == 2 + 6 * 12 + 2


@pytest.mark.parametrize("name", RUNGS)
def test_a_rung_agrees_with_transformers(ladder, name):
    dtype, rungs = ladder
    assert rungs[name].dtype == dtype
    assert difference(name, rungs[name]) <= LIMITS[dtype]


def test_the_rungs_that_are_seen_are_the_stored_ones(ladder):
    assert ladder[1].keys() == set(RUNGS)


@pytest.mark.parametrize("width", [384, 1536])
def test_the_stored_values_meet_every_feature_of_a_hidden_state(width):
    step, positions = int(REFERENCE["step"]), BATCH["token_ids"].size
    assert len(set(np.arange(0, positions * width, step) % width)) == width


def test_the_batch_has_padding_so_that_masks_matter():
    assert BATCH["attention_mask"].sum(axis=1).tolist() == [8, 10]


def test_the_tokenizer_gives_the_ids_of_transformers():
    tokenizer, _ = load_pretrained(MODEL)
    batch = tokenizer(REFERENCE["texts"].tolist())
    for key, expected in BATCH.items():
        np.testing.assert_array_equal(batch[key], expected)


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_sentence_vectors_agree_with_transformers(dtype, limit):
    tokenizer, encoder = load_pretrained(MODEL, dtype=dtype)
    vectors = embed_sentences(tokenizer, encoder, REFERENCE["sentences"].tolist())
    assert vectors.shape == (8, 384)
    assert np.max(np.abs(vectors - REFERENCE["sentence_vectors"])) <= limit


def set_eps(encoder):
    for norm in [encoder.embedding_norm, *(x.attention_norm for x in encoder.layers)]:
        norm.eps = 1e-5


def use_tanh_gelu(encoder):
    for layer in encoder.layers:
        layer.feed_forward.activation = "gelu_tanh"


def turn_one_square_matrix(encoder):
    value = encoder.layers[3].attention.value
    value.weight = value.weight.T


def share_out_among_six_heads(encoder):
    for layer in encoder.layers:
        layer.attention.n_heads = 6


def forget_the_scale(encoder):
    # A query that is longer by the root of head_dim has unscaled scores.
    for layer in encoder.layers:
        layer.attention.query.weight = layer.attention.query.weight * 32**0.5
        layer.attention.query.bias = layer.attention.query.bias * 32**0.5


def shift_the_positions(encoder):
    encoder.position_embeddings = np.roll(encoder.position_embeddings, -1, axis=0)


FAULTS = {
    set_eps: "embedding_norm",
    use_tanh_gelu: "layers.0.activation",
    turn_one_square_matrix: "layers.3.value",
    share_out_among_six_heads: "layers.0.scores",
    forget_the_scale: "layers.0.query",
    shift_the_positions: "embeddings",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_ladder_breaks_first_at_the_rung_of_the_fault(fault):
    _, encoder = load_pretrained(MODEL)
    fault(encoder)
    rungs = climb(encoder, **BATCH)
    broken = [name for name in RUNGS if difference(name, rungs[name]) > 3e-5]
    assert broken[0] == FAULTS[fault]


def test_a_forgotten_mask_breaks_the_scores_first():
    _, encoder = load_pretrained(MODEL)
    rungs = climb(encoder, token_ids=BATCH["token_ids"])
    broken = [name for name in RUNGS if difference(name, rungs[name]) > 3e-5]
    assert broken[0] == "layers.0.scores"


def test_nan_is_never_taken_for_agreement():
    assert difference("pooler_output", np.full((2, 384), np.nan)) == np.inf


def test_the_file_says_what_made_it():
    origin = str(REFERENCE["origin"])
    assert re.fullmatch(r"\S+ in float64, transformers \S+, torch \S+, .+", origin)
