"""From token vectors to text vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import arrays as reference_arrays

from bertbook import BertEncoder, cosine_similarity, embed_sentences, mean_pool
from bertbook.pooling import unit_length

TEXTS = [
    "The bank raised its interest rate.",
    "She sat on the bank of the river.",
    "",
    "Ein Satz mit Umlauten: äöü",
    "word " * 30,
    "a",
    "Numbers 1, 2 and 3; symbols $ % &.",
]


def test_mean_pool_by_hand():
    hidden_states = np.array([[[2.0, 0], [4, 2], [99, 99]], [[1, 1], [2, 2], [3, 6]]])
    pooled = mean_pool(hidden_states, [[1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(pooled, [[3, 1], [2, 3]])


def test_mean_pool_equals_the_reference():
    stored = reference_arrays("op_cases.npz")
    pooled = mean_pool(stored["mean_pool/hidden"], stored["mean_pool/mask"])
    np.testing.assert_allclose(pooled, stored["mean_pool/mean"], rtol=1e-12)
    np.testing.assert_allclose(
        unit_length(pooled), stored["mean_pool/normalized"], rtol=1e-12
    )


def test_mean_pool_takes_a_single_text_and_stays_float32():
    pooled = mean_pool(np.ones((3, 2), np.float32), np.array([1, 1, 0], np.int64))
    assert pooled.shape == (2,) and pooled.dtype == np.float32


@pytest.mark.parametrize("junk", [np.nan, np.inf, -1e30])
def test_mean_pool_is_untouched_by_what_stands_in_the_padding(junk):
    hidden_states = np.array([[1.0, 2.0], [junk, junk]])
    np.testing.assert_array_equal(mean_pool(hidden_states, [1, 0]), [1, 2])


@pytest.mark.parametrize("mask_shape", [(3,), (2, 1), (2, 4)])
def test_mean_pool_refuses_a_mask_of_another_shape(mask_shape):
    with pytest.raises(
        ValueError, match=r"attention_mask has shape .*, expected \(2, 3\)"
    ):
        mean_pool(np.ones((2, 3, 4)), np.ones(mask_shape))


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_unit_length_neither_overflows_nor_vanishes(size):
    vectors = np.float32(size) * np.array([[3, 4], [0, 0]], np.float32)
    np.testing.assert_allclose(unit_length(vectors), [[0.6, 0.8], [0, 0]], rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_has_no_direction_is_refused(value):
    with pytest.raises(ValueError, match="vectors holds NaN or infinity, expected"):
        cosine_similarity(np.ones((2, 3)), np.array([[0, 1, 0], [1, value, 0]]))


def test_each_vector_is_scaled_by_itself():
    vectors = np.array([[3e30, 4e30], [3e-30, 4e-30], [0, -1]], np.float32)
    np.testing.assert_allclose(
        unit_length(vectors), [[0.6, 0.8], [0.6, 0.8], [0, -1]], rtol=1e-6
    )
    assert unit_length(np.ones((2, 0))).shape == (2, 0)


def test_vectors_of_the_caller_are_left_alone():
    a, b = np.array([[3.0, 4], [0, 2]]), np.array([2.0, 0])
    hidden_states = np.arange(8.0).reshape(1, 4, 2)
    cosine_similarity(a, b)
    mean_pool(hidden_states, [[1, 0, 0, 1]])
    np.testing.assert_array_equal(a, [[3, 4], [0, 2]])
    np.testing.assert_array_equal(b, [2, 0])
    np.testing.assert_array_equal(hidden_states, np.arange(8.0).reshape(1, 4, 2))


def test_cosine_similarity_by_hand():
    a = np.array([[1.0, 0], [3, 4]])
    b = np.array([[2.0, 0], [0, 5], [-3, -4]])
    expected = [[1, 0, -0.6], [0.6, 0.8, -1]]
    np.testing.assert_allclose(cosine_similarity(a, b), expected, atol=1e-15)
    np.testing.assert_allclose(cosine_similarity(a[1], b), expected[1], atol=1e-15)
    assert cosine_similarity(a[1], b[1]) == pytest.approx(0.8)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (2, 4)), ((1, 2, 3), (2, 3)), ((2, 3), (1, 2, 3))]
)
def test_cosine_similarity_refuses_other_shapes(shapes):
    with pytest.raises(ValueError, match="the arguments have shapes"):
        cosine_similarity(*(np.ones(shape) for shape in shapes))


def test_sentences_are_embedded_one_by_one_as_in_any_batch(tokenizer, encoder):
    alone = np.concatenate([embed_sentences(tokenizer, encoder, [t]) for t in TEXTS])
    for batch_size in (2, 100):
        together = embed_sentences(tokenizer, encoder, TEXTS, batch_size=batch_size)
        np.testing.assert_allclose(together, alone, atol=1e-6)


@given(st.permutations(range(len(TEXTS))))
@settings(max_examples=3, deadline=None)
def test_the_order_of_the_texts_is_kept(tokenizer, encoder, order):
    expected = embed_sentences(tokenizer, encoder, TEXTS)
    got = embed_sentences(tokenizer, encoder, [TEXTS[i] for i in order], batch_size=2)
    np.testing.assert_allclose(got, expected[list(order)], atol=1e-6)


def test_texts_of_similar_length_are_padded_together_the_longest_first(
    tokenizer, encoder
):
    widths = []

    def listening_tokenizer(texts, **options):
        batch = tokenizer(texts, **options)
        widths.append(batch["token_ids"].shape[1])
        return batch

    texts = ["a", "word " * 20, "a b", "word " * 10] * 2
    embed_sentences(listening_tokenizer, encoder, texts, batch_size=2)
    assert widths == [22, 12, 4, 3]


def test_vectors_have_unit_length_and_the_dtype_of_the_encoder(tokenizer, encoder):
    vectors = embed_sentences(tokenizer, encoder, TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_an_encoder_with_a_nan_among_its_weights_makes_no_vectors(tokenizer):
    encoder = BertEncoder(n_layers=1, d_model=16, n_heads=2, d_ff=16)
    encoder.layers[0].feed_forward.output.bias[3] = np.nan
    with pytest.raises(ValueError, match="vectors holds NaN or infinity"):
        embed_sentences(tokenizer, encoder, ["a"])


def test_no_texts_give_no_vectors(tokenizer, encoder):
    assert embed_sentences(tokenizer, encoder, []).shape == (0, 384)


def test_long_texts_are_cut_at_the_positions_of_the_encoder(tokenizer, encoder):
    long = embed_sentences(tokenizer, encoder, ["word " * 600, "word " * 510])
    np.testing.assert_allclose(long[0], long[1], atol=1e-6)
    short = embed_sentences(tokenizer, encoder, ["word " * 600], max_length=16)
    expected = embed_sentences(tokenizer, encoder, ["word " * 14])
    np.testing.assert_allclose(short, expected, atol=1e-6)


def test_the_progress_bar_appears_on_request_only(tokenizer, encoder, capsys):
    embed_sentences(tokenizer, encoder, ["a"])
    assert capsys.readouterr() == ("", "")
    embed_sentences(tokenizer, encoder, ["a", "b"], progress=True)
    assert "2/2" in capsys.readouterr().err


@pytest.mark.parametrize(
    "texts, options, error, message",
    [
        ("one text", {}, TypeError, "texts is a single string, expected a list"),
        (3, {}, TypeError, "texts is int, expected a list of strings"),
        (np.array("a"), {}, TypeError, "texts is ndarray, expected a list of strings"),
        ({"a": 1}, {}, TypeError, "texts is dict, expected a list of strings"),
        (iter(["a", b"b"]), {}, TypeError, r"texts\[1\] is bytes, expected str"),
        (["a", 3], {}, TypeError, r"texts\[1\] is int, expected str"),
        (["a", None], {}, TypeError, r"texts\[1\] is NoneType, expected str"),
        (["a"], {"batch_size": 0}, ValueError, "batch_size is 0, expected at least 1"),
        (
            ["a"],
            {"max_length": 513},
            ValueError,
            "max_length is 513, expected at most 512",
        ),
    ],
)
def test_bad_arguments_are_refused(tokenizer, encoder, texts, options, error, message):
    with pytest.raises(error, match=message):
        embed_sentences(tokenizer, encoder, texts, **options)


def test_a_single_vector_cannot_be_averaged():
    with pytest.raises(ValueError, match=r"hidden_states has shape \(4,\), expected"):
        mean_pool(np.ones(4), 1)


@pytest.mark.parametrize("max_length", ["all", 2.5, True])
def test_a_max_length_that_is_no_integer_is_refused(tokenizer, encoder, max_length):
    with pytest.raises(TypeError, match="max_length is .*, expected an integer"):
        embed_sentences(tokenizer, encoder, ["a"], max_length=max_length)


def test_a_text_that_cannot_be_read_is_named_by_its_place_in_the_list(
    tokenizer, encoder
):
    with pytest.raises(ValueError, match=r"texts\[2\] has the lone surrogate"):
        embed_sentences(tokenizer, encoder, ["long " * 9, "short", "\ud800"])


def test_a_tokenizer_in_the_place_of_the_encoder_is_refused(tokenizer, encoder):
    with pytest.raises(TypeError, match="encoder is BertTokenizer, expected a BertE"):
        embed_sentences(encoder, tokenizer, TEXTS)
