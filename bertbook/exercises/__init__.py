"""Check a reader's answers to the exercises of the book.

``check("name", answer)`` tries an answer on several inputs. If it is wrong, the check
simulates the mistakes that people are known to make here and says which of them gives
the reader's values.

Each chapter has a module ``chapter_NN`` that registers its exercises; it is imported
at the first check.
"""

import difflib
import importlib
import pkgutil

from bertbook.exercises.exercise import Exercise, Mistake, Verdict
from bertbook.exercises.judge import judge

__all__ = ["Exercise", "Mistake", "Verdict", "check", "load_exercises", "register"]

_registry = {}


def register(exercise):
    """Add an exercise to those that `check` knows.

    Parameters
    ----------
    exercise : Exercise
        Its name must be new.

    Raises
    ------
    ValueError
        If another exercise has this name.
    """
    if exercise.name in _registry:
        raise ValueError(
            f"an exercise named {exercise.name!r} is registered already; "
            "choose another name"
        )
    _registry[exercise.name] = exercise


def load_exercises():
    """Import the exercises of all chapters.

    Returns
    -------
    dict of str to Exercise
        A copy of the registry.
    """
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("chapter_"):
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(_registry)


def check(name, answer):
    """Say whether an answer is right, and if it is not, what went wrong.

    Parameters
    ----------
    name : str
        Name of the exercise, as its starter cell gives it.
    answer : object
        The reader's function (itself, not called), or a value where one was asked for.

    Returns
    -------
    Verdict
        True if the answer is right; its text is for the reader.

    Raises
    ------
    ValueError
        If there is no exercise of this name.
    TypeError
        If the name and the answer have changed places.
    """
    exercises = load_exercises()
    if isinstance(answer, str) and answer in exercises and not isinstance(name, str):
        raise TypeError(
            f"got the answer first, expected the name; write check({answer!r}, ...)"
        )
    if name not in exercises:
        near = difflib.get_close_matches(str(name), exercises, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(
            f"got the exercise name {name!r}, expected one of {len(exercises)} known "
            f"names{hint or ', as in the starter cell of the exercise'}"
        )
    return judge(exercises[name], answer)
