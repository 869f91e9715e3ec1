"""Outputs that are text and not columns: marked, so that narrow pages wrap them.

An output stands in a box that scrolls. That is right for columns of numbers, and wrong
for a sentence: on a telephone its end is out of sight. The stored outputs stay as they
are; the classes that the style sheet needs are added here.

``verdict``
    what a check of an exercise said; its line breaks were made for a wide page
``flows``
    any other output without columns

Shapes in tables, as (2, 7, 256), get blanks at which no line breaks.
"""

import re

from docutils import nodes

from bertbook.exercises.exercise import OPENINGS

SHAPE = re.compile(r"\((?:\d+, ?)*\d*\)")
SHOWN = ("stream", "text_plain")  # MyST-NB's classes for text; errors have their own


def is_verdict(text):
    """Return whether an output is what a check said of an answer."""
    return text.startswith(OPENINGS)


def flows(text):
    """Return whether wrapping an output's lines would bring nothing out of line.

    A single line is in line with nothing. Otherwise blanks that align something stand
    at the start of a line or in twos.
    """
    lines = text.rstrip().splitlines()
    aligned = any(line.startswith(" ") or "  " in line for line in lines)
    return len(lines) == 1 or not aligned


def keep_shapes(html):
    """Return a table whose shapes stay on one line."""
    return SHAPE.sub(lambda shape: shape[0].replace(" ", "&nbsp;"), html)


def mark_outputs(app, doctree):
    """Add the classes to the outputs of a page, and undo the breaks of verdicts."""
    for block in doctree.findall(nodes.literal_block):
        if "output" not in block["classes"] or not set(SHOWN) & set(block["classes"]):
            continue
        text = block.astext()
        if is_verdict(text):
            block["classes"].append("verdict")
            block.rawsource = " ".join(text.split())
            block.children = [nodes.Text(block.rawsource)]
        elif flows(text):
            block["classes"].append("flows")


def mark_tables(app, doctree):
    """Keep the shapes together in the tables that cells have put out."""
    for raw in doctree.findall(nodes.raw):
        html = raw.astext()
        if "text_html" in raw["classes"] and html.startswith("<table"):
            raw.children = [nodes.Text(keep_shapes(html))]


def setup(app):
    """Register the marking."""
    app.connect("doctree-read", mark_outputs)
    app.connect("doctree-read", mark_tables)
