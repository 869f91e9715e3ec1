"""The textbook encoder against the matrix products that it cannot do without.

Both run in this process, in turns, on the same shapes, so that the ratio says how
much the rest (norms, softmax, GELU, copies) costs, whatever the machine.
"""

import statistics
import time

import numpy as np

from bertbook import BertEncoder

SIZES = {
    "MiniLM (6 layers of 384)": {"n_layers": 6, "d_model": 384, "d_ff": 1536},
    "BERT-base (12 layers of 768)": {},
}
BATCH, SEQ, ROUNDS = 8, 128, 9


def products(encoder, rng):
    """Return a function that does one forward pass's matrix products alone."""
    width, heads = encoder.d_model, encoder.n_heads
    tokens = BATCH * SEQ
    x = rng.standard_normal((tokens, width), dtype=np.float32)
    wide = rng.standard_normal((tokens, encoder.d_ff), dtype=np.float32)
    pieces = x.reshape(BATCH, SEQ, heads, -1).swapaxes(1, 2).copy()
    columns = pieces.swapaxes(-1, -2).copy()  # a copy: A @ A.T has a fast path
    weights = rng.random((BATCH, heads, SEQ, SEQ), dtype=np.float32)

    def run():
        for layer in encoder.layers:
            attention, feed_forward = layer.attention, layer.feed_forward
            for projection in (attention.query, attention.key, attention.value):
                x @ projection.weight
            pieces @ columns
            weights @ pieces
            x @ attention.output.weight
            x @ feed_forward.intermediate.weight
            wide @ feed_forward.output.weight

    return run


def seconds(function):
    """Return how long one call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    """Print one line for each size of model."""
    rng = np.random.default_rng(0)
    for name, sizes in SIZES.items():
        encoder = BertEncoder(**sizes)
        ids = rng.integers(0, encoder.vocab_size, (BATCH, SEQ))
        mask = np.ones((BATCH, SEQ), np.int64)
        mask[::2, SEQ // 2 :] = 0
        floor = products(encoder, rng)
        calls = {
            "products alone": floor,
            "encoder": lambda e=encoder, i=ids: e(i),
            "encoder, masked": lambda e=encoder, i=ids, m=mask: e(i, attention_mask=m),
        }
        rounds = [
            {label: seconds(call) for label, call in calls.items()}
            for _ in range(ROUNDS + 1)
        ][1:]
        print(f"{name}, {BATCH} x {SEQ} tokens")
        for label in calls:
            typical = statistics.median(r[label] for r in rounds)
            ratio = statistics.median(r[label] / r["products alone"] for r in rounds)
            print(f"  {label:<16} {1000 * typical:8.1f} ms   x {ratio:.2f}")


if __name__ == "__main__":
    main()
