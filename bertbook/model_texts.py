"""The text files of a published model.

``config.json`` holds the sizes, ``vocab.txt`` or ``tokenizer.json`` the vocabulary.
"""

import json

from bertbook.tokenizer import BertTokenizer
from bertbook.vocabulary import SPECIAL_TOKENS

__all__ = ["build_texts", "read_config", "read_tokenizer"]

# A pre-norm encoder is not BERT, so it must not be loaded as one by others.
NORMS = {"bert": "post", "bertbook-pre-norm": "pre"}
# Published names of the two forms of GELU, the usual one of each first.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
}
SIZES = {
    "vocab_size": "vocab_size",
    "max_position_embeddings": "max_position",
    "num_hidden_layers": "n_layers",
    "hidden_size": "d_model",
    "num_attention_heads": "n_heads",
    "intermediate_size": "d_ff",
    "type_vocab_size": "n_segments",
}
# Settings that change the numbers, with the values that we compute.
BERT = {
    "hidden_act": ACTIVATIONS,
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
}
UNCASED = {
    "do_lower_case": (True,),
    "strip_accents": (None, True),
    "tokenize_chinese_chars": (True,),
}
UNCASED_NORMALIZER = {
    "type": ("BertNormalizer",),
    "lowercase": (True,),
    "strip_accents": (None, True),
    "handle_chinese_chars": (True,),
    "clean_text": (True,),
}
WORDPIECE = {
    "type": ("WordPiece",),
    "unk_token": ("[UNK]",),
    "continuing_subword_prefix": ("##",),
    "max_input_chars_per_word": (100,),
}


def read_config(folder):
    """Return the arguments of `BertEncoder` that ``config.json`` asks for.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    dict

    Raises
    ------
    FileNotFoundError
        If there is no ``config.json``.
    ValueError
        If it lacks a size, or describes something else than BERT's encoder.
    """
    path = folder / "config.json"
    config = _read_json(path)
    if missing := [key for key in ("model_type", *SIZES) if key not in config]:
        raise ValueError(f"{path} lacks {', '.join(missing)}, expected a BERT config")
    _check_settings(path, config, {"model_type": NORMS} | BERT)
    for key in SIZES:
        if type(config[key]) is not int or config[key] < 1:
            raise ValueError(f"{path} has {key} {config[key]!r}, expected 1 or more")
    eps = config.get("layer_norm_eps", 1e-12)
    if type(eps) not in (int, float) or not 0 < eps < 1:
        raise ValueError(f"{path} has layer_norm_eps {eps!r}, expected 0 to 1")
    return {ours: config[theirs] for theirs, ours in SIZES.items()} | {
        "norm": NORMS[config["model_type"]],
        "activation": ACTIVATIONS[config.get("hidden_act", "gelu")],
        "layer_norm_eps": eps,
    }


def read_tokenizer(folder, vocab_size):
    """Return the tokenizer of ``vocab.txt``, or without one of ``tokenizer.json``.

    Parameters
    ----------
    folder : Path
    vocab_size : int
        The most tokens that it may have.

    Returns
    -------
    BertTokenizer

    Raises
    ------
    FileNotFoundError
        If there is neither of the two files.
    ValueError
        If the folder asks for anything but uncased WordPiece, or has more tokens.
    """
    settings = folder / "tokenizer_config.json"
    if settings.exists():
        _check_settings(settings, _read_json(settings), UNCASED)
    path = folder / "vocab.txt"
    if path.exists():
        tokenizer = BertTokenizer.from_file(path)
    else:
        path = folder / "tokenizer.json"
        if not path.exists():
            raise FileNotFoundError(f"{folder} has no vocab.txt and no {path.name}")
        tokenizer = BertTokenizer(_read_vocabulary(path, _read_json(path)))
    if len(tokenizer.vocab) > vocab_size:
        raise ValueError(
            f"{path} has {len(tokenizer.vocab)} tokens, expected at most {vocab_size}, "
            f"the vocab_size in config.json"
        )
    return tokenizer


