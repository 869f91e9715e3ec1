"""Every chapter keeps the rules."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from notebook_rules_content import RULES

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))


@pytest.fixture(scope="session", params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return nbformat.read(request.param, as_version=4)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_chapter_keeps_the_rule(chapter, rule):
    problems = list(rule(chapter))
    assert not problems, f"{rule.__doc__}\n" + "\n".join(problems)


def test_there_are_chapters():
    assert CHAPTERS


def ruff(*paths):
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.skipif(not CHAPTERS, reason="ruff without paths looks everywhere")
def test_ruff_finds_nothing_in_the_chapters():
    done = ruff(*CHAPTERS)
    assert done.returncode == 0, done.stdout


def test_ruff_looks_into_notebooks(tmp_path):
    bad = new_notebook(cells=[new_code_cell("import os")])
    bad.metadata["language_info"] = {"name": "python"}
    nbformat.write(bad, tmp_path / "bad.ipynb")
    done = ruff("--isolated", tmp_path / "bad.ipynb")
    assert "F401" in done.stdout
