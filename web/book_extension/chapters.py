"""What is known of each chapter: read from its notebook, never typed elsewhere."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from reading_time import reading_minutes

BUILDS = re.compile(r"^\*\*You build\*\* (.+?[^\d])(?:\. |\.?\n\n|\.?\Z)", re.M | re.S)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Chapter:
    """One notebook of the book.

    Parameters
    ----------
    docname : str
        Path without its ending, as in the table of contents.
    number : int
        From the file name.
    title : str
        The notebook's first heading.
    builds : str
        What the reader will have built at its end, the first sentence of it in
        Markdown; empty if the chapter does not say.
    reading_minutes : int
        From its words and lines of code.
    exercises : int
        How many it sets.
    run_seconds : float or None
        As measured when it was last executed.
    """

    docname: str
    number: int
    title: str
    builds: str
    reading_minutes: int
    exercises: int
    run_seconds: float | None


@dataclass(frozen=True)
class Part:
    """A part of the book: its caption, and its chapters in order."""

    caption: str
    chapters: tuple


def chapter_number(docname):
    """Return the number that the file name of a chapter starts with, or None."""
    match = re.match(r"(\d+)-", docname.rsplit("/", 1)[-1])
    return int(match[1]) if match else None


def read_chapter(source_folder, docname):
    """Read one notebook and return its Chapter."""
    path = Path(source_folder) / f"{docname}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    prose, code = (
        ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == kind]
        for kind in ("markdown", "code")
    )
    text = "\n".join(prose)
    title = re.search(r"^# +(.+?) *$", text, re.MULTILINE)
    builds = BUILDS.search(text)
    return Chapter(
        docname=docname,
        number=chapter_number(docname),
        title=title[1] if title else docname,
        builds=LINK.sub(r"\1", " ".join(builds[1].split())) if builds else "",
        reading_minutes=reading_minutes(prose, code),
        exercises=len(re.findall(r"^[`:]{3,}\{exercise(?:-start)?\}", text, re.M)),
        run_seconds=notebook["metadata"].get("bertbook", {}).get("run_seconds"),
    )


def read_parts(source_folder):
    """Return the parts of the book that hold chapters, in the order of its contents."""
    toc = yaml.safe_load((Path(source_folder) / "_toc.yml").read_text("utf-8"))
    parts = []
    for part in toc.get("parts", []):
        names = [entry["file"] for entry in part["chapters"] if "file" in entry]
        chapters = tuple(
            read_chapter(source_folder, name)
            for name in names
            if chapter_number(name) is not None
        )
        if chapters:
            parts.append(Part(part["caption"], chapters))
    return parts
