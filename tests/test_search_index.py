"""Exact search: the largest of many scores, and an index that can be kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as np_arrays

from bertbook import BertEncoder, SearchIndex, embed_sentences, top_k
from bertbook.safetensors_format import read_safetensors, write_safetensors

TEXTS = ["Reverse the order.", "Sum of all numbers.", "", "Zufallszahl: äöü \U0001f3b2"]


@pytest.fixture(scope="module")
def index(tokenizer, encoder):
    return SearchIndex(tokenizer, encoder, TEXTS)


@pytest.fixture
def saved(index, tmp_path):
    path = tmp_path / "index.safetensors"
    index.save(path)
    return path


def test_top_k_by_hand():
    scores = np.array([[0.1, 0.9, 0.5, -1.0], [4.0, 3.0, 2.0, 1.0]])
    np.testing.assert_array_equal(top_k(scores, 2), [[1, 2], [0, 1]])
    np.testing.assert_array_equal(top_k(scores[0], 3), [1, 2, 0])


def test_equal_scores_come_in_the_order_in_which_they_stand():
    scores = np.array([1, 2, 1, 2, 1, 3, 1], np.float32)
    np.testing.assert_array_equal(top_k(scores, 5), [5, 1, 3, 0, 2])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
def test_k_may_be_any_integer_of_numpy(kind):
    np.testing.assert_array_equal(top_k([0.1, 0.3, 0.2], kind(2)), [1, 2])


@given(
    np_arrays(np.float32, st.integers(1, 40), elements=st.integers(-3, 3)),
    st.integers(1, 50),
)
def test_top_k_is_the_beginning_of_a_stable_sort(scores, k):
    np.testing.assert_array_equal(
        top_k(scores, k), np.argsort(-scores, kind="stable")[:k]
    )


def test_top_k_takes_infinities_and_any_number_of_axes():
    scores = np.full((2, 3, 4), -np.inf)
    scores[..., 2] = np.inf
    assert top_k(scores, 3).shape == (2, 3, 3)
    assert (top_k(scores, 3) == [2, 0, 1]).all()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 5)])
def test_nothing_to_choose_from_gives_nothing(shape):
    assert top_k(np.zeros(shape), 4).shape == (*shape[:-1], min(4, shape[-1]))


@pytest.mark.parametrize("place", [0, 3, 6])
def test_nan_is_refused_wherever_it_stands(place):
    scores = np.arange(7.0)
    scores[place] = np.nan
    for k in (1, 2, 7):
        with pytest.raises(ValueError, match="scores holds NaN, expected numbers"):
            top_k(scores, k)


@pytest.mark.parametrize(
    "scores, k, error, message",
    [
        (np.zeros(3), 0, ValueError, "k is 0, expected at least 1"),
        (np.zeros(3), 1.5, TypeError, "k is 1.5, expected an integer"),
        (np.zeros(3, int), 1, TypeError, "scores holds int64, expected float32"),
        (np.float64(3), 1, ValueError, "scores is a single number, expected shape"),
    ],
)
def test_top_k_refuses_bad_arguments(scores, k, error, message):
    with pytest.raises(error, match=message):
        top_k(scores, k)


def test_each_text_finds_itself_first(index):
    places, cosines = index.search(TEXTS, k=1)
    np.testing.assert_array_equal(places[:, 0], range(len(TEXTS)))
    np.testing.assert_allclose(cosines, 1, rtol=1e-5)


def test_the_search_agrees_with_sorting_all_cosines(index, tokenizer, encoder):
    queries = ["turn it round", "add everything up", "throw dice"]
    all_cosines = embed_sentences(tokenizer, encoder, queries) @ index.vectors.T
    order = np.argsort(-all_cosines, axis=1, kind="stable")
    places, cosines = index.search(queries, k=3)
    np.testing.assert_array_equal(places, order[:, :3])
    expected = np.take_along_axis(all_cosines, places, axis=1)
    np.testing.assert_array_equal(cosines, expected)
    assert cosines.dtype == encoder.dtype


def test_a_single_query_gives_single_rows(index):
    places, cosines = index.search("add everything up", k=2)
    assert places.shape == cosines.shape == (2,)
    assert index.texts[places[0]] == "Sum of all numbers."


@pytest.mark.parametrize(
    "queries, message",
    [
        (None, "queries is NoneType, expected a list of strings"),
        (b"bytes", "queries is bytes, expected a list of strings"),
        (["dice", 3], r"queries\[1\] is int, expected str"),
    ],
)
def test_queries_that_are_no_texts_are_refused_by_name(index, queries, message):
    with pytest.raises(TypeError, match=message):
        index.search(queries)


def test_no_more_is_found_than_there_is(index):
    places, _ = index.search("anything", k=100)
    assert sorted(places) == list(range(len(TEXTS)))


def test_ten_are_found_where_no_number_is_given(tokenizer, encoder):
    index = SearchIndex(tokenizer, encoder, list("abcdefghijkl"))
    assert index.search("a")[0].shape == (10,)


def test_the_index_embeds_in_batches_of_the_given_size(tokenizer, encoder):
    sizes = []

    def listening_tokenizer(texts, **options):
        sizes.append(len(texts))
        return tokenizer(texts, **options)

    SearchIndex(listening_tokenizer, encoder, list("abcde"), batch_size=2)
    assert sizes == [2, 2, 1]


def test_no_queries_and_an_empty_index_are_no_error(index, tokenizer, encoder):
    assert index.search([], k=2)[0].shape == (0, 2)
    assert SearchIndex(tokenizer, encoder, []).search("x", k=2)[0].shape == (0,)


def test_the_progress_bar_of_the_index_appears_on_request_only(
    tokenizer, encoder, capsys
):
    SearchIndex(tokenizer, encoder, ["a", "b"])
    assert capsys.readouterr() == ("", "")
    SearchIndex(tokenizer, encoder, ["a", "b"], progress=True)
    assert "2/2" in capsys.readouterr().err


@pytest.mark.parametrize(
    "texts, message",
    [
        ("one text", "texts is a single string, expected a list of strings; write"),
        ([1], r"texts\[0\] is int, expected str"),
        (None, "texts is NoneType, expected a list of strings"),
        ({"b", "a"}, "texts is set, expected a list of strings"),
    ],
)
def test_the_index_refuses_what_is_no_list_of_texts(tokenizer, encoder, texts, message):
    with pytest.raises(TypeError, match=message):
        SearchIndex(tokenizer, encoder, texts)


def test_a_saved_index_comes_back_the_same(index, saved, tokenizer, encoder):
    loaded = SearchIndex.load(saved, tokenizer, encoder)
    assert loaded.texts == TEXTS
    np.testing.assert_array_equal(loaded.vectors, index.vectors)
    np.testing.assert_array_equal(
        loaded.search("dice", k=4)[0], index.search("dice", k=4)[0]
    )


def test_odd_characters_survive_saving(tokenizer, encoder, tmp_path):
    texts = ["a null \0", "\U0010ffff", "line\nbreak\r\n", "e\u0301 \u00e9"]
    SearchIndex(tokenizer, encoder, texts).save(tmp_path / "odd.safetensors")
    loaded = SearchIndex.load(tmp_path / "odd.safetensors", tokenizer, encoder)
    assert loaded.texts == texts


def test_an_empty_index_can_be_saved(tmp_path, tokenizer, encoder):
    SearchIndex(tokenizer, encoder, []).save(tmp_path / "empty.safetensors")
    loaded = SearchIndex.load(tmp_path / "empty.safetensors", tokenizer, encoder)
    assert loaded.texts == [] and loaded.vectors.shape == (0, 384)


@pytest.mark.parametrize("d_model", [384, 48])
def test_an_index_of_another_model_is_refused(saved, tokenizer, d_model):
    stranger = BertEncoder(n_layers=1, d_model=d_model, d_ff=48, max_position=64)
    with pytest.raises(ValueError, match="come from another model, expected the one"):
        SearchIndex.load(saved, tokenizer, stranger)


@pytest.mark.parametrize(
    "change",
    [
        {"text_lengths": np.array([1, 2, 3, 4])},
        {"text_lengths": np.array([18, 19, 0])},
        {"text_lengths": np.array([-5, 42, 0, 24])},
        {"vectors": np.zeros((3, 384), np.float32)},
        {"another": np.zeros(3)},
    ],
    ids=["too short", "too few", "negative", "vectors missing", "unknown tensor"],
)
def test_a_file_that_is_no_index_is_refused(
    saved, tmp_path, tokenizer, encoder, change
):
    arrays = dict(read_safetensors(saved)) | change
    broken = tmp_path / "broken.safetensors"
    write_safetensors(broken, arrays)
    with pytest.raises(ValueError, match="holds no index, expected a file"):
        SearchIndex.load(broken, tokenizer, encoder)


def test_texts_that_can_be_read_once_only_are_kept(tokenizer, encoder):
    index = SearchIndex(tokenizer, encoder, (text for text in TEXTS))
    assert index.texts == TEXTS and len(index.vectors) == len(TEXTS)
