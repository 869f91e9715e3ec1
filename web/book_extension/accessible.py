"""Pages that everyone can use: repairs after the theme, and rules for pictures."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

logger = logging.getLogger(__name__)

# Each repair is for a fault that axe finds in the pages of sphinx-book-theme 1.3.0.
# All leave a repaired page as it is, so that an incremental build may run them again.
REPAIRS = (
    # The visible words of a button must be part of its name.
    (
        r'(<button class="btn search-button-field[^"]*") title="Search" '
        r'aria-label="Search"',
        r"\1",
    ),
    (r'(<i class="theme-switch [^>]*?) title="[^"]*"', r"\1"),
    (r'<summary aria-label="Toggle hidden content">', "<summary>"),
    # Content outside all landmarks is skipped by those who walk from one to the next.
    (
        r'<div class="sidebar-primary-item">(\s*<a class="navbar-brand logo")',
        r'<div class="sidebar-primary-item" role="navigation" aria-label="Home">\1',
    ),
    # The corner of a table whose first column names the rows heads nothing.
    (r"<th\b[^>]*>(?:\s|<p>\s*</p>)*</th>", "<td></td>"),
    # A list of references is a list; doc-biblioentry is deprecated.
    (r'role="doc-biblioentry"', 'role="listitem"'),
)


def repair(text):
    """Return the page with every known fault of the theme repaired."""
    for pattern, replacement in REPAIRS:
        text = re.sub(pattern, replacement, text)
    return text


def repair_pages(app, exception):
    """Repair every page that was written."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        if "_static" in path.relative_to(app.outdir).parts:
            continue
        before = path.read_text(encoding="utf-8")
        after = repair(before)
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")


def require_descriptions(app, doctree):
    """Warn, which fails the build, of a picture whose alternative text says nothing."""
    for image in doctree.findall(nodes.image):
        alt, name = image.get("alt", "").strip(), Path(image["uri"]).name
        if not alt or alt.endswith(name):
            logger.warning(
                "picture %s has no alternative text: in a notebook set the cell's "
                'metadata "mystnb": {"image": {"alt": "..."}}',
                name,
                location=image,
            )


def setup(app):
    """Register the repairs and the rule."""
    app.connect("doctree-read", require_descriptions)
    app.connect("build-finished", repair_pages)
