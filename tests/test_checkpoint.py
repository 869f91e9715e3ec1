"""Whole models: loaded without a copy, saved without a loss."""

import json
import mmap
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from checkpoint_helpers import VOCAB, encoder_tensors, make_folder
from safetensors import safe_open

from bertbook import checkpoint
from bertbook.checkpoint import load_pretrained, read_safetensors, save_pretrained
from bertbook.encoder import BertEncoder, named_parameters
from bertbook.model_finder import find_model
from bertbook.tokenizer import BertTokenizer

MINILM = "all-MiniLM-L6-v2"
FILES = [
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
]


@pytest.fixture
def tiny():
    encoder = BertEncoder(12, 5, 2, 4, 2, 6, n_segments=3, layer_norm_eps=1e-5)
    return BertTokenizer(VOCAB), encoder


@pytest.fixture(scope="module")
def minilm():
    return load_pretrained(MINILM)


def memory_owner(array):
    """Return the object whose memory an array looks at."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def assert_same_model(got, expected):
    assert got[0].vocab == expected[0].vocab
    ours, theirs = named_parameters(got[1]), named_parameters(expected[1])
    assert ours.keys() == theirs.keys()
    for name, array in theirs.items():
        np.testing.assert_array_equal(ours[name], array, err_msg=name)
        assert ours[name].dtype == array.dtype
    for name in ("norm", "activation", "layer_norm_eps", "n_heads", "dtype"):
        assert getattr(got[1], name) == getattr(expected[1], name)


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_published_model_is_loaded(minilm):
    tokenizer, encoder = minilm
    assert len(tokenizer.vocab) == encoder.vocab_size == 30522
    assert (encoder.n_layers, encoder.d_model, encoder.n_heads) == (6, 384, 12)
    assert sum(array.size for array in named_parameters(encoder).values()) == 22713216


def test_all_weights_are_used_where_they_lie_in_the_one_map(minilm):
    owners = {id(memory_owner(a)): memory_owner(a)
              for a in named_parameters(minilm[1]).values()}  # fmt: skip
    assert [type(owner) for owner in owners.values()] == [mmap.mmap]


MEASURE = """
from pathlib import Path
from bertbook.checkpoint import load_pretrained

def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])

before = peak()
model = load_pretrained("all-MiniLM-L6-v2")
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_loading_takes_no_memory_for_the_weights(minilm):
    result = subprocess.run(
        [sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True
    )
    weights = sum(array.nbytes for array in named_parameters(minilm[1]).values())
    assert int(result.stdout) * 1024 < weights / 4  # the vocabulary takes some


@pytest.mark.parametrize("dtype", [np.float32, np.float64, "float64"])
def test_the_dtype_is_the_one_asked_for(tmp_path, dtype):
    folder = make_folder(tmp_path, encoder_tensors())
    encoder = load_pretrained(folder, dtype=dtype)[1]
    assert encoder.dtype == dtype
    assert {a.dtype for a in named_parameters(encoder).values()} == {np.dtype(dtype)}
    assert encoder([2, 5, 3])["last_hidden_state"].dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.int64])
def test_other_dtypes_are_refused(tmp_path, dtype):
    with pytest.raises(TypeError, match="expected float32 or float64"):
        load_pretrained(make_folder(tmp_path, encoder_tensors()), dtype=dtype)


