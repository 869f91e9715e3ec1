"""How fast the tokenizer is, beside a plain port of the published algorithm.

The port does what google-research/bert's ``tokenization.py`` does, step by step and
character by character. Both read the same ordinary English: the docstrings of NumPy,
split into paragraphs, with the genuine vocabulary. Both run in turn, in one process,
and the fastest of several rounds counts, so that a busy machine disturbs the ratio
little. Run it from the top folder::

    python benchmarks/tokenizer_speed.py
"""

import inspect
import time
import unicodedata

import numpy as np

from bertbook.model_finder import find_model
from bertbook.tokenizer import BertTokenizer

ROUNDS = 5


def is_space(character):
    return character in " \t\n\r" or unicodedata.category(character) == "Zs"


def is_control(character):
    if character in "\t\n\r":
        return False
    return unicodedata.category(character) in ("Cc", "Cf")


def is_punctuation(character):
    code = ord(character)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(character).startswith("P")


def is_cjk(character):
    code = ord(character)
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


def clean(text):
    output = []
    for character in text:
        if ord(character) in (0, 0xFFFD) or is_control(character):
            continue
        output.append(" " if is_space(character) else character)
    return "".join(output)


def isolate_cjk(text):
    output = []
    for character in text:
        output.append(f" {character} " if is_cjk(character) else character)
    return "".join(output)


def strip_accents(word):
    output = []
    for character in unicodedata.normalize("NFD", word):
        if unicodedata.category(character) != "Mn":
            output.append(character)
    return "".join(output)


def split_punctuation(word):
    parts, start_new = [], True
    for character in word:
        if is_punctuation(character):
            parts.append([character])
            start_new = True
        else:
            if start_new:
                parts.append([])
            start_new = False
            parts[-1].append(character)
    return ["".join(part) for part in parts]


def word_pieces(word, token_to_id):
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        end, found = len(word), None
        while start < end:
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in token_to_id:
                found = piece
                break
            end -= 1
        if found is None:
            return ["[UNK]"]
        pieces.append(found)
        start = end
    return pieces


def encode_plainly(text, token_to_id):
    """Return the ids of a text by the published algorithm, without any shortcut."""
    ids = [token_to_id["[CLS]"]]
    for word in isolate_cjk(clean(text)).split():
        for part in split_punctuation(strip_accents(word.lower())):
            ids += [token_to_id[piece] for piece in word_pieces(part, token_to_id)]
    return [*ids, token_to_id["[SEP]"]]


def english_paragraphs():
    """Return the paragraphs of prose in NumPy's docstrings."""
    texts = {inspect.getdoc(getattr(np, name)) for name in sorted(dir(np))} - {None}
    paragraphs = [part for text in sorted(texts) for part in text.split("\n\n")]
    return [part for part in paragraphs if len(part) > 80 and ">>>" not in part]


def seconds_of(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def workloads(texts, tokenizer, token_to_id):
    """Return what is measured, by name, in the order in which it is run."""
    batches = [texts[first : first + 32] for first in range(0, len(texts), 32)]
    return {
        "plain port": lambda: [encode_plainly(text, token_to_id) for text in texts],
        "first reading": lambda: [tokenizer.encode(text) for text in texts],
        "again": lambda: [tokenizer.encode(text) for text in texts],
        "batches of 32": lambda: [tokenizer(batch) for batch in batches],
        "with offsets": lambda: [
            tokenizer(batch, return_offsets=True) for batch in batches
        ],
    }


def growth(tokenizer, text, factor):
    """Return how much longer a text of remembered words takes than its first part."""
    part = text[: len(text) // factor]
    pairs = [
        [seconds_of(lambda t=t: tokenizer.encode(t)) for t in (part, text)]
        for _ in range(ROUNDS)
    ]
    return min(whole for _, whole in pairs) / min(short for short, _ in pairs)


def workloads_differ(texts, tokenizer, token_to_id):
    """Tell whether the two ever give different ids: then the times mean nothing."""
    return any(encode_plainly(t, token_to_id) != tokenizer.encode(t) for t in texts)


def main():
    tokenizer_file = find_model("all-MiniLM-L6-v2") / "vocab.txt"
    token_to_id = BertTokenizer.from_file(tokenizer_file).token_to_id
    texts = english_paragraphs()
    n_words = sum(len(text.split()) for text in texts)
    print(f"{len(texts):,} paragraphs of English, {n_words:,} words")

    runs = {}
    for _ in range(ROUNDS):
        tokenizer = BertTokenizer.from_file(tokenizer_file)  # remembers nothing yet
        for name, work in workloads(texts, tokenizer, token_to_id).items():
            runs.setdefault(name, []).append(seconds_of(work))
    if workloads_differ(texts, tokenizer, token_to_id):
        raise SystemExit("the plain port and the tokenizer give different ids")

    plain_seconds = min(runs["plain port"])
    print(f"{'':15}{'texts/s':>10}{'words/s':>12}{'ratio':>8}")
    for name, seconds in runs.items():
        best = min(seconds)
        print(
            f"{name:15}{len(texts) / best:10,.0f}{n_words / best:12,.0f}"
            f"{plain_seconds / best:8.1f}"
        )
    times = growth(tokenizer, " ".join(texts), 16)
    print(f"one text, 16 times as long: {times:.1f} times the time")


if __name__ == "__main__":
    main()
