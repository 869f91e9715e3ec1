"""Tables that are traced from real runs."""

from html.parser import HTMLParser

import numpy as np
import pytest

from bertbook.tables import Table, comparison_table, shape_table, trace_shapes


class Tags(HTMLParser):
    """Collect the tags and the texts of a page; refuse tags that do not match."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, *attrs))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_a_table_is_text_in_aligned_columns():
    table = Table("Two rows", ["name", "n"], [("a", 1), ("long name", 22)])
    assert repr(table) == (
        "Two rows\nname       n\n---------  --\na          1\nlong name  22"
    )


def test_a_table_is_html_with_a_caption_and_headers():
    page = Tags(Table("A < B", ["x", "y"], [("<b>", "1 <i> & 2")])._repr_html_())
    heads = [tag for tag in page.tags if tag[0] == "th"]
    assert heads == [("th", ("scope", "col"))] * 2 + [("th", ("scope", "row"))]
    assert page.words == ["A < B", "x", "y", "\n", "<b>", "1 <i> & 2"]
    assert [tag[0] for tag in page.tags][:2] == ["table", "caption"]


def test_shapes_are_read_off_the_arrays():
    x = np.zeros((2, 8), np.float32)
    table = shape_table({"ids": np.arange(3), "x": x, "all": (x, x), "scale": 2.5})
    assert [row[:2] for row in table.rows] == [
        ["ids", "(3,)"],
        ["x", "(2, 8)"],
        ["all", "2 x (2, 8)"],
        ["scale", "()"],
    ]
    assert [row[2] for row in table.rows[1:]] == ["float32", "float32", "float64"]


def test_arrays_of_different_shapes_need_different_names():
    with pytest.raises(ValueError, match="2 different shapes or dtypes for one row"):
        shape_table([("x", [np.zeros(2), np.zeros(3)])])


def multiply(x, factor=2):
    doubled = x * factor
    x = doubled.T
    total = float(x.sum())
    return x, total


class Pooler:
    def __call__(self, x):
        mean = x.mean(axis=0)
        return {"mean": mean}

    def method(self, x):
        return x[None]


def test_tracing_shows_arrays_in_the_order_in_which_they_are_made():
    table = trace_shapes(multiply, np.ones((2, 3)), factor=3)
    assert table.rows == [
        ["x", "(2, 3)", "float64"],
        ["doubled", "(2, 3)", "float64"],
        ["x", "(3, 2)", "float64"],
        ["returned, part 1", "(3, 2)", "float64"],
    ]
    assert table.result[1] == 18.0
    assert table.caption == "Shapes inside multiply"


def test_objects_and_methods_can_be_traced():
    x = np.ones((4, 5), np.float32)
    assert trace_shapes(Pooler(), x).rows == [
        ["x", "(4, 5)", "float32"],
        ["mean", "(5,)", "float32"],
        ["returned 'mean'", "(5,)", "float32"],
    ]
    assert trace_shapes(Pooler().method, x).rows[-1][1] == "(1, 4, 5)"


def test_tracing_leaves_no_tracer_behind():
    import sys

    before = sys.gettrace()
    with pytest.raises(TypeError):
        trace_shapes(multiply, "x", factor="y")
    assert sys.gettrace() is before


def test_a_function_of_another_language_cannot_be_traced():
    with pytest.raises(TypeError, match="written in Python; wrap it"):
        trace_shapes(np.add, 1, 2)


def compare(got, expected, **options):
    return comparison_table([("t", np.array(got), np.array(expected))], **options)


@pytest.mark.parametrize(
    ("got", "expected", "bound", "verdict"),
    [
        ([1.0, 2.0], [1.0, 2.000001], "< 1e-05", "agrees"),
        ([1.0, 2.0], [1.0, 2.0], "< 1e-05", "agrees"),
        ([1.0, np.inf], [1.0, np.inf], "< 1e-05", "agrees"),
        ([np.nan, 1.0], [np.nan, 1.0], "< 1e-05", "agrees"),
        ([1.0, 2.0], [1.0, 2.25], "2.5e-01", "DIFFERS"),
        ([1.0, np.nan], [1.0, 2.0], "none", "NaN"),
        ([1.0, 2.0], [[1.0, 2.0]], "none", "OTHER SHAPE: (1, 2) expected"),
    ],
)
def test_a_comparison_says_how_far_and_whether(got, expected, bound, verdict):
    table = compare(got, expected)
    assert table.rows[0][2:] == [bound, verdict]
    assert table.passed == (verdict == "agrees")


def test_the_tolerance_of_a_comparison_is_chosen_and_shown():
    assert not compare([1.0], [1.00002]).passed
    assert compare([1.0], [1.00002]).rows[0][3] == "DIFFERS"
    table = compare([1.0], [1.0001], tolerance=1e-3)
    assert table.passed
    assert table.rows[0][2] == "< 1e-03"
    assert table.largest == pytest.approx(1e-4)


def test_one_bad_tensor_fails_the_whole_comparison():
    good, bad = np.ones(3), np.array([1.0, 1.0, 1.5])
    table = comparison_table([("a", good, good), ("b", bad, good), ("c", good, good)])
    assert [row[3] for row in table.rows] == ["agrees", "DIFFERS", "agrees"]
    assert (table.passed, table.largest) == (False, 0.5)


def test_nothing_compared_is_no_agreement():
    with pytest.raises(ValueError, match="got no rows, expected at least one"):
        comparison_table(iter(()))
