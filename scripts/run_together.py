"""Run commands side by side, and show the output of one after that of another.

Give each command as one argument::

    python scripts/run_together.py "make test-package" "make test-site"

What the first says is shown at once, what the others say when it has ended. All run
to their end; the exit status is that of the first that failed, or 0.
"""

import contextlib
import shutil
import subprocess
import sys
import tempfile


def main(first, *others):
    """Run the commands; return an exit status."""
    logs = [None, *(tempfile.TemporaryFile() for _ in others)]
    for command in others:
        print(f"Beside this runs, and is shown at the end: {command}", flush=True)
    running = [
        subprocess.Popen(command, shell=True, stdout=log, stderr=log)
        for command, log in zip((first, *others), logs, strict=True)
    ]
    try:
        return finish(running, logs)
    except KeyboardInterrupt:
        # The terminal has interrupted all of them: leave none behind.
        for process in running:
            with contextlib.suppress(KeyboardInterrupt):
                process.wait()
        return 130


def finish(running, logs):
    """Wait for each, show what it said; return the first status that is not 0."""
    failed = 0
    for process, log in zip(running, logs, strict=True):
        status = process.wait()
        failed = failed or status
        if log:
            log.seek(0)
            shutil.copyfileobj(log, sys.stdout.buffer)
            sys.stdout.flush()
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
