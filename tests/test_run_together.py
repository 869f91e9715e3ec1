"""Commands that run side by side."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "scripts" / "run_together.py"


def run(*programs):
    """Run Python programs together; return the exit status and what was said."""
    commands = [f'"{sys.executable}" -c "{program}"' for program in programs]
    done = subprocess.run(
        [sys.executable, SCRIPT, *commands], capture_output=True, text=True
    )
    return done.returncode, (done.stdout + done.stderr).split()


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


def test_the_failure_of_one_stops_no_other_and_is_told():
    assert run("raise SystemExit(3)", "print(2)") == (3, ["2"])
    assert run("print(1)", "print(2); raise SystemExit(4)") == (4, ["1", "2"])
