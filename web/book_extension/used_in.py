"""References both ways: each term and each function names the chapters that use it.

A chapter refers to a term with ``{term}`` and to a function with ``{py:func}``; from
these the glossary and the package page get their lists of chapters. Names that can be
imported from ``bertbook`` itself may be written so: ``bertbook.softmax``.
"""

import re
from importlib import import_module
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

import bertbook

from .chapters import chapter_number
from .directives import link

API = "chapters/api"
PAGES = ("chapters/glossary", API)


def full_name(target, modules):
    """Return the name under which the package page documents what target names.

    ``bertbook.softmax`` is ``bertbook.activations.softmax`` there; what several modules
    offer stands where the page has it. Other targets stay as they are.
    """
    target = target.removeprefix("~")
    parts, item = target.split("."), bertbook
    if parts[0] != "bertbook":
        return target
    for index, name in enumerate(parts[1:], start=1):
        item = getattr(item, name, None)
        if callable(item):
            for module in modules:
                if name in module.__all__ and getattr(module, name) is item:
                    return ".".join([module.__name__, *parts[index:]])
            break
    return target


def documented_modules(app):
    """Return the modules of the package page, in its order."""
    text = (Path(app.srcdir) / f"{API}.md").read_text("utf-8")
    return [import_module(name) for name in re.findall(r"automodule:: (\S+)", text)]


def collect(app, doctree):
    """Note what a chapter refers to, and write short names out in full."""
    docname, used = app.env.docname, set()
    modules = documented_modules(app)
    for reference in doctree.findall(addnodes.pending_xref):
        if reference.get("reftype") == "term":
            used.add(("term", reference["reftarget"].lower()))
        elif reference.get("refdomain") == "py":
            reference["reftarget"] = full_name(reference["reftarget"], modules)
            used.add(("py", reference["reftarget"]))
    if chapter_number(docname) is not None:
        uses(app.env)[docname] = used


def uses(env):
    """Return {docname: {(kind, target), ...}}, kept with Sphinx's other knowledge."""
    if not hasattr(env, "bertbook_uses"):
        env.bertbook_uses = {}
    return env.bertbook_uses


def forget(app, env, docname):
    """Drop what was noted of a page that is read again or gone."""
    uses(env).pop(docname, None)


def merge(app, env, docnames, other):
    """Take over what a parallel reader has noted."""
    uses(env).update({name: uses(other)[name] for name in uses(other)})


def rewrite(app, env):
    """Have the pages with lists written again: any chapter may have changed."""
    return [page for page in PAGES if page in env.found_docs]


def chapters_that_use(env, kind, target):
    """Return the chapters that refer to a term or an object, in order."""
    found = (name for name, used in uses(env).items() if (kind, target) in used)
    return sorted(found, key=chapter_number)


def add_lists(app, doctree, docname):
    """Append "In chapters 1, 4" to each term of the glossary, each entry of the API."""
    if docname not in PAGES:
        return
    for item in doctree.findall(nodes.definition_list_item):
        for term in item.findall(nodes.term):
            target = term.astext().lower()
            append(app, docname, item[-1], chapters_that_use(app.env, "term", target))
    for entry in doctree.findall(addnodes.desc):
        signature, content = entry[0], entry[-1]
        for name in signature.get("ids", [])[:1]:
            append(app, docname, content, chapters_that_use(app.env, "py", name))


def append(app, docname, parent, chapters):
    """Append the list of chapters to a definition."""
    if not chapters:
        return
    line = nodes.paragraph("", "In chapter " if len(chapters) == 1 else "In chapters ")
    line["classes"].append("used-in")
    for index, chapter in enumerate(chapters):
        line += nodes.Text(", " if index else "")
        line += link(chapter, str(chapter_number(chapter)))
    parent += line
    for reference in list(line.findall(addnodes.pending_xref)):
        reference["refdoc"] = docname
    app.env.resolve_references(line, docname, app.builder)


def setup(app):
    """Register the collection of references and the lists."""
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", rewrite)
    app.connect("doctree-resolved", add_lists)
