"""Compare the outputs of a notebook cell with the stored ones.

Text is split into numbers and what stands between them. What stands between must be
the same; integers must be equal; numbers with a point or an exponent must be close.
Pictures are compared pixel by pixel if the same matplotlib drew both, and as
thumbnails otherwise.
"""

import base64
import io
import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from PIL import Image

# Not part of a word or of a version number: float32 and 1.0.4 are no numbers here.
NUMBER = re.compile(
    r"""(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?""", re.VERBOSE
)
MAX_FLOOR = 1e-3  # the last printed digit may move only from the third decimal on
NOISE = 1e-5  # what float32 arithmetic may leave where exact arithmetic gives zero
PIXEL_STEP, PIXEL_SHARE = 16, 1e-4
THUMBNAIL, THUMBNAIL_RMS, SIZE_STEP = (64, 48), 8.0, 3


@dataclass(frozen=True)
class Tolerance:
    """How far two numbers may lie apart."""

    rtol: float = 1e-3
    atol: float = 0.0

    @classmethod
    def from_tags(cls, tags):
        """Read ``rtol:1e-2``, ``atol:1e-6`` and ``noise`` from the tags of a cell."""
        values = {}
        for tag in tags:
            key, _, value = tag.replace("=", ":").partition(":")
            if key in ("rtol", "atol"):
                values[key] = float(value)
            elif tag == "noise":
                values["atol"] = NOISE
        return cls(**values)

    def allows(self, stored, new):
        """Return whether two printed numbers agree."""
        kinds = {bool(re.search(r"[.eE]", text)) for text in (stored, new)}
        if kinds == {False}:
            return int(stored) == int(new)
        if len(kinds) == 2:  # 1 and 1.0: the dtype changed
            return False
        a, b = float(stored), float(new)
        floor = min(last_place(stored), last_place(new))
        # 1e-9: 0.1235 - 0.1234 is slightly more than 0.0001 in binary
        limit = max(self.rtol * max(abs(a), abs(b)), self.atol, floor) * (1 + 1e-9)
        return abs(a - b) <= limit


def last_place(text):
    """Return the size of one step in the last printed digit, limited by MAX_FLOOR."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return min(10.0**-decimals, MAX_FLOOR) * 10.0 ** int(exponent or 0)


def differences(stored, new, tolerance):
    """List the differences between two lists of outputs, in words."""
    stored, new = by_kind(stored), by_kind(new)
    found = []
    for kind in sorted(stored.keys() | new.keys()):
        a, b = stored[kind], new[kind]
        if len(a) != len(b):
            found.append(
                f"{kind}: {len(a)} stored, {len(b)} now\n  {a!r:.500}\n  {b!r:.500}"
            )
            continue
        compare = compare_pictures if kind in PICTURES else compare_texts
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            if problem := compare(x, y, tolerance):
                found.append(f"{kind} {k}: {problem}")
    return found


PICTURES = ("image/png", "image/jpeg")


def by_kind(outputs):
    """Sort the contents of outputs by stream name, MIME type or part of an error."""
    contents = defaultdict(list)
    for output in outputs:
        if output.output_type == "stream":
            contents[output.name].append(output.text)
        elif output.output_type == "error":
            contents["error"].append(f"{output.ename}: {output.evalue}")
        else:
            for mime, data in output.data.items():
                contents[mime].append(data)
    return contents


def compare_texts(stored, new, tolerance):
    """Return what differs between two texts, or None."""
    if not (isinstance(stored, str) and isinstance(new, str)):
        return None if stored == new else f"stored {stored!r:.500}, now {new!r:.500}"
    a, b = NUMBER.findall(stored), NUMBER.findall(new)
    between_a, between_b = NUMBER.split(stored), NUMBER.split(new)
    if len(a) == len(b) and [len(x) for x in a] != [len(y) for y in b]:
        between_a, between_b = squeeze(between_a), squeeze(between_b)
    if between_a != between_b:
        return f"other text\n  stored {stored!r:.1000}\n  now    {new!r:.1000}"
    wrong = [(x, y) for x, y in zip(a, b, strict=True) if not tolerance.allows(x, y)]
    if wrong:
        shown = ", ".join(f"{x} -> {y}" for x, y in wrong[:8])
        return f"{len(wrong)} of {len(a)} numbers differ: {shown}\n{stored:.1000}"
    return None


def squeeze(pieces):
    """Make the white space beside numbers independent of how wide numbers are.

    A number that became wider or narrower moves its neighbours: the blanks beside a
    number are then one blank, or none after an opening and before a closing bracket.
    """
    squeezed = []
    for k, piece in enumerate(pieces):
        if k > 0:
            piece = re.sub(r"^\s+", " ", piece)
            piece = re.sub(r"^ (?=[\])}]|$)", "", piece) if piece.strip() else " "
        if k < len(pieces) - 1:
            piece = re.sub(r"\s+$", " ", piece)
            piece = re.sub(r"(?<=[\[({]) $", "", piece)
        squeezed.append(piece)
    return squeezed


def compare_pictures(stored, new, _tolerance=None):
    """Return what differs between two base64 pictures, or None."""
    if stored.strip() == new.strip():
        return None
    (a, drawn_by_a), (b, drawn_by_b) = load_picture(stored), load_picture(new)
    if drawn_by_a == drawn_by_b:
        return compare_pixels(a, b)
    if max(abs(a.width - b.width), abs(a.height - b.height)) > SIZE_STEP:
        return f"size {a.size} stored, {b.size} now"
    thumbs = [
        np.asarray(i.resize(THUMBNAIL, Image.Resampling.BOX), float) for i in (a, b)
    ]
    rms = float(np.sqrt(np.mean((thumbs[0] - thumbs[1]) ** 2)))
    return f"rms of thumbnails {rms:.1f} of 255" if rms > THUMBNAIL_RMS else None


def compare_pixels(a, b):
    """Return what differs between two pictures of the same matplotlib, or None."""
    if a.size != b.size:
        return f"size {a.size} stored, {b.size} now"
    step = np.abs(np.asarray(a, int) - np.asarray(b, int)).max(axis=-1)
    far = step > PIXEL_STEP
    return (
        f"{far.sum()} of {far.size} pixels differ" if far.mean() > PIXEL_SHARE else None
    )


def load_picture(data):
    """Return a picture in RGB and the name of the program that drew it."""
    picture = Image.open(io.BytesIO(base64.b64decode(data)))
    return picture.convert("RGB"), picture.info.get("Software")
