"""Make the reference values of chapter 10 with Transformers and PyTorch.

Run it where Transformers and PyTorch are installed::

    python tests/make_parity_reference.py

It runs `BertModel` on the genuine weights in float64, listens to every step by hooks,
and writes ``chapters/data/parity_minilm.npz``: the shape of each tensor, and every
19th value of it in float64. The batch has 20 positions, and 19 positions of any width
that 19 does not divide are enough to meet every feature once.
"""

import sys
from pathlib import Path
from unittest import mock

import numpy as np
from published_model import load_published, sentence_vectors, write

TARGET = Path(__file__).parent.parent / "chapters" / "data" / "parity_minilm.npz"
STEP = 19
STEPS = [
    "query", "key", "value", "scores", "weights", "context", "attention_output",
    "attention_norm", "intermediate", "activation", "feed_forward",
    "feed_forward_norm",
]  # fmt: skip
BATCH = ["Time flies like an arrow.", "Fruit flies like a very ripe banana."]
SENTENCES = [
    "A cat is sleeping on the sofa.",
    "The kitten takes a nap on the couch.",
    "How do I bake sourdough bread?",
    "A simple recipe for a homemade loaf.",
    "Share prices fell sharply this morning.",
    "The stock market had a bad day.",
    "The spacecraft entered orbit around Mars.",
    "A probe has reached the red planet.",
]


def main():
    """Write the file; say how large it is."""
    import torch

    tokenizer, model, versions = load_published()
    contents = {
        "step": np.array(STEP),
        "texts": np.array(BATCH),
        "sentences": np.array(SENTENCES),
    }
    with torch.no_grad():
        batch = tokenizer(BATCH, padding=True, return_tensors="pt")
        contents["token_ids"] = batch["input_ids"].numpy()
        contents["attention_mask"] = batch["attention_mask"].numpy()
        for name, tensor in record(model, batch).items():
            contents[name] = sample(tensor)
            contents[f"{name}:shape"] = np.array(tensor.shape)
        contents["sentence_vectors"] = np.concatenate(
            [
                sentence_vectors(model, tokenizer([text], return_tensors="pt"))
                for text in SENTENCES
            ]
        )
    write(TARGET, versions, contents)


def record(model, batch):
    """Return every step of a forward pass under the names of the chapter's rungs."""
    import torch

    softmax = torch.nn.functional.softmax
    seen, scores, weights = {}, [], []

    def listening_softmax(x, dim):
        scores.append(x)
        weights.append(softmax(x, dim=dim))
        return weights[-1]

    for name, module in modules_by_rung(model).items():
        module.register_forward_hook(keep_output(seen, name))
    model.embeddings.LayerNorm.register_forward_pre_hook(keep_input(seen, "embeddings"))
    with mock.patch("torch.nn.functional.softmax", listening_softmax):
        model(**batch)
    for index, (before, after) in enumerate(zip(scores, weights, strict=True)):
        # Transformers hides a key by adding the lowest number there is.
        hidden = torch.full_like(before, -torch.inf)
        seen[f"layers.{index}.scores"] = torch.where(before < -1e30, hidden, before)
        seen[f"layers.{index}.weights"] = after
    if odd := seen.keys() ^ set(rungs(len(model.encoder.layer))):
        raise RuntimeError(f"these steps were seen and not wanted, or missed: {odd}")
    return {name: seen[name].numpy() for name in rungs(len(model.encoder.layer))}


def rungs(n_layers):
    """Return the names of all steps in the order of the forward pass."""
    layers = [f"layers.{index}.{step}" for index in range(n_layers) for step in STEPS]
    return ["embeddings", "embedding_norm", *layers, "pooler_linear", "pooler_output"]


def modules_by_rung(model):
    """Return the modules whose outputs are wanted, under the names of the rungs."""
    modules = {
        "embedding_norm": model.embeddings.LayerNorm,
        "pooler_linear": model.pooler.dense,
        "pooler_output": model.pooler,
    }
    for index, layer in enumerate(model.encoder.layer):
        attention = layer.attention
        of_layer = {
            "query": attention.self.query,
            "key": attention.self.key,
            "value": attention.self.value,
            "context": attention.self,
            "attention_output": attention.output.dense,
            "attention_norm": attention.output.LayerNorm,
            "intermediate": layer.intermediate.dense,
            "activation": layer.intermediate,
            "feed_forward": layer.output.dense,
            "feed_forward_norm": layer.output.LayerNorm,
        }
        modules |= {f"layers.{index}.{step}": m for step, m in of_layer.items()}
    return modules


def keep_output(seen, name):
    """Return a hook that notes the first output of a module."""

    def hook(_module, _inputs, output):
        seen[name] = output[0] if isinstance(output, tuple) else output

    return hook


def keep_input(seen, name):
    """Return a hook that notes the first input of a module."""

    def hook(_module, inputs):
        seen[name] = inputs[0]

    return hook


def sample(tensor):
    """Return every 19th value; all of a tensor without an axis of tokens."""
    return tensor.reshape(-1)[:: STEP if tensor.ndim > 2 else 1]


if __name__ == "__main__":
    sys.exit(main())
