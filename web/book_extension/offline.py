"""Serve the mathematics from the site: no page loads anything from elsewhere."""

import shutil
from importlib.util import find_spec
from pathlib import Path

# sphinx-mathjax-offline carries MathJax 3 (24 MB); a page needs these 2 MB of it.
CARRIER = "sphinx-mathjax-offline"
NEEDED = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")
TARGET = "_static/mathjax"


def copy_mathjax(app, exception):
    """Copy the part of MathJax that pages load.

    After the build, since the builder would link every script that it finds in
    ``_static`` from every page.
    """
    if exception or app.builder.format != "html":
        return
    source = Path(find_spec(CARRIER).origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / TARGET
    for name in NEEDED:
        if (target / name).exists():
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        else:
            shutil.copy2(source / name, target / name)


def setup(app):
    """Point Sphinx at the local copy and make it."""
    # Jupyter Book sets this for an extension that the book does not load.
    app.add_config_value("comments_config", {}, "env")
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("build-finished", copy_mathjax)
