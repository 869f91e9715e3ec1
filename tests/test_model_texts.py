"""config.json and the vocabulary: read, refused and written."""

import json

import numpy as np
import pytest
import tokenizers

from bertbook.encoder import BertEncoder
from bertbook.model_texts import build_texts, read_config, read_tokenizer
from bertbook.tokenizer import BertTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCAB = [*SPECIAL, "caf", "##e", "un", "##aff", "##able", ",", "日"]
CONFIG = {
    "model_type": "bert",
    "vocab_size": 12,
    "max_position_embeddings": 5,
    "num_hidden_layers": 1,
    "hidden_size": 4,
    "num_attention_heads": 2,
    "intermediate_size": 6,
    "type_vocab_size": 2,
}


@pytest.fixture
def tiny():
    """A tokenizer and an encoder of which every size is different."""
    encoder = BertEncoder(12, 5, 1, 4, 2, 6, n_segments=3, layer_norm_eps=1e-5)
    return BertTokenizer(VOCAB), encoder


def write(folder, name, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_config_becomes_the_arguments_of_an_encoder(tmp_path):
    assert read_config(write(tmp_path, "config.json", CONFIG)) == {
        "vocab_size": 12,
        "max_position": 5,
        "n_layers": 1,
        "d_model": 4,
        "n_heads": 2,
        "d_ff": 6,
        "n_segments": 2,
        "norm": "post",
        "activation": "gelu",
        "layer_norm_eps": 1e-12,
    }


@pytest.mark.parametrize(
    ("name", "activation"),
    [
        ("gelu", "gelu"),
        ("gelu_python", "gelu"),
        ("gelu_new", "gelu_tanh"),
        ("gelu_fast", "gelu_tanh"),
        ("gelu_pytorch_tanh", "gelu_tanh"),
    ],
)
def test_both_forms_of_gelu_are_told_apart(tmp_path, name, activation):
    folder = write(tmp_path, "config.json", CONFIG | {"hidden_act": name})
    assert read_config(folder)["activation"] == activation


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hidden_act": "relu"}, "hidden_act 'relu', expected 'gelu' or 'gelu_python'"),
        ({"hidden_act": ["gelu"]}, r"hidden_act \['gelu'\]"),
        ({"model_type": "roberta"}, "model_type 'roberta', expected 'bert' or"),
        ({"position_embedding_type": "relative_key"}, "'relative_key', exp.* 'absol"),
        ({"is_decoder": True}, "is_decoder True, expected False"),
        ({"add_cross_attention": True}, "add_cross_attention True"),
        ({"hidden_size": "4"}, "hidden_size '4', expected 1 or more"),
        ({"hidden_size": 4.0}, "hidden_size 4.0"),
        ({"num_hidden_layers": True}, "num_hidden_layers True"),
        ({"num_hidden_layers": 0}, "num_hidden_layers 0"),
        ({"layer_norm_eps": "1e-12"}, "layer_norm_eps '1e-12'"),
        ({"layer_norm_eps": 0}, "layer_norm_eps 0"),
        ({"layer_norm_eps": float("nan")}, "layer_norm_eps nan"),
    ],
)
def test_another_architecture_is_refused(tmp_path, changes, reason):
    folder = write(tmp_path, "config.json", CONFIG | changes)
    with pytest.raises(ValueError, match=f"config.json has .*{reason}"):
        read_config(folder)


def test_missing_sizes_are_all_named(tmp_path):
    with pytest.raises(ValueError, match="lacks model_type, vocab_size, max_.*type_v"):
        read_config(write(tmp_path, "config.json", {}))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_not_json_is_refused(tmp_path, text):
    with pytest.raises(ValueError, match="config.json is not JSON in UTF-8"):
        read_config(write(tmp_path, "config.json", text))


def test_json_that_is_no_object_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds a list, expected an object"):
        read_config(write(tmp_path, "config.json", []))


def test_a_missing_config_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no config.json, a model has"):
        read_config(tmp_path)


def test_the_vocabulary_is_read_from_either_file(tmp_path, tiny):
    texts = build_texts(*tiny)
    for name in ("tokenizer.json", "vocab.txt"):
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        write(folder, name, texts[name])
        assert read_tokenizer(folder, 12).vocab == VOCAB


