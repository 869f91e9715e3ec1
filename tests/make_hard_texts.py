"""Make ``chapters/data/hard_texts.json``: texts with the ids of the reference.

Usage, from the top folder: ``python tests/make_hard_texts.py [number of texts]``

The first chapter compares its tokenizers with these ids. The reference itself, the
package ``tokenizers``, is needed here alone. The number says how many generated
texts are compared once, for the record in the file; most are not stored.
"""

import gzip
import json
import random
import sys
import unicodedata
from importlib.metadata import version
from pathlib import Path

from tokenizer_oracle import differences, load_oracle, load_tokenizer, make_text

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "data" / "tokenizer_cases.json.gz"
TARGET = ROOT / "chapters" / "data" / "hard_texts.json"
LONGEST, N_GENERATED, SEED = 130, 300, 1


def is_settled(text):
    """Tell whether all characters are in the class they had in Unicode 3.2, of 2002."""
    old = unicodedata.ucd_3_2_0
    return all(old.category(c) == unicodedata.category(c) != "Cn" for c in text)


def reference_texts():
    """Return [kind, text, settled, ids] of the reference cases, without long ones."""
    cases = json.loads(gzip.decompress(CASES.read_bytes()))["cases"]
    return [
        [case["kind"], case["text"], int(is_settled(case["text"])), case["ids"]]
        for case in cases
        if len(case["text"]) <= LONGEST
    ]


def generated_texts(oracle, vocab):
    """Return [kind, text, settled, ids] of random texts."""
    rng = random.Random(SEED)
    texts = [make_text(rng, vocab) for _ in range(N_GENERATED)]
    encodings = oracle.encode_batch(texts)
    return [
        ["generated", text, int(is_settled(text)), encoding.ids]
        for text, encoding in zip(texts, encodings, strict=True)
    ]


def long_run(oracle, tokenizer, n_texts):
    """Compare many random texts once and return what came out."""
    rng = random.Random(SEED + 1)
    n_different = 0
    for first in range(0, n_texts, 5000):
        size = min(5000, n_texts - first)
        texts = [make_text(rng, tokenizer.vocab) for _ in range(size)]
        n_different += sum(1 for _ in differences(tokenizer, oracle, texts))
    return {"texts": n_texts, "agree": n_texts - n_different, "seed": SEED + 1}


def main(n_texts):
    """Write the file."""
    oracle, tokenizer = load_oracle(), load_tokenizer()
    parts = {
        "reference": f"tokenizers {version('tokenizers')}",
        "long_run": long_run(oracle, tokenizer, n_texts),
        "texts": reference_texts() + generated_texts(oracle, tokenizer.vocab),
    }
    texts = ",\n".join(json.dumps(row) for row in parts.pop("texts"))
    head = json.dumps(parts)[:-1]
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(f'{head}, "texts": [\n{texts}\n]}}\n', encoding="ascii")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
