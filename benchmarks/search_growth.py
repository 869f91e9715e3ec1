"""How exact search grows: time and memory for 1e3 to 1e6 vectors.

Run it with ``python benchmarks/search_growth.py [RESULTS.json]``; with a file name the
results are stored there, as chapter 11 reads them. Random unit vectors of the width
of the published model stand for texts: the time does not depend on what they mean.
What is measured is processor time on one thread, the best of several rounds over all
sizes, so that the times can be compared with one another on a busy machine, too. A
size that does not fit twice into the free memory is left out.
"""

import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from bertbook import embed_sentences, load_pretrained, top_k
from bertbook.pooling import unit_length

SIZES = [1_000, 10_000, 100_000, 1_000_000]
D_MODEL, N_QUERIES, K, N_ROUNDS = 384, 64, 10, 21
QUERY = "in what order would I have to pick the entries so that they end up ordered"


def free_bytes():
    path = Path("/proc/meminfo")
    if not path.exists():
        return float("inf")
    return int(path.read_text().split("MemAvailable:")[1].split()[0]) * 1024


def held_bytes():
    path = Path("/proc/self/status")
    if not path.exists():
        return float("nan")
    return int(path.read_text().split("VmRSS:")[1].split()[0]) * 1024


def random_vectors(n, rng):
    vectors = np.empty((n, D_MODEL), np.float32)
    for start in range(0, n, 50_000):
        part = vectors[start : start + 50_000]
        part[:] = unit_length(rng.standard_normal(part.shape, dtype=np.float32))
    return vectors


def seconds_of(action):
    start = time.process_time()
    action()
    return time.process_time() - start


def actions_for(vectors, queries):
    """Return what is timed, by name."""
    scores = queries[0] @ vectors.T
    return {
        "product": lambda: queries[0] @ vectors.T,
        "product_of_many": lambda: queries @ vectors.T,
        "top_k": lambda: top_k(scores, K),
        "argsort": lambda: np.argsort(-scores, kind="stable"),
    }


def measure(sizes, tokenizer, encoder):
    rng = np.random.default_rng(0)
    queries = random_vectors(N_QUERIES, rng)
    rows, timed = [], []
    for n in sizes:
        before = held_bytes()
        vectors = random_vectors(n, rng)
        row = {"n": n, "bytes": vectors.nbytes, "held": held_bytes() - before}
        actions = actions_for(vectors, queries)
        rows.append(row)
        timed.append((actions, {name: [] for name in actions}))
    embedding = []
    for _ in range(N_ROUNDS):
        embedding.append(
            seconds_of(lambda: embed_sentences(tokenizer, encoder, [QUERY]))
        )
        for actions, times in timed:
            for name, action in actions.items():
                times[name].append(seconds_of(action))
    for row, (_, times) in zip(rows, timed, strict=True):
        row |= {name: min(values) for name, values in times.items()}
        row["product_of_many"] /= N_QUERIES
    return {"embed_query": min(embedding), "sizes": rows}


def main(target=None):
    fitting = [n for n in SIZES if 2 * 4 * D_MODEL * n < free_bytes()]
    with threadpool_limits(1):
        measured = measure(fitting, *load_pretrained("all-MiniLM-L6-v2"))
    results = {
        "origin": "benchmarks/search_growth.py; processor seconds, best of "
        f"{N_ROUNDS} rounds on one thread; product_of_many is per query",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
        f"{platform.system()}, NumPy {np.__version__}",
        "d_model": D_MODEL,
        "k": K,
        **measured,
    }
    print(f"embedding one query: {results['embed_query'] * 1e3:.2f} ms")
    print(f"{'vectors':>9}{'MB':>9}{'held MB':>9}   milliseconds for one query:")
    names = ("product", "product_of_many", "top_k", "argsort")
    print(" " * 27 + "".join(f"{name:>17}" for name in names))
    for row in results["sizes"]:
        times = "".join(f"{row[name] * 1e3:17.3f}" for name in names)
        print(f"{row['n']:9}{row['bytes'] / 1e6:9.1f}{row['held'] / 1e6:9.1f}{times}")
    if target:
        Path(target).write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
