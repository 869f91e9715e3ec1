"""Descriptions of pages, docstrings, and the page for what does not exist."""

import html
import json
from pathlib import Path
from string import Template

from docutils import nodes

from .chapters import read_parts

LONGEST = 155
MARKER = "bertbook.json"
TEMPLATE = Path(__file__).parent.parent / "templates" / "404.html"


def describe(doctree):
    """Return the first paragraph of a page's own prose, cut between words."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            text = " ".join(paragraph.astext().split())
            if len(text) >= 40:
                break
    else:
        return ""
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0].rstrip(",.;:") + " …"
    return text


def add_description(app, pagename, templatename, context, doctree):
    """Give each page a description that search engines and chats can show."""
    text = describe(doctree) if doctree is not None else ""
    book = app.config.html_title
    title = app.env.titles[pagename].astext() if pagename in app.env.titles else book
    title, description = html.escape(title), html.escape(text or f"{title}. {book}.")
    context["metatags"] = context.get("metatags", "") + (
        f'\n<meta name="description" content="{description}">'
        f'\n<meta property="og:title" content="{title}">'
        f'\n<meta property="og:description" content="{description}">'
        '\n<meta property="og:type" content="article">'
    )


def escape_stars(app, what, name, subject, options, lines):
    """Let docstrings say ``(*ids.shape, d_model)``: a star there is no emphasis."""
    lines[:] = [line.replace("(*", r"(\*") for line in lines]


def write_not_found(app, exception):
    """Write 404.html, which finds the site's root wherever it is shown.

    A static host shows it at the address that was asked for, of any depth and below
    any prefix, so nothing in it may depend on where it stands. It looks for the
    marker file in each folder of its address.
    """
    if exception or app.builder.format != "html":
        return
    chapters = [c for part in read_parts(app.srcdir) for c in part.chapters]
    links = "\n".join(
        f'<li><a data-page="{c.docname}.html">{c.number}. {html.escape(c.title)}</a>'
        for c in chapters
    )
    page = Template(TEMPLATE.read_text("utf-8")).substitute(
        title=html.escape(app.config.html_title), chapters=links, marker=MARKER
    )
    folder = Path(app.outdir)
    (folder / "404.html").write_text(page, encoding="utf-8", newline="\n")
    marker = json.dumps({"book": "bertbook"}) + "\n"
    (folder / MARKER).write_text(marker, encoding="utf-8", newline="\n")
    (folder / ".nojekyll").touch()  # GitHub Pages would hide _static


def setup(app):
    """Register what is done for each page, and at the end."""
    app.connect("autodoc-process-docstring", escape_stars)
    app.connect("html-page-context", add_description)
    app.connect("build-finished", write_not_found)