def build_texts(tokenizer, encoder):
    """Return the text files of a model's folder.

    Parameters
    ----------
    tokenizer : BertTokenizer
    encoder : BertEncoder

    Returns
    -------
    dict of str to str
        The text of each file by its name.
    """
    config = {theirs: int(getattr(encoder, ours)) for theirs, ours in SIZES.items()}
    config |= {
        "model_type": _first_key(NORMS, encoder.norm),
        "hidden_act": _first_key(ACTIVATIONS, encoder.activation),
        "layer_norm_eps": float(encoder.layer_norm_eps),
        "position_embedding_type": "absolute",
        "pad_token_id": tokenizer.pad_id,
        "torch_dtype": encoder.dtype.name,
    }
    if encoder.norm == "post":
        config["architectures"] = ["BertModel"]
    tokenizer_config = _first_values(UNCASED)
    tokenizer_config["tokenizer_class"] = "BertTokenizer"
    tokenizer_config["model_max_length"] = int(encoder.max_position)
    return {
        "config.json": _to_json(config),
        "tokenizer_config.json": _to_json(tokenizer_config),
        "tokenizer.json": _to_json(_build_tokenizer(tokenizer)),
        "vocab.txt": "".join(f"{token}\n" for token in tokenizer.vocab),
    }


def _build_tokenizer(tokenizer):
    """Return the content of ``tokenizer.json``, which other engines prefer."""
    ids = tokenizer.token_to_id
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    cls, sep = ({"SpecialToken": {"id": i, "type_id": 0}} for i in ("[CLS]", "[SEP]"))
    first, second = ({"Sequence": {"id": i, "type_id": n}} for n, i in enumerate("AB"))
    last = {"SpecialToken": {"id": "[SEP]", "type_id": 1}}
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": ids[name], "content": name, "special": True} | flags
            for name in sorted(SPECIAL_TOKENS, key=ids.get)
        ],
        "normalizer": _first_values(UNCASED_NORMALIZER),
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [cls, first, sep],
            "pair": [cls, first, sep, second, last],
            "special_tokens": {
                name: {"id": name, "ids": [ids[name]], "tokens": [name]}
                for name in ("[CLS]", "[SEP]")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": _first_values(WORDPIECE) | {"vocab": ids},
    }


def _read_vocabulary(path, tokenizer):
    """Return the tokens of ``tokenizer.json`` as a list, in the order of their ids."""
    for part, values in (("normalizer", UNCASED_NORMALIZER), ("model", WORDPIECE)):
        if not isinstance(tokenizer.get(part), dict):
            raise ValueError(f"{path} has no {part}, expected a BERT tokenizer")
        _check_settings(path, tokenizer[part], values)
    vocab = tokenizer["model"].get("vocab")
    ids = list(vocab.values()) if isinstance(vocab, dict) else [None]
    if not {*map(type, ids)} <= {int} or sorted(ids) != list(range(len(ids))):
        raise ValueError(f"{path} has no token for each of the ids 0, 1, 2, ...")
    added = [token.get("content") for token in tokenizer.get("added_tokens") or ()]
    if extra := [token for token in added if token not in vocab]:
        raise ValueError(f"{path} adds {extra}, expected only the vocabulary")
    return sorted(vocab, key=vocab.get)


def _check_settings(path, settings, allowed):
    """Refuse a setting that asks for something else than what we compute."""
    for key, values in allowed.items():
        if key in settings and settings[key] not in list(values):
            expected = " or ".join(map(repr, values))
            raise ValueError(
                f"{path} has {key} {settings[key]!r}, expected {expected}; "
                f"bertbook computes nothing else"
            )


def _first_key(table, value):
    """Return the first key of a dict that has this value."""
    return next(key for key, entry in table.items() if entry == value)


def _first_values(allowed):
    """Return the settings that we write: the first of the allowed values."""
    return {key: values[0] for key, values in allowed.items()}


def _read_json(path):
    """Return the JSON object in a file, or say that there is none."""
    if not path.exists():
        raise FileNotFoundError(f"{path.parent} has no {path.name}, a model has")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON in UTF-8: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds a {type(content).__name__}, expected an object")
    return content


def _to_json(content):
    """Return JSON text as people like to read it."""
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
