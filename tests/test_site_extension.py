"""What the site's own extension does to pages, without building the site."""

import json

import numpy as np
import pytest
import serve
from book_extension.accessible import repair
from book_extension.chapters import (
    chapter_number,
    read_chapter,
    read_parts,
)
from book_extension.frame import CHAPTER_LINK, in_words
from book_extension.outputs import flows, mark_outputs, mark_tables
from book_extension.pages import LONGEST, describe
from book_extension.used_in import full_name
from check_links import check_site, main
from docutils import nodes
from reading_time import reading_minutes

import bertbook
from bertbook.exercises import Verdict, check
from bertbook.tables import shape_table

PAGE = "<!doctype html><html lang='en'><body id='top'>{}</body></html>"


@pytest.fixture
def site(tmp_path):
    """Return a function that writes a small site and returns its faults."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "a b.html").write_text(PAGE.format('<p id="p">p</p>'))

    def check(body):
        (tmp_path / "index.html").write_text(PAGE.format(body))
        return check_site(tmp_path)[0]

    check.folder = tmp_path
    return check


@pytest.mark.parametrize(
    "body",
    [
        '<a href="chapters/a%20b.html#p">x</a>',
        '<a href="#top">x</a>',
        '<a href="chapters/../">x</a>',
        '<a href="https://example.org/x">a link to elsewhere</a>',
        '<img src="data:image/png;base64,AA==">',
        '<link rel="canonical" href="https://example.org/">',
    ],
)
def test_the_link_checker_accepts_what_works(site, body):
    assert site(body) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="chapters/c.html">x</a>', "leads to no file"),
        ('<a href="chapters/a%20b.html#q">x</a>', "has no element 'q'"),
        ('<a href="#nowhere">x</a>', "has no element 'nowhere'"),
        ('<img src="picture.png">', "leads to no file"),
        ('<a href="/index.html">x</a>', "starts at the host's root"),
        ('<script src="https://example.org/x.js"></script>', "from another host"),
        ('<img src="//example.org/x.png">', "from another host"),
        ('<link rel="stylesheet" href="https://example.org/x.css">', "another host"),
        ('<iframe src="https://example.org/"></iframe>', "from another host"),
    ],
)
def test_the_link_checker_names_each_fault(site, body, fault):
    faults = site(body)
    assert len(faults) == 1
    assert faults[0].startswith("index.html: ")
    assert fault in faults[0]


@pytest.mark.parametrize(
    "style", ["@import 'https://example.org/x.css';", "a { b: url(//example.org/f) }"]
)
def test_the_link_checker_reads_style_sheets(site, style):
    (site.folder / "x.css").write_text(style)
    assert "another host" in site("")[0]


def test_the_link_checker_fails_the_build(site, capsys):
    site('<a href="gone.html">x</a>')
    assert main([str(site.folder)]) == 1
    site("")
    assert main([str(site.folder)]) == 0
    assert "1 faults" in capsys.readouterr().out


def test_repairing_a_page_twice_changes_nothing_more():
    page = (
        '<button class="btn search-button-field x" title="Search" '
        'aria-label="Search">Search</button>'
        '<summary aria-label="Toggle hidden content">'
    )
    once = repair(page)
    assert "aria-label" not in once
    assert repair(once) == once


@pytest.fixture
def book(tmp_path):
    """Return a folder with one chapter and a table of contents."""
    prose = [
        "# The title\n\n**You build** a `thing` of\n[two](x.ipynb) parts. More.\n\n"
        "**You need** nothing.\n",
        "one two three\n\n```{exercise} E\n:label: e\nDo.\n```\n",
        "````{exercise-start} F\n:label: f\n````\n",
    ]
    cells = [{"cell_type": "markdown", "source": text} for text in prose]
    cells.append({"cell_type": "code", "source": ["x = 1\n", "\n", "x"]})
    notebook = {"cells": cells, "metadata": {"bertbook": {"run_seconds": 3.2}}}
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "07-thing.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nparts:\n"
        "- caption: One\n  chapters:\n  - file: chapters/07-thing\n"
        "- caption: Reference\n  chapters:\n  - file: chapters/api\n"
    )
    return tmp_path


def test_what_is_known_of_a_chapter_comes_from_its_notebook(book):
    chapter = read_chapter(book, "chapters/07-thing")
    assert (chapter.number, chapter.title, chapter.builds) == (
        7,
        "The title",
        "a `thing` of two parts",
    )
    assert (chapter.exercises, chapter.run_seconds) == (2, 3.2)


@pytest.mark.parametrize(
    ("target", "number"),
    [
        ("08-encoder-layer.ipynb", "08"),
        ("11-search.ipynb#a-b", "11"),
        ("intro.md", None),
    ],
)
def test_links_to_chapters_are_known_by_their_number(target, number):
    match = CHAPTER_LINK.fullmatch(target)
    assert (match and match[1]) == number


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("bertbook.softmax", "bertbook.activations.softmax"),
        ("~bertbook.encoder_layer.FeedForward", "bertbook.encoder.FeedForward"),
        ("bertbook.BertEncoder.embed", "bertbook.encoder.BertEncoder.embed"),
        ("bertbook.nothing", "bertbook.nothing"),
        ("numpy.exp", "numpy.exp"),
    ],
)
def test_a_function_is_found_under_each_of_its_names(target, name):
    modules = [bertbook.activations, bertbook.encoder, bertbook.encoder_layer]
    assert full_name(target, modules) == name


def test_the_map_holds_the_parts_that_have_chapters(book):
    parts = read_parts(book)
    assert [(p.caption, len(p.chapters)) for p in parts] == [("One", 1)]


@pytest.mark.parametrize(
    ("words", "lines", "minutes"), [(200, 0, 1), (201, 0, 2), (200, 20, 2), (0, 1, 1)]
)
def test_reading_time_counts_words_and_lines(words, lines, minutes):
    assert reading_minutes(["word " * words], ["x\n\n" * lines]) == minutes


@pytest.mark.parametrize(
    ("docname", "number"),
    [("chapters/04-attention", 4), ("chapters/18-x", 18), ("chapters/api", None)],
)
def test_the_number_of_a_chapter_is_that_of_its_file(docname, number):
    assert chapter_number(docname) == number


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "under a second"), (1.2, "1 second"), (3.7, "4 seconds")],
)
def test_seconds_are_said_in_words(seconds, words):
    assert in_words(seconds) == words


def test_a_long_description_is_cut_between_words():
    paragraph = nodes.paragraph("", "word " * 100)
    text = describe(nodes.section("", paragraph))
    assert len(text) <= LONGEST + 2
    assert text.endswith("word …")


def marked(text, kind="text_plain"):
    """Return an output's block of text after the extension has seen it."""
    block = nodes.literal_block(text, text, classes=["output", kind])
    mark_outputs(None, nodes.container("", block))
    return block


