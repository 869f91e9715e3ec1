"""Replace files whole or not at all.

What is written first gets a name of its own; only when it is complete does it take
the place of what was there. A crash in between leaves the former file.
"""

import os
import secrets
import shutil
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

__all__ = ["replacing", "replacing_files"]


@contextmanager
def replacing(path):
    """Write a file that takes the place of `path` only if all goes well.

    Parameters
    ----------
    path : path-like

    Yields
    ------
    file
        Open for writing bytes, in the same folder under another name.
    """
    path = Path(path)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the contents must be safe before the name is
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


@contextmanager
def replacing_files(folder):
    """Write several files that take their places only if all goes well.

    Parameters
    ----------
    folder : path-like
        Made if it is not there. Files of other names in it are left alone.

    Yields
    ------
    Path
        An empty folder. What is written to it is moved to `folder` at the end;
        if anything fails, every file of `folder` is as it was. Only one may write
        to `folder` at a time.

    Raises
    ------
    IsADirectoryError
        If a folder stands where a file should go.
    """
    folder = Path(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder))
    former = Path(tempfile.mkdtemp(prefix=".former-", dir=folder))
    try:
        yield draft
        _swap(draft, folder, former)
        shutil.rmtree(former, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        with suppress(OSError):
            former.rmdir()  # only if empty: never a file that could not be put back
        if is_new:
            with suppress(OSError):
                folder.rmdir()  # only if empty: nothing was put into it


def _swap(draft, folder, former):
    """Move all files of `draft` to `folder`, and those they replace to `former`."""
    with ExitStack() as undo:
        for new in sorted(draft.iterdir()):
            target, kept = folder / new.name, former / new.name
            if target.is_dir():
                raise IsADirectoryError(
                    f"{target} is a folder, expected a file or nothing; move it away"
                )
            if target.exists():
                undo.callback(_put_back, kept, target)
                os.replace(target, kept)
            else:
                undo.callback(target.unlink, missing_ok=True)
            os.replace(new, target)
        undo.pop_all()  # everything is in its place: there is nothing to undo


def _put_back(kept, target):
    """Undo the move of a former file, if it was moved."""
    if kept.exists():
        os.replace(kept, target)
