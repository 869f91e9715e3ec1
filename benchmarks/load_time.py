"""How long loading the published model takes, and how much memory.

Run it with ``python benchmarks/load_time.py [NAME_OR_FOLDER]``. Each load is timed
in a fresh interpreter, after a first that brings the file into the disk cache. For
comparison the same bytes are read into memory once, which is the copy that mapping
the file saves. Memory is what the process holds beyond the imports.
"""

import json
import statistics
import subprocess
import sys

CHILD = """
import json, sys, time
from pathlib import Path
from bertbook.checkpoint import load_pretrained
from bertbook.model_finder import find_model

def memory(field):
    path = Path("/proc/self/status")
    if not path.exists():
        return float("nan")
    return int(path.read_text().split(field + ":")[1].split()[0]) / 1024

name, action = sys.argv[1:]
path = find_model(name) / "model.safetensors"
start_memory = memory("VmRSS")
start = time.perf_counter()
if action == "copy":
    content = path.read_bytes()
else:
    tokenizer, encoder = load_pretrained(name)
seconds = time.perf_counter() - start
report = {"load": seconds, "held": memory("VmRSS") - start_memory}
report["peak"] = memory("VmHWM") - start_memory
if action == "use":
    encoder(tokenizer.encode("one sentence"))
    report["held"] = memory("VmRSS") - start_memory
    report["peak"] = memory("VmHWM") - start_memory
print(json.dumps(report))
"""


def measure(name, action):
    command = [sys.executable, "-c", CHILD, name, action]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def main(name="all-MiniLM-L6-v2", n_runs=7):
    measure(name, "copy")
    print(f"{'':34}{'seconds':>8}{'held MB':>9}{'peak MB':>9}")
    for action, what in (
        ("load", "load_pretrained"),
        ("use", "load_pretrained, then one sentence"),
        ("copy", "reading the file, nothing else"),
    ):
        runs = [measure(name, action) for _ in range(n_runs)]
        seconds, held, peak = (
            statistics.median(run[key] for run in runs)
            for key in ("load", "held", "peak")
        )
        print(f"{what:34}{seconds:8.3f}{held:9.1f}{peak:9.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
