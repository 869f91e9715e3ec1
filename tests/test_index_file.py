"""What is loaded as an index is the index that was saved, or is refused."""

import numpy as np
import pytest

from bertbook import BertEncoder, BertTokenizer, SearchIndex
from bertbook.index_file import read_index
from bertbook.safetensors_format import read_safetensors, write_safetensors

TEXTS = ["", "turn rows into columns", "add numbers \u00e4\u00f6"]
N_BYTES = sum(len(text.encode()) for text in TEXTS)


@pytest.fixture(scope="module")
def model():
    tokenizer = BertTokenizer.train(["turn rows into columns and add numbers"], 60)
    return tokenizer, BertEncoder(len(tokenizer.vocab), 32, 1, 16, 2, 16)


@pytest.fixture
def path(model, tmp_path):
    SearchIndex(*model, TEXTS).save(tmp_path / "an index.safetensors")
    return tmp_path / "an index.safetensors"


def forge(path, **changed):
    arrays = {name: np.array(a) for name, a in read_safetensors(path).items()}
    write_safetensors(path, arrays | changed)


def entry_of_second_vector(value):
    vectors = np.eye(3, 16, dtype=np.float32)
    vectors[1, 5] = value
    return vectors


@pytest.mark.parametrize(
    "change",
    [
        {"text_lengths": np.array([2**63 - 1, 2**63 - 1, N_BYTES + 2])},
        {"text_lengths": np.array([0.0, 22, N_BYTES - 22])},
        {"text_lengths": np.array([0, N_BYTES - 3, 3])},
        {"text_lengths": np.array([22, N_BYTES - 22])},
        {"text_lengths": np.array([0, 22, N_BYTES - 23])},
        {"text_lengths": np.array(N_BYTES), "vectors": np.array(1, np.float32)},
        {"vectors": np.eye(3, 16, dtype=int)},
        {"vectors": np.eye(3, dtype=np.float32)[:, 0]},
        {"vectors": np.eye(3, 16, dtype=np.float32)[:, np.newaxis]},
        *({"vectors": entry_of_second_vector(v)} for v in (np.nan, np.inf, 3e38, 0.9)),
        {"vectors": np.zeros((3, 16), np.float32)},
    ],
    ids=[
        "lengths overflow to the right sum", "lengths are floats",
        "cut within a character", "a length missing", "a byte left over", "no axes",
        "vectors are integers", "one axis", "three axes", "NaN", "infinity", "huge",
        "not of unit length", "zeros",
    ],
)  # fmt: skip
def test_a_forged_index_is_refused_in_one_sentence(path, model, change):
    forge(path, **change)
    with pytest.raises(ValueError, match="holds no index, expected a file"):
        SearchIndex.load(path, *model)


@pytest.mark.parametrize("size", [0, 5, 100, -1])
def test_an_index_cut_short_is_refused(path, model, size):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match="cannot read .*"):
        SearchIndex.load(path, *model)


def test_an_index_of_another_tokenizer_is_refused_though_its_first_text_is_empty(
    path, model
):
    tokenizer, encoder = model
    other = BertTokenizer(tokenizer.vocab[:5] + tokenizer.vocab[:4:-1])
    with pytest.raises(ValueError, match="come from another model"):
        SearchIndex.load(path, other, encoder)


def test_a_loaded_index_does_not_see_what_is_written_to_its_file(path, model):
    loaded = SearchIndex.load(path, *model)
    vectors = loaded.vectors.copy()
    with open(path, "r+b") as file:
        file.write(bytes(len(path.read_bytes())))
    np.testing.assert_array_equal(loaded.vectors, vectors)


def test_a_loaded_index_can_be_saved_where_it_came_from(path, model):
    SearchIndex.load(path, *model).save(path)
    assert SearchIndex.load(path, *model).texts == TEXTS
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("stored", [np.float16, np.float64])
def test_vectors_stored_in_another_precision_get_that_of_the_encoder(
    path, model, stored
):
    texts, vectors = read_index(path)
    forge(path, vectors=vectors.astype(stored))
    loaded = SearchIndex.load(path, *model)
    assert loaded.texts == texts and loaded.vectors.dtype == np.float32
    np.testing.assert_allclose(loaded.vectors, vectors, atol=1e-3)
    assert loaded.search("rows")[1].dtype == np.float32


@pytest.mark.parametrize("texts", [TEXTS[:2], [*TEXTS, "one more"]])
def test_texts_that_lost_their_vectors_are_not_saved_over_a_good_index(
    path, model, texts
):
    index = SearchIndex.load(path, *model)
    before = path.read_bytes()
    index.texts = texts
    with pytest.raises(ValueError, match=r"texts has \d entries and vectors 3"):
        index.save(path)
    assert path.read_bytes() == before


def test_an_index_is_not_saved_under_a_name_that_is_never_read(path, model):
    index = SearchIndex.load(path, *model)
    with pytest.raises(ValueError, match="by its suffix a pickle.*choose .safetensors"):
        index.save(path.with_suffix(".BIN"))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
