"""The last exercise of chapter 9: a test that finds a leaking mask."""

import numpy as np

from bertbook.encoder import BertEncoder, named_parameters
from bertbook.exercises import Exercise, Mistake, register

# --- Encoders to try a test on: a sound one, and some that leak ---


class Subject:
    """An encoder under test.

    Parameters
    ----------
    words : str
        What it is called in messages.
    run : callable
        ``run(encoder, token_ids, attention_mask)`` returns the usual dict.
    """

    def __init__(self, words, run):
        self.words, self.run = words, run
        self.encoder = BertEncoder(20, 16, 2, 8, 2, 16)
        for name, array in named_parameters(self.encoder).items():
            if name.endswith("weight"):  # fresh ones are so small that leaks are too
                array *= np.float32(20)
        self.vocab_size = self.encoder.vocab_size

    def __call__(self, token_ids, *, attention_mask=None):
        """Return the last hidden state and the pooler output."""
        return self.run(self.encoder, token_ids, attention_mask)

    def __repr__(self):
        """Return what it is called."""
        return f"<an encoder {self.words}>"


def _sound(encoder, token_ids, attention_mask):
    """Hand the mask to every layer."""
    return encoder(token_ids, attention_mask=attention_mask)


def _drop(encoder, token_ids, attention_mask):
    """Hand it to none."""
    return encoder(token_ids)


def _forget_in_last_layer(encoder, token_ids, attention_mask):
    """Hand it to all layers but the last."""
    hidden_states = encoder.embed(token_ids)
    for layer in encoder.layers[:-1]:
        hidden_states, _ = layer(hidden_states, attention_mask)
    hidden_states, _ = encoder.layers[-1](hidden_states)
    return _outputs(encoder, hidden_states, hidden_states[..., 0, :])


def _use_mask_of_first_text(encoder, token_ids, attention_mask):
    """Hide in every text what is padding in the first."""
    first = np.atleast_2d(attention_mask)[0]
    return _sound(encoder, token_ids, np.broadcast_to(first, np.shape(token_ids)))


def _pool_padding(encoder, token_ids, attention_mask):
    """Average over all positions in place of [CLS]."""
    hidden_states = _sound(encoder, token_ids, attention_mask)["last_hidden_state"]
    return _outputs(encoder, hidden_states, hidden_states.mean(axis=-2))


def _mask_for_cls_alone(encoder, token_ids, attention_mask):
    """Hide the padding from the first position only."""
    sound = _sound(encoder, token_ids, attention_mask)
    hidden_states = _drop(encoder, token_ids, None)["last_hidden_state"]
    hidden_states[..., 0, :] = sound["last_hidden_state"][..., 0, :]
    return {**sound, "last_hidden_state": hidden_states}


def _outputs(encoder, hidden_states, pooled):
    """Return hidden states and what the pooler makes of a vector."""
    pooler_output = np.tanh(encoder.pooler_dense(pooled))
    return {"last_hidden_state": hidden_states, "pooler_output": pooler_output}


SOUND = Subject("without a fault", _sound)
DROPS = Subject("that drops the mask", _drop)
FORGETS = Subject("that forgets the mask in its last layer", _forget_in_last_layer)
FIRST = Subject("that uses the first text's mask for all", _use_mask_of_first_text)
POOLS = Subject("whose pooler averages the padding too", _pool_padding)
CLS_ALONE = Subject("whose mask holds for [CLS] alone", _mask_for_cls_alone)

