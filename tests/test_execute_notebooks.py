"""The script that executes notebooks stores what does not vary from run to run."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

SCRIPT = Path(__file__).parent.parent / "scripts" / "execute_notebooks.py"
HEAD = "# Title\n\n**Time** 1 min to read, 999 s to run.\n\n" + "word " * 400


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("execute_notebooks", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def executed(script, tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    (folder / "beside.txt").write_text("found")
    (folder / "helper.py").write_text("def fail():\n    raise ValueError('7 > 5')\n")
    cells = [
        new_markdown_cell(HEAD),
        new_code_cell("print(open('beside.txt').read())\nprint('twice')"),
        new_code_cell(
            "import helper\nhelper.fail()", metadata={"tags": ["raises-exception"]}
        ),
        new_code_cell(
            "1 + 1", execution_count=9, metadata={"execution": {"iopub": "x"}}
        ),
    ]
    path = folder / "a.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"widgets": {}}), path)
    assert script.main([str(folder)]) == 0
    return path


@pytest.fixture
def notebook(executed):
    return nbformat.read(executed, as_version=4)


def test_notebooks_run_in_their_own_folder_and_from_top_to_bottom(notebook):
    code = notebook.cells[1:]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert code[0].outputs[0].text == "found\ntwice\n"
    assert code[2].outputs[0].data["text/plain"] == "2"


def test_what_varies_is_not_stored(notebook, executed):
    assert set(notebook.metadata) == {"kernelspec", "language_info", "bertbook"}
    assert "version" not in notebook.metadata.language_info
    assert all("execution" not in cell.metadata for cell in notebook.cells)
    text = executed.read_text(encoding="utf-8")
    assert text.endswith("}\n") and "\r" not in text


def test_an_error_is_stored_without_colours_and_paths(notebook, executed):
    (output,) = notebook.cells[2].outputs
    traceback = "\n".join(output.traceback)
    assert output.evalue == "7 > 5"
    assert "----> 2 helper.fail()" in traceback
    assert traceback.endswith("ValueError: 7 > 5")
    assert "\x1b" not in traceback and "helper.py" not in traceback


def test_the_measured_times_are_written_into_the_head(notebook):
    seconds = notebook.metadata.bertbook.run_seconds
    found = re.search(r"(\d+) min to read, (\d+) s to run", notebook.cells[0].source)
    assert seconds > 0
    assert seconds <= int(found.group(2)) < seconds + 1
    assert int(found.group(1)) == 3  # 400 words and a few lines of code


def test_checking_writes_nothing_and_says_what_would_change(script, executed, capsys):
    before = executed.read_text(encoding="utf-8")
    assert script.main(["--check", str(executed)]) == 0
    assert "unchanged" in capsys.readouterr().out
    stale = before.replace('"2"', '"3"', 1)
    executed.write_text(stale, encoding="utf-8")
    assert script.main(["--check", str(executed)]) == 1
    assert ", changed" in capsys.readouterr().out
    assert executed.read_text(encoding="utf-8") == stale
    executed.write_text(before, encoding="utf-8")


def test_a_notebook_that_fails_is_left_as_it_was(script, tmp_path, capsys):
    path = tmp_path / "b.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), path)
    before = path.read_text(encoding="utf-8")
    assert script.main([str(path)]) == 1
    assert path.read_text(encoding="utf-8") == before
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("known", "measured", "stored"),
    [(None, 4.04, 4.0), (4.0, 4.9, 4.0), (4.0, 5.3, 5.3), (20.0, 25, 20.0), (20, 9, 9)],
)
def test_a_run_time_is_rewritten_only_if_it_says_something_new(
    script, known, measured, stored
):
    notebook = new_notebook()
    if known is not None:
        notebook.metadata["bertbook"] = {"run_seconds": known}
    script.clean_metadata(notebook, measured)
    assert notebook.metadata["bertbook"]["run_seconds"] == stored


def test_pieces_of_one_stream_are_joined(script):
    outputs = [
        new_output("stream", name="stdout", text="a"),
        new_output("stream", name="stdout", text="b"),
        new_output("stream", name="stderr", text="c"),
        new_output("display_data", data={"text/plain": "d"}),
        new_output("stream", name="stdout", text="e"),
    ]
    joined = script.join_streams(outputs)
    assert [o.get("text") for o in joined] == ["ab", "c", None, "e"]
