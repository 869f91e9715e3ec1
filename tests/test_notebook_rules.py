"""Every rule for chapters accepts a good notebook and finds one that breaks it."""

import copy

import nbformat
import notebook_rules as form
import notebook_rules_content as content
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_rules_content import RULES


def text(source):
    return new_markdown_cell(source)


def code(source, *outputs, tags=(), alt=None):
    metadata = {"tags": list(tags)}
    if alt:
        metadata["mystnb"] = {"image": {"alt": alt}}
    return new_code_cell(source, outputs=list(outputs), metadata=metadata)


def shown(**data):
    data = {key.replace("_", "/"): value for key, value in data.items()}
    return new_output("display_data", data=data)


def exercise(label):
    yield text(f"````{{exercise}} Title\n:label: {label}\n\nWhat is it?\n````")
    yield code("check('a', f)", shown(text_plain="Not answered yet: replace it."))
    yield text(f"````{{solution-start}} {label}\n:class: dropdown\n````")
    yield code("check('a', f)", shown(text_plain="Right: yes."))
    yield text("````{solution-end}\n````")


@pytest.fixture
def good():
    alt = "Line that rises from zero to one over ten steps."
    cells = [
        text(
            "# Title\n\n**You build** a.\n\n**You need** b.\n\n"
            "**Time** 1 min to read, 3 s to run."
        ),
        text("This function doubles."),
        code("def f(x):\n    return 2 * x"),
        code("assert f(1) == 2"),
        text("A picture. It rises."),
        code("plt.show()", shown(image_png="abcd", text_plain="<Figure>"), alt=alt),
        text("## Wrong on purpose\n\nThis raises."),
        code("1 / 0", new_output("error", ename="E", evalue="e", traceback=[])),
        text("## Shapes\n\nTraced."),
        code("shape_table(a)", shown(text_html="<table>", text_plain="(2, 3)")),
        text("## Exercises"),
        *exercise("ex-a"),
        *exercise("ex-b"),
        *exercise("ex-c"),
        text("## Summary\n\nDone."),
    ]
    cells[7].metadata["tags"] = ["raises-exception"]
    notebook = new_notebook(cells=cells)
    notebook.nbformat_minor = 5
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
            "bertbook": {"run_seconds": 2.4},
        }
    )
    for k, cell in enumerate(form.code_cells(notebook)):
        cell.execution_count = k + 1
    return notebook


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_good_notebook_keeps_the_rule(good, rule):
    assert list(rule(good)) == []


def set_source(index, source):
    return lambda notebook: notebook.cells[index].update(source=source)


def replace_in_head(old, new):
    return lambda nb: nb.cells[0].update(source=nb.cells[0].source.replace(old, new))


def set_tags(index, *tags):
    return lambda notebook: notebook.cells[index].metadata.update(tags=list(tags))


def set_output(index, output):
    return lambda notebook: notebook.cells[index].update(outputs=[output])


def drop(*indices):
    def change(notebook):
        kept = [c for k, c in enumerate(notebook.cells) if k not in indices]
        notebook.cells = kept

    return change


def printed(words):
    return new_output("stream", name="stdout", text=words)


LONG = "\n".join("x = 1" for _ in range(31))
MEDIUM = "\n".join("x = 1" for _ in range(21))


def widen_all(lines):
    def change(notebook):
        for cell in form.code_cells(notebook):
            cell.source = "\n".join("x = 1" for _ in range(lines))

    return change


