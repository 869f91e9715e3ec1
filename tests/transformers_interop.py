"""Compare a saved folder in Transformers with our own encoder.

Run it where Transformers and PyTorch are installed::

    python tests/transformers_interop.py [NAME_OR_FOLDER]

It saves the model with `save_pretrained`, loads that folder with Transformers, runs
both on the same sentences in float32 and float64, and prints the largest difference
of each output. The exit status is 1 if a difference exceeds what rounding explains.
`return_trip` goes the other way: what Transformers saves, we load.
"""

import sys
import tempfile

import numpy as np

from bertbook.checkpoint import load_pretrained, save_pretrained
from bertbook.encoder import named_parameters

SENTENCES = [
    "NumPy is the fundamental package for scientific computing with Python.",
    "The café's naïve résumé, 2018: un-be-lievable!",
    "Attention is all you need.",
    "日本語 and English in one sentence 🙂",
    "",
    "word " * 300,
]
PAIRS = [
    "It is a library of arrays.",
    "Who wrote it?",
    "So they say.",
    "Two languages.",
    "nothing before",
    "and a second text",
]
# PyTorch's own float32 differs from float64 by 8e-6 in the hidden states.
LIMITS = {"float32": 3e-5, "float64": 1e-12}


def load_there(folder):
    """Return the tokenizer and model that Transformers makes of a folder."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model, report = transformers.BertModel.from_pretrained(
        folder,
        attn_implementation="eager",  # the one that returns attention weights
        output_loading_info=True,
    )
    if any(report.values()):
        raise ValueError(f"not all tensors were found, and no others: {report}")
    return tokenizer, model.eval()


def compare(name, dtype):
    """Return {output: largest difference} of both libraries on the sentences."""
    import torch

    tokenizer, encoder = load_pretrained(name, dtype=dtype)
    with tempfile.TemporaryDirectory() as folder:
        save_pretrained(folder, tokenizer, encoder)
        their_tokenizer, their_model = load_there(folder)
    if their_model.dtype != getattr(torch, dtype):
        raise ValueError(f"they compute in {their_model.dtype}, expected {dtype}")
    worst = {}
    for pairs in (None, PAIRS):
        ours = tokenizer(SENTENCES, pairs)
        theirs = their_tokenizer(
            SENTENCES, pairs, padding=True, truncation=True, return_tensors="np"
        )
        np.testing.assert_array_equal(ours["token_ids"], theirs["input_ids"])
        np.testing.assert_array_equal(ours["segment_ids"], theirs["token_type_ids"])
        np.testing.assert_array_equal(ours["attention_mask"], theirs["attention_mask"])
        with torch.no_grad():
            expected = their_model(
                **{key: torch.from_numpy(array) for key, array in theirs.items()},
                output_hidden_states=True,
                output_attentions=True,
            )
        got = encoder(
            ours["token_ids"],
            segment_ids=ours["segment_ids"],
            attention_mask=ours["attention_mask"],
            output_hidden_states=True,
            output_attentions=True,
        )
        for output, difference in differences(got, expected, ours["attention_mask"]):
            worst[output] = max(worst.get(output, 0.0), difference)
    return worst


def return_trip(name):
    """Return whether what Transformers saves is what we had: vocabulary, weights."""
    tokenizer, encoder = load_pretrained(name)
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        save_pretrained(ours, tokenizer, encoder)
        for part in load_there(ours):
            part.save_pretrained(theirs)
        back_tokenizer, back_encoder = load_pretrained(theirs)
        before, after = named_parameters(encoder), named_parameters(back_encoder)
        return back_tokenizer.vocab == tokenizer.vocab and all(
            np.array_equal(after[name], array) for name, array in before.items()
        )


def differences(got, expected, attention_mask):
    """Yield (output, largest difference) over the real tokens."""
    real = attention_mask != 0
    pooled = np.abs(got["pooler_output"] - expected.pooler_output.numpy())
    yield "pooler_output", float(pooled.max())
    for index, states in enumerate(got["hidden_states"]):
        gap = np.abs(states - expected.hidden_states[index].numpy())
        yield f"hidden_states[{index}]", float(gap[real].max())
    for index, weights in enumerate(got["attentions"]):
        gap = np.abs(weights - expected.attentions[index].numpy())
        yield f"attentions[{index}]", float(gap.swapaxes(1, 2)[real].max())


def main(name="all-MiniLM-L6-v2"):
    """Print the differences in both dtypes; return the exit status."""
    status = 0
    for dtype, limit in LIMITS.items():
        for output, difference in compare(name, dtype).items():
            verdict = "ok" if difference <= limit else f"over {limit}"
            status |= difference > limit
            print(f"{dtype}  {output:18} {difference:.1e}  {verdict}")
    same = return_trip(name)
    print(f"saved by Transformers and loaded here: {'the same' if same else 'changed'}")
    return int(status or not same)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
