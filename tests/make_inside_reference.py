"""Make the reference values of chapter 12 with Transformers and PyTorch.

Run it where Transformers and PyTorch are installed::

    python tests/make_inside_reference.py

It runs `BertModel` on the genuine weights in float64 and writes
``chapters/data/inside_minilm.npz``: where each of the 72 heads looks, averaged over
the words of 40 sentences; what the removal of each head does to 24 sentence vectors;
and the cosines between four uses of each of 40 words, after every layer. A head is
removed by a hook that clears its features on their way into the output projection.
"""

import json
import sys
from pathlib import Path

import numpy as np
from published_model import load_published, sentence_vectors, write

DATA = Path(__file__).parent.parent / "chapters" / "data"
TARGET = DATA / "inside_minilm.npz"
N_REMOVAL_PAIRS = 12


def main():
    """Write the file; say how large it is."""
    import torch

    tokenizer, model, versions = load_published()
    stored = json.loads((DATA / "inside_sentences.json").read_text("utf-8"))
    sentences = [text for pair in stored["pairs"] for text in pair]
    with torch.no_grad():
        contents = {
            "habits": habits(tokenizer, model, sentences),
            **removals(tokenizer, model, sentences[: 2 * N_REMOVAL_PAIRS]),
            "sense_cosines": sense_cosines(tokenizer, model, stored["senses"]),
        }
    write(TARGET, versions, contents)


def habits(tokenizer, model, sentences):
    """Return the mean weight on the previous token, on [CLS] or [SEP], on itself.

    The sentences go through the model one by one, without padding; an array of shape
    (3, n_layers, n_heads) comes back.
    """
    total, n_words = 0, 0
    for text in sentences:
        batch = tokenizer(text, return_tensors="pt")
        attentions = model(**batch, output_attentions=True).attentions
        weights = np.stack([layer[0].numpy() for layer in attentions])
        words = range(1, weights.shape[-1] - 1)
        for i in words:
            row = weights[:, :, i]
            separators = row[..., 0] + row[..., -1]
            total += np.stack([row[..., i - 1], separators, row[..., i]])
        n_words += len(words)
    return total / n_words


def removals(tokenizer, model, sentences):
    """Return the vectors of the sentences, and of each removal its two effects."""
    batch = tokenizer(sentences, padding=True, return_tensors="pt")
    whole = sentence_vectors(model, batch)
    pairs = np.triu_indices(len(sentences), 1)
    size = (model.config.num_hidden_layers, model.config.num_attention_heads)
    moved, agreement = np.empty(size), np.empty(size)
    for layer, head in np.ndindex(size):
        projection = model.encoder.layer[layer].attention.output.dense
        hook = projection.register_forward_pre_hook(silence(head, size[1]))
        vectors = sentence_vectors(model, batch)
        hook.remove()
        moved[layer, head] = 1 - np.mean(np.sum(vectors * whole, axis=1))
        similarities = [(v @ v.T)[pairs] for v in (whole, vectors)]
        agreement[layer, head] = np.corrcoef(*map(ranks, similarities))[0, 1]
    return {"moved": moved, "agreement": agreement}


def ranks(values):
    """Return the rank of each value; in float64 no two of ours are equal."""
    return np.argsort(np.argsort(values))


def silence(head, n_heads):
    """Return a hook that clears the features of a head."""

    def hook(_module, inputs):
        context = inputs[0].clone()
        width = context.shape[-1] // n_heads
        context[..., head * width : (head + 1) * width] = 0
        return (context,)

    return hook


def sense_cosines(tokenizer, model, senses):
    """Return the cosines of four uses, of shape (n_words, n_layers + 1, 4, 4)."""
    words = []
    for word, texts in senses.items():
        uses = []
        for text in (text for of_sense in texts.values() for text in of_sense):
            batch = tokenizer(text, return_tensors="pt")
            place = tokenizer.tokenize(text).index(word) + 1
            states = model(**batch, output_hidden_states=True).hidden_states
            uses.append([layer[0, place].numpy() for layer in states])
        x = np.array(uses).swapaxes(0, 1)  # (4, n_layers + 1, d) -> layers first
        x /= np.linalg.norm(x, axis=-1, keepdims=True)
        words.append(x @ x.swapaxes(-1, -2))
    return np.array(words)


if __name__ == "__main__":
    sys.exit(main())