def test_changing_the_weights_leaves_the_file_alone(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    before = snapshot(folder)
    encoder = load_pretrained(folder)[1]
    for array in named_parameters(encoder).values():
        array += 1
    assert snapshot(folder) == before


def test_a_folder_with_a_pickle_alone_is_refused(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({}))
    with pytest.raises(ValueError, match="pytorch_model.bin is a pickle .* convert"):
        load_pretrained(folder)


def test_weights_in_several_files_are_refused(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    os.rename(folder / "model.safetensors", folder / "model.safetensors.index.json")
    with pytest.raises(ValueError, match="weights in several files, .* join them"):
        load_pretrained(folder)


def test_missing_weights_are_missing(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    (folder / "model.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="has no model.safetensors"):
        load_pretrained(folder)


def test_a_truncated_file_is_refused(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="it is cut short"):
        load_pretrained(folder)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("has_pooler", [True, False])
def test_what_is_saved_is_loaded_back(tmp_path, tiny, norm, dtype, has_pooler):
    encoder = BertEncoder(
        12, 5, 2, 4, 2, 6, norm=norm, activation="gelu_tanh", dtype=dtype
    )
    if not has_pooler:
        encoder.pooler_dense = None
    save_pretrained(tmp_path / "model", tiny[0], encoder)
    assert_same_model(
        load_pretrained(tmp_path / "model", dtype=dtype), (tiny[0], encoder)
    )


def test_the_files_of_a_saved_folder(tmp_path, tiny):
    save_pretrained(tmp_path / "model", *tiny)
    assert sorted(snapshot(tmp_path / "model")) == FILES


def test_the_saved_model_has_the_published_names_shapes_and_numbers(tmp_path, minilm):
    save_pretrained(tmp_path, *minilm)
    published = find_model(MINILM) / "model.safetensors"
    with (
        safe_open(published, "np") as theirs,
        safe_open(tmp_path / "model.safetensors", "np") as ours,
    ):
        # The buffer 0, 1, 2, ... is no weight; today's files leave it out.
        assert {*ours.keys()} == {*theirs.keys()} - {"embeddings.position_ids"}
        assert ours.metadata() == theirs.metadata() == {"format": "pt"}
        for name in ours.keys():
            np.testing.assert_array_equal(
                ours.get_tensor(name), theirs.get_tensor(name)
            )
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    expected = json.loads((published.parent / "config.json").read_text("utf-8"))
    assert {k: v for k, v in expected.items() if k in config} == {
        k: v for k, v in config.items() if k != "torch_dtype"
    }
    vocab = (published.parent / "vocab.txt").read_bytes()
    assert (tmp_path / "vocab.txt").read_bytes() == vocab


def test_a_pre_norm_model_has_no_name_that_others_take_for_berts(tmp_path):
    encoder = BertEncoder(12, 5, 1, 4, 2, 6, norm="pre")
    save_pretrained(tmp_path, BertTokenizer(VOCAB), encoder)
    names = read_safetensors(tmp_path / "model.safetensors").keys()
    assert {name.split(".")[0] for name in names} == {"pre_norm"}
    assert "pre_norm.encoder.final_norm.weight" in names
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == "bertbook-pre-norm"


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot replace a mapped file")
def test_a_model_can_be_saved_over_itself(tmp_path):
    folder = make_folder(tmp_path, encoder_tensors())
    tokenizer, encoder = load_pretrained(folder)
    encoder.token_embeddings += 1
    save_pretrained(folder, tokenizer, encoder)
    assert_same_model(load_pretrained(folder), (tokenizer, encoder))


def test_what_could_not_be_loaded_is_not_saved(tmp_path, tiny):
    tokenizer, encoder = tiny
    save_pretrained(tmp_path, tokenizer, encoder)
    before = snapshot(tmp_path)
    encoder.token_embeddings = encoder.token_embeddings[:-1]
    with pytest.raises(ValueError, match=r"word_embeddings.* \(11, 4\), .* \(12, 4\)"):
        save_pretrained(tmp_path, tokenizer, encoder)
    assert snapshot(tmp_path) == before


def test_sizes_that_disagree_with_the_parameters_are_named(tmp_path, tiny):
    del tiny[1].layers[1]
    with pytest.raises(ValueError, match="disagree on layers.1.attention.key.bias"):
        save_pretrained(tmp_path / "model", *tiny)
    assert not (tmp_path / "model").exists()


def test_a_token_with_a_line_break_is_refused(tmp_path):
    tokenizer = BertTokenizer([*VOCAB, "x\ny"])
    with pytest.raises(ValueError, match="vocab.txt cannot hold, .* line breaks"):
        save_pretrained(tmp_path / "model", tokenizer, BertEncoder(20, 5, 1, 4, 2, 6))
    assert not (tmp_path / "model").exists()


def test_a_failure_while_writing_leaves_the_former_model(tmp_path, tiny, monkeypatch):
    save_pretrained(tmp_path, *tiny)
    before = snapshot(tmp_path)

    def fail(*args):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint, "build_texts", fail)
    with pytest.raises(OSError, match="no space left"):
        save_pretrained(tmp_path, tiny[0], BertEncoder(12, 5, 1, 4, 2, 6))
    assert snapshot(tmp_path) == before