@pytest.mark.parametrize(
    "verdict",
    [
        check("encoder-count-shared", None),
        check("encoder-count-shared", lambda *sizes: 1),
        Verdict(True, f"Right: {'word ' * 30}end."),
    ],
)
def test_what_a_check_said_is_set_as_a_text_that_wraps(verdict):
    block = marked(repr(verdict))
    assert "\n" in repr(verdict)
    assert "verdict" in block["classes"]
    assert block.astext() == block.rawsource == " ".join(verdict.message.split())


def test_only_a_text_output_is_taken_for_a_verdict():
    assert "verdict" not in marked("Right: and left\n", "traceback")["classes"]
    assert marked("All right: yes\n")["classes"][-1] == "flows"
    code = nodes.literal_block("Right: 1", "Right: 1")
    mark_outputs(None, nodes.container("", code))
    assert code["classes"] == []


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("672 attention weights\nthe largest is 0\n", True),
        ("[-1.     -0.3333]", True),
        ("fresh   passes\npadding SEES\n", False),
        ("[[1. 2.]\n [3. 4.]]", False),
    ],
)
def test_only_outputs_without_columns_may_wrap(text, may):
    assert flows(text) == may
    assert ("flows" in marked(text, "stream")["classes"]) == may


def test_the_shapes_in_a_table_stay_on_one_line():
    html = shape_table({"x": [np.zeros((2, 7))] * 3})._repr_html_()
    raw = nodes.raw(html, html, format="html", classes=["output", "text_html"])
    mark_tables(None, nodes.container("", raw))
    assert "3 x (2,&nbsp;7)" in raw.astext()
    assert raw.astext().replace("&nbsp;", " ") == html


def test_a_port_that_is_taken_is_refused_in_a_sentence(tmp_path, capsys):
    (tmp_path / "index.html").touch()
    with serve.make_server(tmp_path) as server, pytest.raises(SystemExit):
        serve.main([str(tmp_path), "--port", str(server.server_port)])
    said = capsys.readouterr().err
    assert f"port {server.server_port} cannot be used" in said
    assert "make serve PORT=8000" in said
