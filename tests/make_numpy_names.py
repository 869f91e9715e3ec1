"""List the NumPy functions of chapter 11: those whose summary has not changed.

Run it once with each NumPy, then with the files that came out::

    python tests/make_numpy_names.py summaries-2.0.json     (NumPy 2.0)
    python tests/make_numpy_names.py summaries-2.4.json     (NumPy 2.4)
    python tests/make_numpy_names.py --common summaries-*.json

The last one prints the names that have the same summary in all files. Of several
functions with the same summary one is kept: in NumPy itself rather than in a module
of it, under its own name rather than an alias, the first by the alphabet.
"""

import inspect
import json
import re
import sys
from pathlib import Path

import numpy as np

MODULES = {
    "": np,
    "linalg.": np.linalg,
    "fft.": np.fft,
    "strings.": np.strings,
    "random.Generator.": np.random.Generator,
}
# Functions of their own that share a summary with one that is better known.
LESS_KNOWN = {
    "amax", "amin", "deg2rad", "float_power", "fmax", "fmin", "fmod", "permute_dims",
    "rad2deg", "row_stack",
}  # fmt: skip


def summary_of_object(item):
    """Return the first paragraph of a docstring that is no call signature."""
    paragraphs = (inspect.getdoc(item) or "").split("\n\n")
    while paragraphs and re.fullmatch(r"[\w.]+\(.*\)", paragraphs[0], re.DOTALL):
        paragraphs.pop(0)
    return " ".join(paragraphs[0].split()) if paragraphs else ""


def find_summaries():
    """Return {name: (summary, whether this is the function's own name)}."""
    found = {}
    for prefix, holder in MODULES.items():
        for name in sorted(getattr(holder, "__all__", dir(holder))):
            item = getattr(holder, name, None)
            if callable(item) and not isinstance(item, type) and name[0] != "_":
                own = getattr(item, "__name__", "") == name
                found[prefix + name] = (summary_of_object(item), own)
    found.pop("test", None)
    return found


def common_names(files):
    """Return the names whose summary is the same in all files, without doubles."""
    first, *others = files
    same = [n for n in first if all(f.get(n, [""])[0] == first[n][0] for f in others)]
    same.sort(key=lambda n: (n.count("."), n in LESS_KNOWN, not first[n][1], n))
    kept = {}
    for name in same:
        if first[name][0]:
            kept.setdefault(first[name][0], name)
    return sorted(kept.values())


if __name__ == "__main__":
    if sys.argv[1] == "--common":
        files = [json.loads(Path(name).read_text("utf-8")) for name in sys.argv[2:]]
        print(json.dumps(common_names(files)))
    else:
        Path(sys.argv[1]).write_text(json.dumps(find_summaries()), "utf-8")
