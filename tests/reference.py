"""Reads the stored reference values of tests/data."""

import functools
import json
from pathlib import Path

import numpy as np

import bertbook

DATA = Path(__file__).with_name("data")


@functools.cache
def arrays(name):
    """Return every array of an .npz file by name."""
    with np.load(DATA / name) as file:
        return {key: file[key] for key in file.files}


def case_names(file, prefix):
    """Return the names before the slash that start with `prefix`."""
    names = {key.split("/")[0] for key in arrays(file)}
    return sorted(name for name in names if name.startswith(prefix))


def encoder_cases():
    """Return the encoder cases that have a single right answer."""
    listed = json.loads((DATA / "encoder_cases.json").read_text())["cases"]
    return [case["id"] for case in listed if not case["policy"]]


def encoder_case(name):
    """Return {"ids": ..., "mask": ..., "hidden": ...} of one encoder case."""
    prefix = f"{name}_"
    stored = arrays("encoder_cases.npz").items()
    return {k.removeprefix(prefix): v for k, v in stored if k.startswith(prefix)}


def random_model(tag, dtype=np.float64):
    """Return a small random encoder of the references, and its arrays.

    The weights are put in place by hand, so that these tests do not lean on the
    code that reads checkpoints.
    """
    config = json.loads((DATA / "random_bert_forward.json").read_text())[tag]
    stored = {
        key.removeprefix(f"{tag}/"): value
        for key, value in arrays("random_bert_forward.npz").items()
        if key.startswith(f"{tag}/")
    }
    encoder = bertbook.BertEncoder(
        vocab_size=config["vocab_size"],
        max_position=config["max_position_embeddings"],
        n_layers=config["num_hidden_layers"],
        d_model=config["hidden_size"],
        n_heads=config["num_attention_heads"],
        d_ff=config["intermediate_size"],
        dtype=dtype,
    )
    for name, parameter in bertbook.named_parameters(encoder).items():
        value = stored["w:bert." + _published(name)]
        is_matrix = parameter.ndim == 2 and "embeddings" not in name
        parameter[...] = value.T if is_matrix else value
    return encoder, stored


def _published(name):
    """Return the published name of a parameter of ours."""
    swaps = [
        ("token_embeddings", "embeddings.word_embeddings.weight"),
        ("position_embeddings", "embeddings.position_embeddings.weight"),
        ("segment_embeddings", "embeddings.token_type_embeddings.weight"),
        ("embedding_norm", "embeddings.LayerNorm"),
        ("layers.", "encoder.layer."),
        ("attention_norm", "attention.output.LayerNorm"),
        ("feed_forward_norm", "output.LayerNorm"),
        ("feed_forward.intermediate", "intermediate.dense"),
        ("feed_forward.output", "output.dense"),
        ("attention.output.weight", "attention.output.dense.weight"),
        ("attention.output.bias", "attention.output.dense.bias"),
        ("attention.query", "attention.self.query"),
        ("attention.key", "attention.self.key"),
        ("attention.value", "attention.self.value"),
        ("pooler_dense", "pooler.dense"),
        ("gain", "weight"),
    ]
    for ours, theirs in swaps:
        name = name.replace(ours, theirs)
    return name
