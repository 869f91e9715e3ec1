"""What the book's pages have beyond Jupyter Book's own: the Sphinx extension.

``offline``
    mathematics from the site itself, nothing from other hosts
``accessible``
    repairs of the theme's names and landmarks, pictures must have a description
``chapters``
    what is known of each chapter, read from its notebook
``directives``
    ``{chapter-map}`` and ``{chapter-times}``
``frame``
    numbers of chapters, their first lines, their links to one another
``outputs``
    outputs that are text, which a narrow page wraps
``pages``
    descriptions for search engines, the page for addresses that do not exist
``used_in``
    each term and each function names the chapters that use it
"""

from . import accessible, directives, frame, offline, outputs, pages, used_in

PARTS = (offline, accessible, directives, frame, outputs, pages, used_in)


def setup(app):
    """Register everything with Sphinx."""
    for part in PARTS:
        part.setup(app)
    safe = {"parallel_read_safe": True, "parallel_write_safe": True}
    # A new number has pages read again that an earlier state of this folder has read.
    return {"version": "1", "env_version": 3, **safe}
