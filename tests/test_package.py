"""Laws about the package as a whole: layout, imports, docstrings, no leftovers."""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpydoc.validate
import pytest

import bertbook

PACKAGE = Path(bertbook.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
# A file imports only from files further up. The first names are what others rest on.
ORDER = [
    "checks", "erf_fit", "activations", "layers", "attention", "encoder_layer",
    "encoder", "unicode_tables", "normalization", "vocabulary", "wordpiece",
    "text_to_ids", "batching", "tokenizer_checks", "tokenizer", "atomic",
    "safetensors_header", "safetensors_format", "model_finder", "model_texts",
    "checkpoint", "sentence_vectors", "search_index", "pooling", "tables",
    "viewer_page", "viewer", "viz", "exercises", "__init__",
]  # fmt: skip
FACE = [
    "bertbook", "bertbook.activations", "bertbook.attention", "bertbook.checkpoint",
    "bertbook.encoder", "bertbook.layers", "bertbook.pooling", "bertbook.tokenizer",
    "bertbook.viz", "bertbook.exercises",
]  # fmt: skip
CHECKED = (
    "GL03 GL05 GL06 GL07 GL08 GL10 PR01 PR02 PR03 PR05 RT01 RT04 SS03 SS05".split()
)


def imports_of(path):
    """Return the modules of the package that a file imports, at any level."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        )
        for name in names:
            if name.startswith("bertbook."):
                yield name.split(".")[1]


@functools.cache
def public_modules():
    """Return every module that declares what is public."""
    found = [info.name for info in pkgutil.walk_packages([str(PACKAGE)], "bertbook.")]
    names = [name for name in found if ".exercises." not in name]
    modules = [bertbook, *(importlib.import_module(name) for name in names)]
    return [module for module in modules if hasattr(module, "__all__")]


@functools.cache
def public_objects():
    """Return what readers call: functions, classes, methods, by dotted name."""
    objects = {}
    for module in map(importlib.import_module, FACE):
        for name in module.__all__:
            item = getattr(module, name)
            if inspect.isfunction(item) or inspect.isclass(item):
                objects[f"{item.__module__}.{item.__qualname__}"] = item
            if inspect.isclass(item):
                for method, function in vars(item).items():
                    if inspect.isfunction(function) and not method.startswith("_"):
                        objects[f"{item.__module__}.{item.__qualname__}.{method}"] = (
                            function
                        )
    return objects


def test_a_folder_of_the_same_name_does_not_hide_the_package(tmp_path):
    (tmp_path / "bertbook").mkdir()  # such as a clone, seen from the folder around it
    code = "import bertbook; print(bertbook.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert Path(done.stdout.strip()) == PACKAGE / "__init__.py", done.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_imports_only_from_files_above_it(path):
    relative = path.relative_to(PACKAGE)
    place = ORDER.index(relative.parts[0].removesuffix(".py"))
    for name in imports_of(path):
        assert ORDER.index(name) <= place, f"{relative} imports {name}"
        if len(relative.parts) == 1:
            assert ORDER.index(name) < place, f"{relative} imports itself"


def test_the_order_names_every_module():
    names = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in FILES}
    assert names == set(ORDER)


@pytest.mark.parametrize("module", public_modules(), ids=lambda module: module.__name__)
def test_all_is_what_can_be_imported_and_is_sorted(module):
    assert module.__all__ == sorted(set(module.__all__), key=str)
    for name in module.__all__:
        assert hasattr(module, name), name


def test_the_public_face_is_complete():
    assert {
        "BertEncoder",
        "BertTokenizer",
        "load_pretrained",
        "save_pretrained",
        "embed_sentences",
        "named_parameters",
    } <= set(bertbook.__all__)


def test_importing_needs_numpy_and_tqdm_alone():
    blocked = [
        f"sys.modules[{name!r}] = None"
        for name in ("matplotlib", "safetensors", "tokenizers", "torch", "IPython")
    ]
    code = "import sys\n" + "\n".join(blocked) + "\nimport bertbook\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 250
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 25, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_there_is_no_assert_and_no_print(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.Assert), f"assert in line {node.lineno}"
        if isinstance(node, ast.Call):
            assert getattr(node.func, "id", "") != "print", (
                f"print in line {node.lineno}"
            )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_numpy_scalar_slips_into_float32(path):
    # np.sqrt of a Python number is a float64 scalar, which promotes in NumPy 2
    found = re.findall(
        r"np\.(?:sqrt|log|exp)\(\s*(?:\d|len\(|[a-z_.]*shape)",
        path.read_text(encoding="utf-8"),
    )
    assert not found


@pytest.mark.parametrize("name", sorted(public_objects()))
def test_docstrings_are_complete(name):
    report = numpydoc.validate.validate(name)
    problems = [text for code, text in report["errors"] if code in CHECKED]
    assert not problems


@pytest.mark.parametrize("name", sorted(public_objects()))
def test_functions_that_return_arrays_say_their_shape(name):
    item = public_objects()[name]
    returns = re.search(
        r"Returns\n\s*-+\n(.*?)(?:\n\n\s*\w+\n\s*-+|\Z)",
        inspect.getdoc(item) or "",
        re.S,
    )
    if returns and re.match(r"(\w+ : )?ndarray", returns.group(1)):
        assert re.search(r"shape|[Ss]ame|float", returns.group(1))
