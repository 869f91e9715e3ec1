"""The stored answers of the reference, and generated texts beside it."""

import base64
import gzip
import json
import random
from pathlib import Path

import pytest
from tokenizer_oracle import differences, load_oracle, load_tokenizer, make_text

from bertbook.tokenizer import BertTokenizer
from bertbook.vocabulary import SPECIAL_TOKENS, read_vocab

DATA = Path(__file__).with_name("data")
CASES = json.loads(gzip.decompress((DATA / "tokenizer_cases.json.gz").read_bytes()))
VOCAB_FILES = json.loads((DATA / "vocab_file_cases.json").read_bytes())["cases"]
STRATEGIES = ("longest_first", "only_first", "only_second")


@pytest.fixture(scope="module")
def tokenizer():
    return load_tokenizer()


@pytest.fixture(scope="module")
def oracle():
    return load_oracle()


def by_id(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


def in_names_of_reference(batch):
    names = {"token_ids": "ids", "segment_ids": "token_type_ids"}
    return {names.get(name, name): array.tolist() for name, array in batch.items()}


def right_tokens(case):
    """Return the stored tokens: the reference's, but for its slip in Extension E."""
    if any("\U0002b820" <= character <= "\U0002b91f" for character in case["text"]):
        return case.get("hf_slow_tokens", case["tokens"])
    return case["tokens"]


@by_id(CASES["cases"])
def test_a_hard_text_has_the_tokens_of_the_reference(tokenizer, case):
    tokens = right_tokens(case)
    assert ["[CLS]", *tokenizer.tokenize(case["text"]), "[SEP]"] == tokens
    ids = [tokenizer.token_to_id[token] for token in tokens]
    assert tokenizer.encode(case["text"]) == ids
    batch = tokenizer(case["text"], max_length=None, return_offsets=True)
    assert batch["token_ids"].tolist() == ids
    if tokens == case["tokens"]:
        assert batch["token_ids"].tolist() == case["ids"]
        assert batch["offsets"].tolist() == case["offsets"]


def test_all_hard_texts_in_one_batch_have_the_same_ids(tokenizer):
    texts = [case["text"] for case in CASES["cases"]]
    batch = tokenizer(texts, max_length=None)
    for row, mask, text in zip(
        batch["token_ids"], batch["attention_mask"], texts, strict=True
    ):
        assert row[mask == 1].tolist() == tokenizer.encode(text)
        assert (row[mask == 0] == tokenizer.pad_id).all()


@by_id([case for case in CASES["pairs"] if case["direction"] == "right"])
def test_a_pair_is_joined_and_cut_like_the_reference(tokenizer, case):
    pairs, max_length = case["text_pair"], case["max_length"]
    options = {"truncation": case["strategy"] or "longest_first"}
    n_special = 2 if pairs is None else 3
    if "error" in case or (max_length is not None and max_length < n_special):
        # Where max_length is too small the reference silently cuts nothing at all.
        with pytest.raises(ValueError, match="would have to remove|expected at least"):
            tokenizer(case["text"], pairs, max_length=max_length, **options)
        return
    options |= {"return_offsets": True, "return_special_tokens_mask": True}
    batch = tokenizer(case["text"], pairs, max_length=max_length, **options)
    for name, value in in_names_of_reference(batch).items():
        assert value == case[name]


@by_id([case for case in CASES["padding"] if "direction" not in case["options"]])
def test_a_batch_is_padded_like_the_reference(tokenizer, case):
    texts, options = case["texts"], dict(case["options"])
    pairs = None
    if isinstance(texts[0], list):
        texts, pairs = (list(column) for column in zip(*texts, strict=True))
    fixed_width = options.pop("length", None)  # not offered: the longest row decides
    batch = in_names_of_reference(tokenizer(texts, pairs, **options))
    for name, rows in batch.items():
        if fixed_width is None:
            assert rows == case[name]
        for row, right, mask in zip(
            rows, case[name], case["attention_mask"], strict=True
        ):
            assert row[: sum(mask)] == right[: sum(mask)]
            assert not any(row[sum(mask) :])


@by_id(VOCAB_FILES)
def test_a_vocabulary_file_is_read_by_definition(tmp_path, case):
    path = tmp_path / "vocab.txt"
    path.write_bytes(base64.b64decode(case["bytes_base64"]))
    assert read_vocab(path) == case["tokens_by_definition"]


def test_from_file_keeps_empty_lines_and_a_last_line_without_end(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"\n".join([*map(str.encode, SPECIAL_TOKENS), b"", b"a\r", b"b"]))
    tokenizer = BertTokenizer.from_file(str(path))
    assert tokenizer.vocab == [*SPECIAL_TOKENS, "", "a", "b"]
    assert tokenizer.encode("a b") == [2, 6, 7, 3]


def test_from_file_refuses_what_is_no_vocabulary(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"[PAD]\n\xff\xfe\n")
    with pytest.raises(ValueError, match="has the token .*, which is not UTF-8, expec"):
        BertTokenizer.from_file(path)
    path.write_bytes(b"\xef\xbb\xbf[PAD]\n[UNK]\n")
    with pytest.raises(
        ValueError, match=r"lacks \[PAD\], .*starts with '\\ufeff\[PAD\]"
    ):
        BertTokenizer.from_file(path)
    with pytest.raises(FileNotFoundError):
        BertTokenizer.from_file(tmp_path / "missing.txt")


def test_generated_texts_have_the_ids_and_offsets_of_the_reference(tokenizer, oracle):
    rng = random.Random(20240)
    texts = [make_text(rng, tokenizer.vocab) for _ in range(2000)]
    assert list(differences(tokenizer, oracle, texts)) == []


def test_generated_pairs_are_cut_like_the_reference(tokenizer, oracle):
    rng = random.Random(7)
    refused = 0
    for _ in range(600):
        texts = [make_text(rng, tokenizer.vocab)[:80] for _ in range(2)]
        max_length, strategy = rng.randrange(4, 40), rng.choice(STRATEGIES)
        oracle.enable_truncation(max_length, strategy=strategy)
        try:
            right = oracle.encode(*texts)
        except Exception as error:  # the package raises nothing more special
            assert "too short" in str(error)
            refused += 1
            with pytest.raises(ValueError, match="would have to remove"):
                tokenizer(*texts, max_length=max_length, truncation=strategy)
            continue
        finally:
            oracle.no_truncation()
        batch = tokenizer(
            *texts,
            max_length=max_length,
            truncation=strategy,
            return_special_tokens_mask=True,
        )
        for name, value in in_names_of_reference(batch).items():
            assert value == getattr(right, name.replace("token_type_ids", "type_ids"))
    assert 50 < refused < 300


def test_generated_ids_are_decoded_like_the_reference(tokenizer, oracle):
    rng = random.Random(11)
    marks = [tokenizer.token_to_id[token] for token in ".,!?'-[" + "中"]
    for _ in range(500):
        choices = [*marks, *range(110), *rng.sample(range(30522), 100)]
        ids = rng.choices(choices, k=rng.randrange(12))
        for skip in (True, False):
            right = oracle.decode(ids, skip_special_tokens=skip)
            assert tokenizer.decode(ids, skip_special_tokens=skip) == right
