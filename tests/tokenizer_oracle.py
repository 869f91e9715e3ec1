"""The reference tokenizer, generated texts for it, and a long comparison.

The reference is the package ``tokenizers``. Two hundred thousand texts are compared
by ``python tests/tokenizer_oracle.py 200000``, from the top folder; the test suite
compares two thousand.
"""

import random
import sys
import time
import unicodedata

from tokenizers import Tokenizer

from bertbook.model_finder import find_model
from bertbook.normalization import normal_form
from bertbook.tokenizer import BertTokenizer
from bertbook.vocabulary import SPECIAL_TOKENS

EXTENSION_E_SLIP = range(0x2B820, 0x2B920)  # where the reference is wrong

# Pieces of text that have broken tokenizers: every kind of character that has a
# rule of its own, and the seams between them.
PIECES = [
    *SPECIAL_TOKENS,
    *["[mask]", "[MASK", "MASK]", "[[MASK]]", "[MA\u200bSK]", "[UNK", "##", "##ing"],
    *["unaffable", "Kant\u014d", "l'eure", "don't", "e.g.", "3.14", "1,000", "C++"],
    *["\u039f\u0394\u039f\u03a3", "\u0391\u03a3.", "\u0130stanbul", "\u0131", "\u1e9e"],
    *["\u212a", "\u2126", "\ufb01", "\u00bd", "\uff21\uff22", "\u01dc", "\u1ed8"],
    *[
        "e\u0301",
        "\u0301",
        "a\u0323\u0302",
        "\u0344",
        "\u0e31",
        "\u0915\u093f",
        "\u0d4d",
    ],
    *["\u30a2\u30ea\u30d0\u30d0", "\ud55c\uad6d\uc5b4", "\u1112\u1161\u11ab", "\u3042"],
    *[
        "\u5317\u4eac",
        "\uf900",
        "\U0002f800",
        "\U00020000",
        "\u4e00a",
        "\u3007",
        "\u3005",
    ],
    *["\u200b", "\u200d", "\ufeff", "\u00ad", "\u2028", "\u2029", "\u00a0", "\u3000"],
    *["\t", "\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x1f", "\x7f", "\x85", "\x00", "  "],
    *["\ufffd", "\ue000", "\U000f0000", "\U0001f600", "\U0001f468\u200d\U0001f469"],
    *["\u2603", "\u20ac", "\u00b0", "\u00d7", "\u2190", "\u2014", "\u201c", "\u00bf"],
    *[
        "\u2260",
        "\u226e",
        "\u037e",
        "\u1fef",
        "\u2329",
        "\u0387",
        "_",
        "$",
        "^",
        "`",
        "~",
    ],
    *["\U000e0041", "\U0001e944", "\u08d4", "\u1734", "\U000111c9", "\u166d", "\u180e"],
    *["x" * 99, "x" * 100, "x" * 101, "\u00e9" * 100, "\ud7a3" * 33, "\ud7a3" * 34],
]


def load_oracle():
    """Return the reference for the genuine model, storing no truncation or padding."""
    oracle = Tokenizer.from_file(str(find_model("all-MiniLM-L6-v2") / "tokenizer.json"))
    oracle.no_truncation()
    oracle.no_padding()
    return oracle


def load_tokenizer():
    """Return our tokenizer of the genuine model."""
    return BertTokenizer.from_file(find_model("all-MiniLM-L6-v2") / "vocab.txt")


def make_text(rng, words):
    """Return a random text that mixes words, hard pieces and any Unicode.

    Parameters
    ----------
    rng : random.Random
        Where the randomness comes from.
    words : list of str
        Ordinary tokens to mix in.
    """
    parts = []
    for _ in range(rng.randrange(1, 16)):
        kind = rng.random()
        if kind < 0.3:
            parts.append(rng.choice(words).removeprefix("##"))
        elif kind < 0.65:
            parts.append(rng.choice(PIECES))
        elif kind < 0.8:
            parts.append(chr(rng.randrange(0x20, 0x250)))
        else:
            parts.append(_any_character(rng))
        if rng.random() < 0.4:
            parts.append(" ")
    text = "".join(parts)
    return text.upper() if rng.random() < 0.1 else text


def _any_character(rng):
    """Return a random scalar value: half from the first plane, half from anywhere."""
    while True:
        code_point = rng.randrange(rng.choice([0x3400, 0x10000, 0x20000, 0x110000]))
        if not 0xD800 <= code_point < 0xE000 and code_point not in EXTENSION_E_SLIP:
            return chr(code_point)


def reorders_marks(text):
    """Tell whether the reference may have reordered marks that it keeps.

    It loses their places then: of U+1E944 U+0F37 it keeps the first character, and
    gives it the place of the second. Ours stay with their own characters.
    """
    return any(unicodedata.combining(mark) and normal_form(mark) for mark in text)


def differences(tokenizer, oracle, texts):
    """Yield (text, what differs) for each text where ours is not the reference."""
    for text, right in zip(texts, oracle.encode_batch(texts), strict=True):
        mine = tokenizer(text, max_length=None, return_offsets=True)
        if tokenizer.encode(text) != right.ids:
            yield text, "ids"
        elif mine["token_ids"].tolist() != right.ids:
            yield text, "ids with offsets"
        elif mine["offsets"].tolist() != [list(pair) for pair in right.offsets]:
            if not reorders_marks(text):
                yield text, "offsets"


def main(n_texts, seed):
    """Compare many generated texts and report the rate of agreement."""
    rng = random.Random(seed)
    tokenizer, oracle = load_tokenizer(), load_oracle()
    start, found, blurred = time.perf_counter(), [], 0
    for first in range(0, n_texts, 5000):
        size = min(5000, n_texts - first)
        texts = [make_text(rng, tokenizer.vocab) for _ in range(size)]
        found += differences(tokenizer, oracle, texts)
        blurred += sum(map(reorders_marks, texts))
    seconds = time.perf_counter() - start
    for text, what in found[:20]:
        print(f"{what}: {text!a}")
    print(f"{n_texts - len(found):,} of {n_texts:,} texts agree in ids and offsets")
    print(f"(offsets not compared in {blurred:,} texts, see reorders_marks)")
    print(f"(seed {seed}, {seconds:.0f} s)")
    return bool(found)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    sys.exit(main(count, seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0))
