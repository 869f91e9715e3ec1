"""What an exercise is: a question, its solution, and the mistakes people make."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# What a verdict begins with; the site knows verdicts among other outputs by it.
OPENINGS = RIGHT, NOT_YET, BLANK = "Right: ", "Not yet: ", "Not answered yet: "


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people really give, and what to tell them.

    Parameters
    ----------
    name : str
        Short name, unique within the exercise.
    message : str
        What went wrong and where to look, in one or two sentences.
    answer : object, optional
        The answer of someone who makes this mistake. It is recognised because it
        gives the reader's values on every case.
    recognise : callable, optional
        In the place of `answer`: ``recognise(inputs, got, expected)`` says for one case
        that came out wrong whether this mistake explains the value `got`.
    """

    name: str
    message: str
    answer: Any = None
    recognise: Callable | None = None

    def __post_init__(self):
        """Refuse a mistake that could never, or twice, be recognised."""
        if (self.answer is None) == (self.recognise is None):
            raise ValueError(
                f"mistake {self.name!r} needs answer= or recognise=, and not both"
            )


@dataclass(frozen=True)
class Exercise:
    """A question, its solution, and the inputs on which an answer is tried.

    Parameters
    ----------
    name : str
        Name that ``check`` is given, unique in the book.
    question : str
        The question in one sentence.
    solution : object
        A function, a class, or (for a question without code) a value.
    cases : sequence of tuple
        One tuple of arguments for each trial of a function. Answers get deep copies.
    mistakes : sequence of Mistake
        Known wrong answers; the first one that fits is reported.
    praise : str, optional
        What is said of a right answer.
    rtol, atol : float, default=1e-5, 1e-6
        Tolerances of floating-point values.
    check_dtype : bool, default=True
        Whether float64 in the place of float32 is a fault.
    use : callable, optional
        ``use(answer, *inputs)`` computes the value that is compared, if that is more
        than ``answer(*inputs)``: for answers that are classes.
    """

    name: str
    question: str
    solution: Any
    cases: Sequence[tuple] = ()
    mistakes: Sequence[Mistake] = ()
    praise: str = "your answer gives the expected values on every input tried."
    rtol: float = 1e-5
    atol: float = 1e-6
    check_dtype: bool = True
    use: Callable | None = None

    def __post_init__(self):
        """Refuse an exercise on which every answer would pass."""
        if callable(self.solution) and not self.cases:
            raise ValueError(f"exercise {self.name!r} has no cases to try answers on")
        names = [mistake.name for mistake in self.mistakes]
        if len(set(names)) < len(names):
            raise ValueError(f"exercise {self.name!r} names a mistake twice: {names}")


@dataclass(frozen=True)
class Verdict:
    """What `check` says: whether the answer is right, and what to do if it is not.

    Parameters
    ----------
    passed : bool
        Whether the answer is right; also the truth value of the verdict.
    message : str
        What is said to the reader.
    mistake : str, optional
        Name of the known mistake that was recognised.
    """

    passed: bool
    message: str
    mistake: str | None = None

    def __bool__(self):
        """Return whether the answer is right."""
        return self.passed

    def __repr__(self):
        """Return the message in lines that fit on a page."""
        return textwrap.fill(self.message, 79)
