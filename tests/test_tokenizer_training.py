"""Learning a vocabulary: by hand, and beside a version that recounts everything."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertbook.tokenizer import BertTokenizer
from bertbook.vocabulary import SPECIAL_TOKENS
from bertbook.wordpiece import CONTINUATION, learn_vocab

# hug x10, pug x5, pun x12, bun x4, hugs x5: counted by hand below.
TEXTS = ["hug " * 10 + "pug " * 5, "pun " * 12 + "BUN " * 4 + "hugs " * 5]
CHARACTERS = ["##g", "##n", "##s", "##u", "b", "h", "p"]


def learn_by_recounting(word_counts, vocab_size):
    """Do the same without any bookkeeping: count every pair anew for each piece."""
    words = {
        word: [word[0], *(f"##{letter}" for letter in word[1:])] for word in word_counts
    }
    vocab = dict.fromkeys(sorted({piece for word in words.values() for piece in word}))
    while len(vocab) < vocab_size:
        pieces, pairs = Counter(), Counter()
        for word, split in words.items():
            for piece in split:
                pieces[piece] += word_counts[word]
            for pair in pairwise(split):
                pairs[pair] += word_counts[word]
        if not pairs:
            break

        def rank(pair, pieces=pieces, pairs=pairs):
            score = pairs[pair] / (pieces[pair[0]] * pieces[pair[1]])
            return -score, -pairs[pair], pair

        first, second = best = min(pairs, key=rank)
        vocab[first + second[2:]] = None
        for word, split in words.items():
            joined = []
            for piece in split:
                if joined and (joined[-1], piece) == best:
                    joined[-1] = first + second[2:]
                else:
                    joined.append(piece)
            words[word] = joined
    return list(vocab)


def test_special_tokens_come_first_then_characters_in_order():
    vocab = BertTokenizer.train(TEXTS, 12).vocab
    assert vocab == [*SPECIAL_TOKENS, *CHARACTERS]


def test_the_pair_that_is_joined_first_is_the_one_worked_out_by_hand():
    # count(##g ##s) / (count(##g) * count(##s)) = 5 / (20 * 5) = 1/20. The most
    # frequent pair, ##u ##g, has only 20 / (36 * 20) = 1/36.
    assert BertTokenizer.train(TEXTS, 13).vocab[12:] == ["##gs"]


def test_the_next_pieces_are_the_ones_worked_out_by_hand():
    # ##g counts 15 now. h ##u, ##u ##g, ##u ##n, ##u ##gs and p ##u, b ##u all
    # score 1/36: count(##u) is 36 and the other piece stands nowhere else. The most
    # frequent is p ##u (17); then ##u counts 19, and ##u ##g, ##u ##gs score less.
    assert BertTokenizer.train(TEXTS, 14).vocab[13:] == ["pu"]


def test_equal_scores_and_counts_are_decided_by_the_alphabet():
    assert BertTokenizer.train(["xy ab cd"], 12).vocab[11:] == ["ab"]


def test_joining_to_the_end_makes_every_word_one_token_and_stops():
    tokenizer = BertTokenizer.train(TEXTS, 1000)
    assert len(tokenizer.vocab) < 30
    for word in ("hug", "pug", "pun", "bun", "hugs"):
        assert tokenizer.tokenize(word) == [word]
    assert len(set(tokenizer.vocab)) == len(tokenizer.vocab)


def test_a_piece_that_is_found_twice_is_learnt_once():
    vocab = learn_vocab({"abc": 2, "dabc": 3, "ab": 1, "xbc": 9, "dab": 1}, 100)
    assert len(vocab) == len(set(vocab))


def test_pairs_within_a_run_of_one_letter_do_not_overlap():
    # ##a ##a scores 3/16; after it b ##aa ##aa, where ##aa ##aa scores 1/4.
    vocab = learn_vocab({"baaaa": 1, "bc": 9}, 5)
    assert vocab == ["##a", "##c", "b", "##aa", "##aaaa"]


@settings(deadline=None)
@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=7), st.integers(1, 20), max_size=12
    ),
    st.integers(8, 40),
)
def test_the_counts_that_are_kept_equal_counts_made_anew(word_counts, vocab_size):
    right = learn_by_recounting(word_counts, vocab_size)
    assert learn_vocab(word_counts, vocab_size) == right


@settings(deadline=None)
@given(st.lists(st.text("ab c.", max_size=12), max_size=8), st.randoms())
def test_neither_the_order_of_texts_nor_a_generator_matters(texts, rng):
    shuffled = rng.sample(texts, len(texts))
    vocab = BertTokenizer.train(texts, 40).vocab
    assert BertTokenizer.train((text for text in shuffled), 40).vocab == vocab


def test_what_was_trained_on_is_never_unknown():
    rng = random.Random(0)
    texts = ["".join(rng.choices("abcdé .,中", k=40)) for _ in range(50)]
    tokenizer = BertTokenizer.train(texts, 60)
    assert all(tokenizer.unk_id not in tokenizer.encode(text) for text in texts)
    assert len(tokenizer.vocab) == 60


def test_special_tokens_and_overlong_words_teach_nothing():
    texts = ["[MASK] ab[SEP]ab " + "z" * 101]
    assert BertTokenizer.train(texts, 99).vocab == [*SPECIAL_TOKENS, "##b", "a", "ab"]
    assert BertTokenizer.train([], 5).vocab == list(SPECIAL_TOKENS)


def test_continuing_pieces_carry_the_prefix():
    vocab = BertTokenizer.train(["abab abab"], 20).vocab[5:]
    starts = [token for token in vocab if not token.startswith(CONTINUATION)]
    assert all("abab".startswith(token) for token in starts)


def test_a_size_without_room_for_the_characters_is_refused():
    message = (
        "vocab_size is 11, but 5 special tokens and 7 single characters .* need 12;"
    )
    with pytest.raises(ValueError, match=message):
        BertTokenizer.train(TEXTS, 11)
    with pytest.raises(ValueError, match="vocab_size is 3, but 5 special tokens"):
        BertTokenizer.train([], 3)


def test_wrong_kinds_are_refused():
    with pytest.raises(TypeError, match="texts is one str, expected a list of str"):
        BertTokenizer.train("hug pug", 30)
    with pytest.raises(TypeError, match=r"texts\[1\] is of type int, expected str"):
        BertTokenizer.train(["hug", 3], 30)
    with pytest.raises(TypeError, match="vocab_size is 30.0, expected an integer"):
        BertTokenizer.train(["hug"], 30.0)
    with pytest.raises(ValueError, match="vocab_size is 0, expected at least 1"):
        BertTokenizer.train(["hug"], 0)
    with pytest.raises(ValueError, match=r"texts\[0\] has the lone surrogate"):
        BertTokenizer.train(["\ud800"], 30)
