"""Execute notebooks in place and store what does not vary from run to run.

Usage: ``python scripts/execute_notebooks.py [--check] [notebook or folder ...]``

Without paths all of ``chapters/`` is executed. ``--check`` writes nothing and reports
which notebooks would change. Each notebook runs in its own folder, as under nbval.
"""

import argparse
import re
import subprocess
import sys
import time
from math import ceil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "web"))
from reading_time import reading_minutes  # noqa: E402

CELL_TIMEOUT = 300
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
ANSI = re.compile(r"\x1b\[[0-9;]*m")
TIME_LINE = re.compile(r"\d+ min to read, \d+ s to run")


def main(arguments=None):
    """Execute what the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "chapters"])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    failed = False
    for path in find_notebooks(options.paths):
        try:
            changed, seconds = refresh(path, write=not options.check)
        except CellExecutionError as error:
            print(f"{path}: failed\n{error}", file=sys.stderr)
            failed = True
            continue
        print(f"{path}: {seconds:.1f} s, {'changed' if changed else 'unchanged'}")
        failed |= changed and options.check
    return int(failed)


def find_notebooks(paths):
    """Return the notebooks among paths and directly inside folders, sorted."""
    found = []
    for path in paths:
        found += sorted(path.glob("*.ipynb")) if path.is_dir() else [path]
    return found


def refresh(path, write=True):
    """Execute one notebook; return whether it changed and the seconds it took."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    seconds = execute(notebook, path.parent)
    # A check compares contents, not speed: it keeps the time that is stored.
    clean_metadata(notebook, seconds, keep_known=not write)
    after = nbformat.writes(notebook).rstrip("\n") + "\n"
    if write and after != before:
        path.write_text(after, encoding="utf-8", newline="\n")
    return after != before, seconds


def execute(notebook, folder):
    """Execute a notebook object in place; return the seconds it took."""
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    start = time.perf_counter()
    client.execute(stderr=subprocess.DEVNULL)  # what the kernel process itself says
    seconds = time.perf_counter() - start
    for cell in notebook.cells:
        clean_cell(cell)
    return seconds


def clean_metadata(notebook, seconds, keep_known=False):
    """Keep the metadata that do not depend on the machine, and the run time."""
    own = dict(notebook.metadata.get("bertbook", {}))
    known = own.get("run_seconds")
    # A new run time is stored only where it says something new: diffs stay quiet.
    if known is None or (
        not keep_known and abs(seconds - known) > max(1.0, 0.3 * known)
    ):
        own["run_seconds"] = round(seconds, 1)
    notebook.metadata = nbformat.from_dict({**METADATA, "bertbook": own})
    if notebook.cells and notebook.cells[0].cell_type == "markdown":
        line = time_line(notebook)
        notebook.cells[0].source = TIME_LINE.sub(line, notebook.cells[0].source)


def time_line(notebook):
    """Return how long the notebook takes a reader and a machine, in words."""
    prose, code = (
        [cell.source for cell in notebook.cells if cell.cell_type == kind]
        for kind in ("markdown", "code")
    )
    minutes = reading_minutes(prose, code)
    seconds = ceil(notebook.metadata.bertbook.run_seconds)
    return f"{minutes} min to read, {seconds} s to run"


def clean_cell(cell):
    """Remove from a cell what varies from run to run and from machine to machine."""
    cell.metadata.pop("execution", None)
    if cell.cell_type != "code":
        return
    cell.outputs = join_streams(cell.outputs)
    for output in cell.outputs:
        if output.output_type == "error":
            output.traceback = clean_traceback(output.traceback)


def join_streams(outputs):
    """Join neighbouring pieces of the same stream: how it is cut is chance."""
    joined = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == last.output_type == "stream":
            if output.name == last.name:
                last.text += output.text
                continue
        joined.append(output)
    return joined


def clean_traceback(traceback):
    """Drop colours, and the frames of files: their paths belong to one machine."""
    plain = [ANSI.sub("", part) for part in traceback]
    return [part for part in plain if not part.lstrip().startswith("File ")]


if __name__ == "__main__":
    sys.exit(main())
