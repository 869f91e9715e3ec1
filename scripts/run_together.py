"""Run commands side by side, and show the output of one after that of another.

Give each command as one argument::

    python scripts/run_together.py "make test-package" "make test-site"

What the first says is shown at once, what the others say when it has ended. All run
to their end; the exit status is that of the first that failed, or 0.
"""

import shutil
import subprocess
import sys
import tempfile


def main(first, *others):
    """Run the commands; return an exit status."""
    running = []
    for command in others:
        log = tempfile.TemporaryFile()
        process = subprocess.Popen(command, shell=True, stdout=log, stderr=log)
        running.append((process, log))
    failed = subprocess.run(first, shell=True).returncode
    for process, log in running:
        status = process.wait()
        failed = failed or status
        log.seek(0)
        shutil.copyfileobj(log, sys.stdout.buffer)
        sys.stdout.flush()
        log.close()
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