IDS = np.array([[2, 9, 11, 12, 3], [2, 8, 3, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
ODD_PADDING = np.array([[2, 9, 11, 3, 5], [2, 8, 3, 7, 6]])

# --- The test that is asked for ---


def mask_leaks(encoder, token_ids, attention_mask):
    """Return whether tokens under the mask change what the encoder says."""
    keep = np.asarray(attention_mask) == 1
    before = encoder(token_ids, attention_mask=attention_mask)
    others = np.where(keep, token_ids, (token_ids + 1) % encoder.vocab_size)
    after = encoder(others, attention_mask=attention_mask)
    same = [
        np.allclose(before[name][where], after[name][where], atol=1e-5)
        for name, where in [("last_hidden_state", keep), ("pooler_output", ...)]
    ]
    return not all(same)


def _test_with(change=None, compare=None):
    """Return a test that changes the ids, or compares the outputs, in another way."""
    change = change or (lambda ids, keep: np.where(keep, ids, ids + 1))
    compare = compare or (lambda a, b, keep: _differ(a, b, "last_hidden_state", keep))

    def test(encoder, token_ids, attention_mask):
        keep = np.asarray(attention_mask) == 1
        before = encoder(token_ids, attention_mask=attention_mask)
        others = change(token_ids, keep)
        after = encoder(others, attention_mask=attention_mask)
        return compare(before, after, keep)

    return test


def _differ(a, b, name, where=...):
    """Return whether one output differs at some places."""
    return not np.allclose(a[name][where], b[name][where], atol=1e-5)


def _compare_with_no_mask(encoder, token_ids, attention_mask):
    """Return whether the mask makes any difference."""
    with_mask = encoder(token_ids, attention_mask=attention_mask)
    keep = np.asarray(attention_mask) == 1
    return _differ(with_mask, encoder(token_ids), "last_hidden_state", keep)


def _first_text(a, b, keep):
    """Return whether the hidden states of the first text differ."""
    keep = np.atleast_2d(keep)[0]
    a, b = (
        {"h": x["last_hidden_state"].reshape(-1, *keep.shape, 8)[0]} for x in (a, b)
    )
    return _differ(a, b, "h", keep)


register(
    Exercise(
        name="encoder-mask-leaks",
        question="Write a test that tells whether padding influences the output.",
        solution=mask_leaks,
        cases=[
            (SOUND, IDS, MASK),
            (SOUND, IDS[1], MASK[1]),
            (DROPS, IDS, MASK),
            (DROPS, IDS[1], MASK[1]),
            (DROPS, IDS[0], MASK[0]),
            (FORGETS, IDS, MASK),
            (FORGETS, ODD_PADDING, np.array([[1, 1, 1, 1, 0], MASK[1]])),
            (FIRST, IDS, MASK),
            (POOLS, IDS, MASK),
            (CLS_ALONE, IDS, MASK),
        ],
        mistakes=[
            Mistake(
                "never",
                "your test says False of every encoder, also of one that drops the "
                "mask. A check that cannot fail proves nothing. If you compare means: "
                "after a fresh layer norm they are 0 anyway. Compare each number.",
                lambda encoder, token_ids, attention_mask: False,
            ),
            Mistake(
                "upside down",
                "your answers are the right ones, turned round: True has to mean that "
                "the mask leaks.",
                lambda *inputs: not mask_leaks(*inputs),
            ),
            Mistake(
                "padding compared",
                "your test accuses a sound encoder. The hidden states at the padding "
                "itself may change; compare the real positions.",
                _test_with(
                    compare=lambda a, b, keep: _differ(a, b, "last_hidden_state")
                ),
            ),
            Mistake(
                "real tokens changed",
                "your test accuses every encoder, the sound one too. Are the real "
                "tokens the same in both runs? Change only what the mask hides.",
                _test_with(change=lambda ids, keep: ids + 1),
            ),
            Mistake(
                "mask left out",
                "you compare a run with the mask and one without. These differ for "
                "a sound encoder and agree for one that drops the mask.",
                _compare_with_no_mask,
            ),
            Mistake(
                "padding set to 0",
                "you put 0 in the place of the padding, and it is 0 already: nothing "
                "changes, so nothing can be seen.",
                _test_with(change=lambda ids, keep: np.where(keep, ids, 0)),
            ),
            Mistake(
                "pooler alone",
                "one encoder hides the padding from [CLS] alone. Its pooler output is "
                "right and its other positions are not: compare those as well, "
                "number by number and not by their mean.",
                _test_with(compare=lambda a, b, keep: _differ(a, b, "pooler_output")),
            ),
            Mistake(
                "hidden states alone",
                "one encoder has the right hidden states and averages the padding in "
                "its pooler: compare the pooler output as well.",
                _test_with(),
            ),
            Mistake(
                "first text alone",
                "you look at the first text of the batch only. The padding, and so "
                "the leak, may be in another.",
                _test_with(compare=_first_text),
            ),
        ],
        praise="it finds every leak tried here, and the sound encoder is not accused.",
    )
)
