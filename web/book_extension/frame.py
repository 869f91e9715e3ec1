"""The frame of a chapter: its number, its first lines, its links to other chapters."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles

from .chapters import chapter_number, read_chapter

TOLD = ("You build", "You need")
CHAPTER_LINK = re.compile(r"(?:chapters/)?(\d\d)-[a-z0-9-]+(?:\.ipynb)?(?:#.*)?")


def frame_first_lines(app, doctree):
    """Turn the first lines of a chapter into a list of facts.

    In the notebook they are paragraphs: **You build**, **You need** and **Time**. The
    times on the page are worked out from the notebook as it is.
    """
    docname = app.env.docname
    if chapter_number(docname) is None:
        return
    lines = list(filter(first_words, doctree.findall(nodes.paragraph)))
    if not lines:
        return
    facts = nodes.definition_list(classes=["chapter-facts"])
    for line in lines:
        if (name := first_words(line)) in TOLD:
            facts += fact(name, *content(line)[1:])
    for name, text in times(read_chapter(app.srcdir, docname)):
        facts += fact(name, nodes.Text(text))
    lines[0].replace_self(facts)
    for line in lines[1:]:
        line.parent.remove(line)


def first_words(paragraph):
    """Return the bold words that a line of facts starts with, or None."""
    first = next(iter(content(paragraph)), None)
    if isinstance(first, nodes.strong) and first.astext() in (*TOLD, "Time"):
        return first.astext()
    return None


def content(paragraph):
    """Return the nodes of a paragraph without the empty texts that MyST leaves."""
    return [node for node in paragraph.children if node.astext()]


def fact(name, *content):
    """Return one term and its definition."""
    return nodes.definition_list_item(
        "",
        nodes.term("", name),
        nodes.definition("", nodes.paragraph("", "", *content)),
    )


def times(chapter):
    """Return pairs of words: what a chapter takes to read and to run."""
    reading = f"{chapter.reading_minutes} minutes"
    if chapter.exercises:
        reading += f", and {chapter.exercises} exercises"
    found = [("Reading", reading)]
    if chapter.run_seconds is not None:
        found.append(("Running", f"{in_words(chapter.run_seconds)} on two cores"))
    return found


def in_words(seconds):
    """Return a measured time as a reader wants it: 0.4 becomes 'under a second'."""
    if seconds < 1:
        return "under a second"
    return f"{seconds:.0f} second{'s' if round(seconds) != 1 else ''}"


class UnwrittenChapters(SphinxPostTransform):
    """Links to chapters that are still to come: their words stay, without a link.

    Only a number that no chapter has is taken for one; a wrong name of a chapter that
    exists is a fault like any other broken link.
    """

    default_priority = 5  # before the links of MyST are resolved

    def run(self, **options):
        """Replace each such link by its words."""
        written = {chapter_number(name) for name in self.env.found_docs}
        for node in list(self.document.findall(addnodes.pending_xref)):
            match = CHAPTER_LINK.fullmatch(node.get("reftarget", ""))
            if node.get("reftype") == "myst" and match:
                if (number := int(match[1])) not in written:
                    words = node.astext() or f"chapter {number}"
                    node.replace_self(nodes.Text(words))


def number_by_file_name(assign):
    """Make a chapter's number the one in its file name, also where others are absent.

    Sphinx counts; with a chapter missing from the contents every later one, and its
    exercises and figures, would change its number.
    """

    def assign_section_numbers(collector, env):
        changed = assign(collector, env)
        for docname, numbers in env.toc_secnumbers.items():
            number = chapter_number(docname)
            if number is None:
                continue
            renumbered = {k: v and (number, *v[1:]) for k, v in numbers.items()}
            env.toc_secnumbers[docname] = renumbered
            env.titles[docname]["secnumber"] = [number]
            for entry in env.tocs[docname].findall(nodes.reference):
                entry["secnumber"] = renumbered.get(entry["anchorname"])
        return changed

    assign_section_numbers.wrapped = assign
    return assign_section_numbers


def setup(app):
    """Register what frames a chapter."""
    app.connect("doctree-read", frame_first_lines)
    app.add_post_transform(UnwrittenChapters)
    collector = TocTreeCollectorWithStyles
    if not hasattr(collector.assign_section_numbers, "wrapped"):
        collector.assign_section_numbers = number_by_file_name(
            collector.assign_section_numbers
        )
