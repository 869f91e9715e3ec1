"""Pictures that chapters share."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from bertbook.viewer import attention_viewer
from bertbook.viz import heat_map, use_book_style

VALUES = np.array([[0.0, 0.5, 1.0], [-0.25, 0.25, 0.75]])


@pytest.fixture
def ax():
    with mpl.rc_context():
        plt.switch_backend("agg")  # draws without a screen
        fig, ax = plt.subplots()
        yield ax
        plt.close(fig)


def texts(labels):
    return [label.get_text() for label in labels]


def test_the_package_needs_no_matplotlib_until_something_is_drawn():
    code = (
        "import sys, bertbook.viz, bertbook.exercises;"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_style_of_the_book_is_applied():
    with mpl.rc_context():
        use_book_style()
        assert mpl.rcParams["figure.dpi"] == 100
        assert mpl.rcParams["figure.facecolor"] == "white"
        assert mpl.rcParams["savefig.facecolor"] == "white"
        assert not mpl.rcParams["axes.spines.top"]
        assert not mpl.rcParams["axes.spines.right"]
        assert len(set(mpl.rcParams["axes.prop_cycle"].by_key()["color"])) == 7


def test_a_heat_map_shows_the_matrix_with_its_labels(ax):
    image = heat_map(ax, VALUES, row_labels=["a", "b"], column_labels=["x", "yy", "z"])
    np.testing.assert_array_equal(image.get_array(), VALUES)
    assert texts(ax.get_yticklabels()) == ["a", "b"]
    assert texts(ax.get_xticklabels()) == ["x", "yy", "z"]
    assert image.get_clim() == (-0.25, 1.0)


def test_long_column_labels_are_slanted(ax):
    heat_map(ax, VALUES, column_labels=["one", "two", "three"])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {45}


def test_diverging_colours_have_zero_in_the_middle(ax):
    image = heat_map(ax, VALUES, diverging=True)
    assert image.get_clim() == (-1.0, 1.0)
    red, green, blue, _ = image.cmap(image.norm(0.0))
    assert min(red, green, blue) > 0.9


def test_limits_make_pictures_comparable(ax):
    assert heat_map(ax, VALUES, limits=(0, 2)).get_clim() == (0, 2)


def test_values_are_written_so_that_they_can_be_read(ax):
    heat_map(ax, VALUES, annotate=True, digits=1)
    assert texts(ax.texts) == ["0.0", "0.5", "1.0", "-0.2", "0.2", "0.8"]
    by_text = {t.get_text(): t.get_color() for t in ax.texts}
    assert by_text["1.0"] == "black"  # on yellow
    assert by_text["-0.2"] == "white"  # on dark violet


def test_a_colour_bar_is_drawn_if_it_has_a_label(ax):
    heat_map(ax, VALUES)
    assert len(ax.figure.axes) == 1
    heat_map(ax, VALUES, colorbar_label="attention weight")
    assert ax.figure.axes[1].get_ylabel() == "attention weight"


def test_what_is_no_labelled_matrix_is_refused(ax):
    with pytest.raises(ValueError, match=r"shape \(3,\), expected a matrix"):
        heat_map(ax, VALUES[0])
    with pytest.raises(ValueError, match=r"shape \(0, 3\)"):
        heat_map(ax, VALUES[:0])
    with pytest.raises(ValueError, match="got 3 row labels, expected 2"):
        heat_map(ax, VALUES, row_labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="got 1 column labels, expected 3"):
        heat_map(ax, VALUES, column_labels=["a"])


TOKENS = ["[CLS]", "a<b", "[SEP]"]
ONE_LAYER = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 3))


def test_a_viewer_takes_one_layer_or_several():
    for attentions, shape in [
        (ONE_LAYER, (1, 2, 3, 3)),
        ([ONE_LAYER] * 4, (4, 2, 3, 3)),
        (np.stack([ONE_LAYER] * 4), (4, 2, 3, 3)),
        ((ONE_LAYER[None],) * 4, (4, 2, 3, 3)),
    ]:
        assert attention_viewer(TOKENS, attentions, name="a").weights.shape == shape


def test_a_viewer_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"\(2, 3, 3\) for 2 tokens"):
        attention_viewer(TOKENS[:2], ONE_LAYER, name="a")
    with pytest.raises(ValueError, match=r"got attention weights of shape \(3, 3\)"):
        attention_viewer(TOKENS, ONE_LAYER[0], name="a")
    for name in ("", "1a", "a b", "a'"):
        with pytest.raises(ValueError, match="expected letters, digits and hyphens"):
            attention_viewer(TOKENS, ONE_LAYER, name=name)


def test_a_viewer_is_the_same_in_every_run():
    pages = {attention_viewer(TOKENS, ONE_LAYER, name="a")._repr_html_() for _ in "ab"}
    assert len(pages) == 1
    assert "http" not in pages.pop()


def test_the_size_of_a_viewer_is_that_of_its_weights():
    seq = 16
    weights = np.full((12, seq, seq), 1 / seq)
    tokens = [str(k) for k in range(seq)]
    page = attention_viewer(tokens, weights, name="a")._repr_html_()
    assert len(page) < 5 * weights.size + 30 * (12 * seq + seq**2) + 8000


def test_a_viewer_is_a_table_where_there_is_no_page():
    text = repr(attention_viewer(TOKENS, np.full((2, 3, 3), 1 / 3), name="a"))
    assert text.splitlines()[1:] == [
        "token  [CLS]  a<b    [SEP]",
        "-----  -----  -----  -----",
        "[CLS]  0.333  0.333  0.333",
        "a<b    0.333  0.333  0.333",
        "[SEP]  0.333  0.333  0.333",
    ]
