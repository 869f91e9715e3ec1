"""The strict comparison of notebooks: what it lets pass and what it refuses."""

import base64
import copy
import importlib.util
import io
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image, PngImagePlugin
from strict_cells import GREEN, RED

ROOT = Path(__file__).parent.parent


def load(path):
    """Import a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


strict = load(ROOT / "chapters" / "strict_compare.py")
execute_notebooks = load(ROOT / "scripts" / "execute_notebooks.py")


def compare(stored, new, *tags):
    return strict.compare_texts(stored, new, strict.Tolerance.from_tags(tags))


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("0.51234", "0.51235"),
        ("123.4", "123.5"),
        ("0.0004", "0.0003"),
        ("[ 0.  0.2]", "[-0.  0.2]"),
        ("[[ 0.1    -0.2   ]]", "[[ 0.1    -0.1999]]"),
        ("[0.5 1. ]", "[0.4999 1.    ]"),
        ("a  0.1\nb 10.25", "a  0.1\nb 10.251"),
        ("3.14e-05", "3.141e-05"),
        ("nan inf -inf", "nan inf -inf"),
        ("{'a': 0.25, 'b': (2, 8)}", "{'a': 0.2501, 'b': (2, 8)}"),
    ],
)
def test_texts_agree_up_to_rounding(stored, new):
    assert compare(stored, new) is None
    assert compare(new, stored) is None


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("0.5123", "0.5223"),
        ("0.5", "0.6"),
        ("12.3", "12.4"),
        ("0.81", "0.82"),
        ("(2, 8)", "(8, 2)"),
        ("(2, 8)", "(2, 8, 1)"),
        ("1", "1.0"),
        ("1e5", "100000"),
        ("float32", "float64"),
        ("v1.05", "v1.0501"),
        ("0.5 nan", "nan 0.5"),
        ("inf", "-inf"),
        ("-0.5", "0.5"),
        ("1.2e-07", "1.3e-07"),
        ("1.2e-07", "1.2e-06"),
        ("109482240", "109482241"),
        ("version 1.0.4", "version 1.0.5"),
        ("a  b 0.5", "a b 0.5"),
        ("loss 0.5", "loss: 0.5"),
        ("loss 0.5 ", "cost 0.25"),
        ("0.1 0.2", "0.1\n0.2"),
    ],
)
def test_texts_differ(stored, new):
    assert compare(stored, new)
    assert compare(new, stored)


def test_tags_set_the_tolerance():
    assert compare("0.50", "0.51")
    assert compare("0.50", "0.51", "rtol:5e-2") is None
    assert compare("0.50", "0.51", "rtol=5e-2") is None
    assert compare("2.4e-07", "0.0e+00")
    assert compare("2.4e-07", "0.0e+00", "atol:1e-6") is None
    assert compare("2.4e-07", "0.0e+00", "noise") is None
    assert compare("2.4e-04", "0.0e+00", "noise")
    assert compare("7", "8", "rtol:1", "atol:9")


def picture(pixels, drawn_by="matplotlib 3.10.8"):
    info = PngImagePlugin.PngInfo()
    info.add_text("Software", drawn_by)
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG", pnginfo=info)
    return base64.b64encode(data.getvalue()).decode()


@pytest.fixture
def pixels():
    plain = np.full((120, 160, 3), 255, np.uint8)
    plain[20:100, 30:50] = (0, 114, 178)
    return plain


def changed(pixels, *where, color=(0, 0, 0)):
    pixels = pixels.copy()
    pixels[where] = color
    return pixels


def test_same_matplotlib_is_compared_by_pixels(pixels):
    same = picture(pixels)
    one = picture(changed(pixels, 0, 0))
    letter = picture(changed(pixels, slice(0, 6), slice(0, 3)))
    faint = picture(changed(pixels, slice(0, 60), slice(60, 90), color=(250,) * 3))
    recoloured = picture(
        changed(pixels, slice(20, 100), slice(30, 50), color=(0, 123, 123))
    )
    assert strict.compare_pictures(same, one) is None
    assert strict.compare_pictures(same, faint) is None
    assert "pixels differ" in strict.compare_pictures(same, letter)
    assert "pixels differ" in strict.compare_pictures(same, recoloured)
    assert "size" in strict.compare_pictures(same, picture(pixels[1:]))


def test_other_matplotlib_is_compared_by_thumbnail(pixels):
    same = picture(pixels)
    letter = picture(changed(pixels, slice(0, 6), slice(0, 3)), "matplotlib 3.11.2")
    moved = picture(np.roll(pixels, 40, axis=1), "matplotlib 3.11.2")
    assert strict.compare_pictures(same, letter) is None
    assert strict.compare_pictures(same, picture(pixels[1:], "other")) is None
    assert "size" in strict.compare_pictures(same, picture(pixels[5:], "other"))
    assert "rms" in strict.compare_pictures(same, moved)


def build(cells):
    """Return an executed notebook whose stored outputs were then changed."""
    notebook = new_notebook(
        cells=[
            new_code_cell(source, metadata={"tags": tags})
            for _, source, tags, _ in cells
        ]
    )
    execute_notebooks.execute(notebook, ROOT / "chapters")
    before = copy.deepcopy(notebook.cells)
    for cell, (_, _, _, change) in zip(notebook.cells, cells, strict=True):
        if change:
            change(cell, before)
    return notebook


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Run strict nbval over good and spoilt notebooks; return its report."""
    folder = tmp_path_factory.mktemp("chapters")
    for name in ("conftest.py", "strict_compare.py"):
        shutil.copy(ROOT / "chapters" / name, folder)
    notebook = build(GREEN + RED)
    nbformat.write(notebook, folder / "cells.ipynb")
    for cell in notebook.cells:
        cell.execution_count = None
        cell.outputs = []
    nbformat.write(notebook, folder / "stripped.ipynb")
    for k, cell in enumerate(notebook.cells):
        cell.execution_count = k + 2
    nbformat.write(notebook, folder / "counts.ipynb")
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-rA"]
    command += ["--color=no"]
    command += ["-p", "no:cacheprovider", "--continue-on-collection-errors", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize(
    ("k", "name"), [(k, cell[0]) for k, cell in enumerate(GREEN)], ids=str
)
def test_a_cell_that_agrees_passes(report, k, name):
    assert f"PASSED cells.ipynb::Cell {k}\n" in report, name


@pytest.mark.parametrize(
    ("k", "name"), [(k, cell[0]) for k, cell in enumerate(RED, len(GREEN))], ids=str
)
def test_a_cell_that_differs_fails(report, k, name):
    assert f"FAILED cells.ipynb::Cell {k}" in report, name
    assert f"Cell {k}: Cell outputs differ" in report


@pytest.mark.parametrize("notebook", ["stripped.ipynb", "counts.ipynb"])
def test_a_notebook_not_executed_in_order_is_refused(report, notebook):
    assert f"ERROR {notebook}" in report
    assert f"{notebook} was not executed once from top to bottom" in report