def test_no_vocabulary_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="no vocab.txt and no tokenizer.json"):
        read_tokenizer(tmp_path, 12)


def test_more_tokens_than_rows_are_refused(tmp_path, tiny):
    write(tmp_path, "vocab.txt", build_texts(*tiny)["vocab.txt"])
    with pytest.raises(ValueError, match="has 12 tokens, expected at most 11"):
        read_tokenizer(tmp_path, 11)


@pytest.mark.parametrize(
    "settings",
    [{"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": 0}],
)
def test_other_than_uncased_tokenizers_are_refused(tmp_path, tiny, settings):
    write(tmp_path, "vocab.txt", build_texts(*tiny)["vocab.txt"])
    write(tmp_path, "tokenizer_config.json", settings)
    with pytest.raises(ValueError, match=f"tokenizer_config.json has {[*settings][0]}"):
        read_tokenizer(tmp_path, 12)


@pytest.mark.parametrize(
    ("part", "changes", "reason"),
    [
        ("normalizer", {"lowercase": False}, "lowercase False, expected True"),
        ("normalizer", {"type": "NFC"}, "type 'NFC'"),
        ("model", {"type": "BPE"}, "type 'BPE'"),
        ("model", {"continuing_subword_prefix": "@@"}, "'@@', expected '##'"),
        ("model", {"vocab": None}, "no token for each of the ids"),
        ("model", {"vocab": {"a": 1}}, "no token for each of the ids"),
        ("model", {"vocab": {"a": 0, "b": 0}}, "no token for each of the ids"),
        ("model", {"vocab": {"a": "0", "b": 1}}, "no token for each of the ids"),
    ],
)
def test_a_tokenizer_file_of_another_kind_is_refused(
    tmp_path, tiny, part, changes, reason
):
    content = json.loads(build_texts(*tiny)["tokenizer.json"])
    content[part] |= changes
    write(tmp_path, "tokenizer.json", content)
    with pytest.raises(ValueError, match=reason):
        read_tokenizer(tmp_path, 12)


def test_tokens_beyond_the_vocabulary_are_refused(tmp_path, tiny):
    content = json.loads(build_texts(*tiny)["tokenizer.json"])
    content["added_tokens"].append({"id": 12, "content": "[NEW]"})
    write(tmp_path, "tokenizer.json", content)
    with pytest.raises(ValueError, match=r"adds \['\[NEW\]'\], expected only"):
        read_tokenizer(tmp_path, 13)


def test_a_tokenizer_file_without_its_parts_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no normalizer"):
        read_tokenizer(write(tmp_path, "tokenizer.json", {}), 12)


def test_what_is_written_is_read_back(tmp_path, tiny):
    tokenizer, encoder = tiny
    for name, text in build_texts(tokenizer, encoder).items():
        write(tmp_path, name, text)
    config = read_config(tmp_path)
    assert config == {name: getattr(encoder, name) for name in config}
    assert config["n_segments"] == 3
    assert read_tokenizer(tmp_path, 12).vocab == VOCAB


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh"])
def test_norm_and_activation_are_kept(tmp_path, norm, activation):
    encoder = BertEncoder(
        12, 5, 1, 4, 2, 6, norm=norm, activation=activation, dtype=np.float64
    )
    texts = build_texts(BertTokenizer(VOCAB), encoder)
    config = read_config(write(tmp_path, "config.json", texts["config.json"]))
    assert (config["norm"], config["activation"]) == (norm, activation)
    assert ("BertModel" in texts["config.json"]) == (norm == "post")


def test_the_tokenizers_library_does_the_same_with_the_file_that_we_write(tiny):
    ours = tiny[0]
    theirs = tokenizers.Tokenizer.from_str(build_texts(*tiny)["tokenizer.json"])
    for pair in [("Café, UNAFFABLE 日x [MASK]", None), ("cafe", "unaffable, 日")]:
        expected = theirs.encode(*pair)
        got = ours(*pair)
        assert got["token_ids"].tolist() == expected.ids
        assert got["segment_ids"].tolist() == expected.type_ids
