"""Run an answer on the inputs of an exercise, whatever the answer does."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertbook.exercises.compare import find_difference


@dataclass(frozen=True)
class Outcome:
    """What one run of an answer gave: a value or an error, and inputs it changed."""

    value: Any = None
    error: BaseException | None = None
    changed: tuple = ()


def cases_of(exercise):
    """Return the cases; a question for a value has one case without inputs."""
    return exercise.cases if callable(exercise.solution) else [()]


def _use(exercise, answer, inputs):
    """Return the value of an answer on some inputs."""
    if not callable(exercise.solution):
        return answer
    return exercise.use(answer, *inputs) if exercise.use else answer(*inputs)


def solve(exercise, inputs):
    """Return the expected value."""
    with np.errstate(all="ignore"):
        return _use(exercise, exercise.solution, copy.deepcopy(inputs))


def run(exercise, answer, inputs):
    """Run an answer on copies of the inputs, whatever it does."""
    given = copy.deepcopy(inputs)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _use(exercise, answer, given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: a cell should not end the kernel
        return Outcome(error=error.with_traceback(None))
    changed = tuple(
        k for k, (a, b) in enumerate(zip(given, inputs, strict=True)) if _changed(a, b)
    )
    return Outcome(_detach(value), None, changed)


def _detach(value):
    """Return a copy of a value where it can be copied: later calls may reuse it."""
    try:
        return copy.deepcopy(value)
    except Exception:  # generators, modules, locks
        return value


def _changed(given, original):
    """Return whether an input is no longer what it was."""
    if isinstance(original, np.ndarray):
        return given.shape != original.shape or given.tobytes() != original.tobytes()
    if isinstance(original, list | dict | set):
        return find_difference(given, original, rtol=0, atol=0) is not None
    return False


def name_error(error):
    """Return the type and the text of an error."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}{': ' if text else ''}{text[:200]}"
