"""Cells for the test of strict nbval: what runs, how the output is spoilt."""

import copy

FIGURE = (
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"
    "ax.plot([0, {height}, 1])\nplt.show()"
)
HTML = (
    "class Page:\n    def __repr__(self):\n        return 'page'\n"
    "    def _repr_html_(self):\n        return '<b>0.5123</b> of 8'\nPage()"
)


def replace_text(old, new):
    """Return a change of the stored texts of a cell."""

    def change(cell, _cells):
        changed = 0
        for output in cell.outputs:
            if output.output_type == "stream":
                changed += old in output.text
                output.text = output.text.replace(old, new)
            for mime, data in output.get("data", {}).items():
                changed += old in data
                output.data[mime] = data.replace(old, new)
        if not changed:
            raise ValueError(f"{old!r} is not stored")

    return change


def drop_outputs(cell, _cells):
    """Forget what the cell gave."""
    cell.outputs = []


def drop_picture(cell, _cells):
    """Keep the text of a picture and forget the picture."""
    del cell.outputs[0].data["image/png"]


def swap_picture(cell, cells):
    """Store the picture of the other drawing cell."""
    for other in cells:
        if other is not cell and "plt.show" in other.source:
            cell.outputs = copy.deepcopy(other.outputs)
            return
    raise ValueError("there is no other picture")


def set_source(source):
    """Return a change of the code under a stored output."""
    return lambda cell, _cells: cell.update(source=source)


# name, source, tags, change of what is stored (None: nothing is changed)
GREEN = [
    ("untouched", "print(0.5123, (2, 8))", [], None),
    ("picture", FIGURE.format(height=1), [], None),
    ("announced error", "1 / 0", ["raises-exception"], None),
    ("history", "1 + 1;", [], None),
    ("last digit within rtol", "0.51234", [], replace_text("0.51234", "0.51237")),
    ("wider number", "[0.5, -0.25]", [], replace_text("0.5", "0.5001")),
    ("loose tag", "0.5", ["rtol:1e-2"], replace_text("0.5", "0.504")),
    ("noise", "1.2e-07", ["noise"], replace_text("1.2e-07", "-3.1e-08")),
    ("html within rtol", HTML, [], replace_text("0.5123", "0.5124")),
]
RED = [
    ("changed digit", "0.51234", [], replace_text("0.51234", "0.52234")),
    ("changed last digit of few", "0.5", [], replace_text("0.5", "0.6")),
    ("changed integer", "109482240", [], replace_text("109482240", "109482241")),
    ("missing output", "print(1)", [], drop_outputs),
    ("missing value", "3 + 4", [], drop_outputs),
    ("swapped shape", "print((2, 8))", [], replace_text("(2, 8)", "(8, 2)")),
    ("changed dtype", "1.0", [], replace_text("1.0", "1")),
    ("changed word", "print('same')", [], replace_text("same", "other")),
    ("appeared nan", "print(0.5)", [], replace_text("0.5", "nan")),
    ("changed html", HTML, [], replace_text("of 8", "of 9")),
    ("swapped picture", FIGURE.format(height=3), [], swap_picture),
    ("missing picture", FIGURE.format(height=2), [], drop_picture),
    (
        "new stderr",
        "1",
        [],
        set_source("import sys\nprint('careful', file=sys.stderr)\n1"),
    ),
    ("raises no more", "1 / 0", ["raises-exception"], set_source("1 / 1")),
    ("other error", "1 / 0", ["raises-exception"], set_source("int('a')")),
    ("noise without tag", "1.2e-07", [], replace_text("1.2e-07", "3.1e-08")),
]