BREAKS = [
    (form.executed_in_order, lambda nb: nb.cells[2].update(execution_count=7)),
    (form.executed_in_order, lambda nb: nb.cells[2].update(execution_count=None)),
    (form.errors_only_where_announced, set_tags(7)),
    (form.errors_only_where_announced, set_tags(2, "raises-exception")),
    (
        form.nothing_on_stderr,
        set_output(2, new_output("stream", name="stderr", text="w")),
    ),
    (form.stable_file, lambda nb: nb.update(nbformat_minor=4)),
    (form.stable_file, lambda nb: nb.metadata.kernelspec.update(name="mine")),
    (form.stable_file, lambda nb: nb.metadata.update(widgets={})),
    (form.stable_file, lambda nb: nb.metadata.language_info.update(version="3.11")),
    (form.stable_file, lambda nb: nb.metadata.pop("language_info")),
    (form.stable_file, lambda nb: nb.cells[1].pop("id")),
    (form.stable_file, lambda nb: nb.cells[1].update(id=nb.cells[2].id)),
    (form.stable_file, lambda nb: nb.cells[2].metadata.update(execution={})),
    (form.every_output_is_compared, set_tags(2, "nbval-ignore-output")),
    (form.every_output_is_compared, set_tags(2, "nbval-skip")),
    (form.small_cells, set_source(2, LONG)),
    (form.small_cells, widen_all(7)),
    (form.small_cells, lambda nb: [set_source(k, MEDIUM)(nb) for k in (2, 3, 5)]),
    (form.at_most_two_code_cells_in_a_row, drop(4)),
    (form.prose_before_code, set_source(1, "## Only a heading")),
    (form.prose_before_code, set_source(1, "A. B. C. D. E. F.")),
    (form.prose_before_code, set_source(1, "```\nA sentence in a box.\n```")),
    (form.pictures_are_described, lambda nb: nb.cells[5].metadata.pop("mystnb")),
    (
        form.pictures_are_described,
        lambda nb: nb.cells[5].metadata.mystnb.image.update(alt="short"),
    ),
    (
        form.pictures_are_described,
        lambda nb: nb.cells[5].metadata.mystnb.image.update(alt="a" * 30 + ".png"),
    ),
    (
        form.pictures_are_described,
        lambda nb: [set_source(k, "## Heading")(nb) for k in (4, 6)],
    ),
    *[
        (content.plain_code, set_source(2, source))
        for source in (
            "%matplotlib inline",
            "x = 1\n!ls",
            "plt.plot(x);",
            "'pip install numpy'",
            "read('https://example.org')",
            "import urllib.request",
            "# NBVAL_IGNORE_OUTPUT\nx",
        )
    ],
    (content.no_machine_paths, set_output(2, printed("File /home/me/book/a.py"))),
    (content.no_machine_paths, set_output(2, printed("/opt/x.py"))),
    (content.no_machine_paths, set_output(2, printed("C:\\Users\\me"))),
    (content.no_machine_paths, set_source(2, "open('/data/book/model')")),
    (content.no_addresses_or_timings, set_output(2, printed("<f at 0x7f12ab34>"))),
    (content.no_addresses_or_timings, set_output(2, printed("took 3.1 ms"))),
    (content.no_addresses_or_timings, set_output(2, printed("12 seconds"))),
    (content.no_addresses_or_timings, set_output(2, printed("31.5it/s"))),
    (
        content.definitions_are_checked,
        lambda nb: (set_source(3, "f(1)")(nb), set_source(5, "g(1)")(nb)),
    ),
    (content.enough_assertions, lambda nb: nb.cells.append(code("x = 1\n" * 300))),
    (content.three_exercises, drop(*range(11, 16))),
    (content.three_exercises, drop(12)),
    (content.three_exercises, drop(15)),
    (content.three_exercises, set_source(12, "f(1)")),
    (content.three_exercises, set_output(12, shown(text_plain="Right: given away"))),
    (content.three_exercises, set_output(14, shown(text_plain="Not yet: wrong"))),
    (
        content.three_exercises,
        set_source(13, "````{solution-start} ex-z\n:class: dropdown\n````"),
    ),
    (content.three_exercises, set_source(13, "````{solution-start} ex-a\n````")),
    (content.parts_in_order, set_source(0, "# Title\n\n**You build** a.")),
    *[
        (content.parts_in_order, replace_in_head(old, new))
        for old, new in (
            ("# Title", "## Title"),
            ("**You build** ", "**We build** "),
            ("**You need** ", "You need "),
        )
    ],
    (content.parts_in_order, lambda nb: nb.metadata.bertbook.update(run_seconds=9.0)),
    (content.parts_in_order, lambda nb: nb.metadata.pop("bertbook")),
    (content.parts_in_order, set_source(10, "## Exercise")),
    (content.parts_in_order, lambda nb: nb.cells.insert(1, nb.cells.pop())),
    (content.shapes_are_traced, set_source(9, "table(a)")),
    (content.shapes_are_traced, set_output(9, printed("(2, 3)"))),
    (content.shapes_are_traced, set_source(8, "## Forms\n\nTraced.")),
    (content.has_a_picture, set_output(5, printed("none"))),
]


@pytest.mark.parametrize(
    ("rule", "change"), BREAKS, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_rule_finds_what_breaks_it(good, rule, change):
    bad = copy.deepcopy(good)
    change(bad)
    assert list(rule(bad))


def test_every_rule_is_shown_to_find_something():
    assert {rule for rule, _ in BREAKS} == set(RULES)
