"""Commands that run side by side."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "run_together.py"


def run(*programs):
    """Run Python programs together; return the exit status and what was said."""
    commands = [f'"{sys.executable}" -c "{program}"' for program in programs]
    done = subprocess.run(
        [sys.executable, SCRIPT, *commands], capture_output=True, text=True
    )
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, [line for line in lines if "Beside" not in line]


def test_all_run_and_what_they_say_comes_one_after_another():
    wait = "import time; time.sleep(0.3)"
    assert run(f"{wait}; print(1)", "print(2)", f"{wait}; print(3)") == (
        0,
        ["1", "2", "3"],
    )


def test_they_run_at_the_same_time(tmp_path):
    # Each waits for the file that the other makes.
    one, two = (tmp_path / name for name in ("one", "two"))
    meet = (
        "import pathlib, sys, time; a, b = map(pathlib.Path, {}); a.touch()\n"
        "for _ in range(3000):\n    b.exists() and sys.exit(0)\n    time.sleep(0.01)\n"
        "sys.exit(1)"
    )
    scripts = []
    for k, pair in enumerate([(one, two), (two, one)]):
        scripts.append(tmp_path / f"{k}.py")
        scripts[-1].write_text(meet.format([str(path) for path in pair]))
    done = subprocess.run(
        [sys.executable, SCRIPT, *(f'"{sys.executable}" "{s}"' for s in scripts)]
    )
    assert done.returncode == 0


def test_what_is_not_shown_at_once_is_announced():
    done = subprocess.run(
        [sys.executable, SCRIPT, "echo 1", "echo 2"], capture_output=True, text=True
    )
    assert done.stdout.split("\n")[0].endswith(": echo 2")


@pytest.mark.skipif(os.name == "nt", reason="no process groups as in Unix")
def test_an_interrupt_ends_all_of_them_without_a_traceback(tmp_path):
    program = (
        "import pathlib, sys, time\n"
        "try:\n    pathlib.Path(sys.argv[1]).touch(); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.5); print('ended', flush=True)\n"
    )
    (tmp_path / "wait.py").write_text(program)
    marks = [tmp_path / "one", tmp_path / "two"]
    commands = [f'exec "{sys.executable}" "{tmp_path}/wait.py" "{m}"' for m in marks]
    process = subprocess.Popen(
        [sys.executable, SCRIPT, *commands],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    while not all(mark.exists() for mark in marks) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert (process.returncode, said.split("\n")[1:]) == (130, ["ended", ""])


def test_the_failure_of_one_stops_no_other_and_is_told():
    assert run("raise SystemExit(3)", "print(2)") == (3, ["2"])
    assert run("print(1)", "print(2); raise SystemExit(4)") == (4, ["1", "2"])
