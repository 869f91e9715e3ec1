"""Directives that draw and tabulate the chapters."""

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .chapters import read_parts


def link(docname, content, classes=()):
    """Return a node that becomes a relative link to a page."""
    target = addnodes.pending_xref(
        "",
        nodes.inline("", content, classes=list(classes)),
        refdomain="std",
        reftype="doc",
        reftarget="/" + docname,
        refexplicit=True,
        refwarn=True,
    )
    target["refdoc"] = docname
    return target


class ChapterDirective(SphinxDirective):
    """A directive whose output changes with the notebooks."""

    def parts(self):
        """Return the parts; note that this page depends on all they were read from."""
        parts = read_parts(self.env.srcdir)
        self.env.note_dependency(self.env.doc2path("_toc")[: -len(".md")] + ".yml")
        for part in parts:
            for chapter in part.chapters:
                self.env.note_dependency(self.env.doc2path(chapter.docname))
        return parts


class ChapterMap(ChapterDirective):
    """The map of the chapters: one line per part, one station per chapter."""

    def run(self):
        """Return nested lists; the style sheet draws the line and its stations."""
        root = nodes.container(classes=["chapter-map"])
        for part in self.parts():
            caption = nodes.paragraph("", part.caption, classes=["map-part"])
            stations = nodes.bullet_list(classes=["map-line"])
            stations += [self.station(chapter) for chapter in part.chapters]
            root += [caption, stations]
        return [root]

    def station(self, chapter):
        """Return one chapter of the map."""
        number = nodes.inline("", str(chapter.number), classes=["map-number"])
        heading = nodes.paragraph("", "", number, nodes.Text(" "))
        heading += link(chapter.docname, chapter.title)
        item = nodes.list_item("", heading)
        if chapter.builds:
            words, messages = self.parse_inline(chapter.builds)
            item += nodes.paragraph("", "", *words, *messages, classes=["map-builds"])
        return item


class ChapterTimes(ChapterDirective):
    """A table of what each chapter takes: to read, to exercise, to run."""

    def run(self):
        """Return the table, its last row the sums."""
        chapters = [c for part in self.parts() for c in part.chapters]
        head = ("Chapter", "Reading (min)", "Exercises", "Running (s)")
        rows = [
            (
                link(c.docname, f"{c.number}. {c.title}"),
                c.reading_minutes,
                c.exercises,
                "–" if c.run_seconds is None else f"{c.run_seconds:.1f}",
            )
            for c in chapters
        ]
        total = (
            "All",
            sum(c.reading_minutes for c in chapters),
            sum(c.exercises for c in chapters),
            f"{sum(c.run_seconds or 0 for c in chapters):.1f}",
        )
        return [table(head, [*rows, total])]


def table(head, rows):
    """Return a docutils table of text and nodes."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=width) for width in (52, 16, 16, 16)]
    group += nodes.thead("", table_row(head))
    group += nodes.tbody("", *(table_row(row) for row in rows))
    return nodes.table("", group, classes=["chapter-times"])


def table_row(cells):
    """Return one row; whatever is not a node becomes its text."""
    row = nodes.row()
    for cell in cells:
        content = cell if isinstance(cell, nodes.Node) else nodes.Text(str(cell))
        row += nodes.entry("", nodes.paragraph("", "", content))
    return row


def setup(app):
    """Register the directives."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("chapter-times", ChapterTimes)
