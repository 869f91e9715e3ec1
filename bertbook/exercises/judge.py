"""Judge a reader's answer: right, not answered, or which known mistake it makes."""

import copy
import inspect

from bertbook.exercises.compare import find_difference, find_dtype_difference, show
from bertbook.exercises.exercise import BLANK, NOT_YET, RIGHT, Verdict
from bertbook.exercises.trial import cases_of, name_error, run, solve

UNANSWERED = "replace the three dots or the `raise` by your own code, and run it again."


def judge(exercise, answer):
    """Return the verdict on an answer; an answer may do anything but hang.

    Parameters
    ----------
    exercise : Exercise
        What was asked.
    answer : object
        What the reader gives: a function, or a value where a value was asked for.

    Returns
    -------
    Verdict
        Never an exception, save the reader's own KeyboardInterrupt.
    """
    expected = [solve(exercise, inputs) for inputs in cases_of(exercise)]
    try:
        return _judge(exercise, answer, expected)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object that fights back when it is compared
        return _not_yet(
            f"what your answer gives cannot be compared: {name_error(error)}."
        )


def _judge(exercise, answer, expected):
    """Return the verdict on an answer, given the expected values."""
    if _is_blank(answer):
        return Verdict(False, f"{BLANK}{UNANSWERED}")
    if problem := _misfit(exercise, answer):
        return _not_yet(problem)
    outcomes = [run(exercise, answer, inputs) for inputs in cases_of(exercise)]
    for outcome in outcomes:
        if isinstance(outcome.error, NotImplementedError) or outcome.value is ...:
            return Verdict(False, f"{BLANK}{UNANSWERED}")
    problems = [
        _value_problem(exercise, o, e) for o, e in zip(outcomes, expected, strict=True)
    ]
    if not any(problems):
        problems = [
            _side_problem(exercise, inputs, o, e)
            for inputs, o, e in zip(cases_of(exercise), outcomes, expected, strict=True)
        ]
    if not any(problems):
        return Verdict(True, f"{RIGHT}{exercise.praise}")
    for mistake in exercise.mistakes:
        if _explains(exercise, mistake, outcomes, expected, problems):
            return _not_yet(mistake.message, mistake.name)
    k = next(k for k, problem in enumerate(problems) if problem)
    return _not_yet(_with_input(exercise, k, problems[k]))


def _is_blank(answer):
    """Return whether the starter was left as it was."""
    return answer is None or answer is ...


def _misfit(exercise, answer):
    """Return why an answer cannot be tried at all, or None."""
    if not callable(exercise.solution):
        if callable(answer):
            return "give the value itself, not a function or a class."
        return None
    if not callable(answer):
        return f"give the function itself, without calling it; this is {show(answer)}."
    if exercise.use:
        return None
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):  # built-in functions may have none
        return None
    try:
        signature.bind(*exercise.cases[0])
    except TypeError:
        wanted = inspect.signature(exercise.solution)
        return f"your function takes {signature}, but it is called as {wanted}."
    return None


def _value_problem(exercise, outcome, expected):
    """Return what is wrong with the value of a run, or None."""
    if outcome.error is not None:
        return f"it raises {name_error(outcome.error)}"
    if outcome.value is None and expected is not None:
        return "it gives None: does your function end with `return`?"
    if inspect.isgenerator(outcome.value):
        return "it gives a generator: use `return`, not `yield`"
    found = find_difference(
        outcome.value, expected, rtol=exercise.rtol, atol=exercise.atol
    )
    return found and f"it gives {found}"


def _side_problem(exercise, inputs, outcome, expected):
    """Return what is wrong apart from the value, or None."""
    if outcome.changed:
        name = _argument_names(exercise, inputs)[outcome.changed[0]]
        return (
            f"the value is right, but your function changes its input {name}, which "
            "belongs to the caller: make a new array"
        )
    found = exercise.check_dtype and find_dtype_difference(outcome.value, expected)
    if not found:
        return None
    return (
        f"the values are right, but the dtype is {found}: look for a constant or an "
        "array that is not of the dtype of the input"
    )


def _explains(exercise, mistake, outcomes, expected, problems):
    """Return whether a known mistake gives just what the answer gave."""
    if mistake.recognise:
        rows = zip(cases_of(exercise), outcomes, expected, problems, strict=True)
        return all(
            o.error is None and _recognises(mistake, inputs, o.value, e)
            for inputs, o, e, problem in rows
            if problem
        )
    simulated = [run(exercise, mistake.answer, inputs) for inputs in cases_of(exercise)]
    value_is_right = not any(
        _value_problem(exercise, s, e) for s, e in zip(simulated, expected, strict=True)
    )
    return all(
        _agree(exercise, o, s, value_is_right)
        for o, s in zip(outcomes, simulated, strict=True)
    )


def _recognises(mistake, inputs, got, expected):
    """Return what the mistake's own test says; no for values that it cannot take."""
    try:
        return bool(mistake.recognise(copy.deepcopy(inputs), got, expected))
    except Exception:
        return False


def _agree(exercise, outcome, simulated, side_effects):
    """Return whether two runs gave the same; dtype and inputs too if asked for."""
    if outcome.error is not None or simulated.error is not None:
        return type(outcome.error) is type(simulated.error)
    tolerance = {"rtol": exercise.rtol, "atol": exercise.atol}
    if find_difference(outcome.value, simulated.value, **tolerance):
        return False
    if not side_effects:
        return True
    same_dtype = not find_dtype_difference(outcome.value, simulated.value)
    return same_dtype and outcome.changed == simulated.changed


def _with_input(exercise, k, problem):
    """Return a sentence that says on which input an answer goes wrong."""
    if not callable(exercise.solution):
        return f"{problem}."
    inputs = exercise.cases[k]
    names = _argument_names(exercise, inputs)
    shown = ", ".join(f"{n} = {show(v)}" for n, v in zip(names, inputs, strict=True))
    end = "" if problem.endswith(("?", ".")) else "."
    return f"called with {shown}, {problem}{end}" if shown else f"{problem}{end}"


def _argument_names(exercise, inputs):
    """Return the names of the arguments, as the solution calls them."""
    if exercise.use:
        names = list(inspect.signature(exercise.use).parameters)[1:]
    else:
        names = list(inspect.signature(exercise.solution).parameters)
    names += [f"argument {k + 1}" for k in range(len(names), len(inputs))]
    return names[: len(inputs)]


def _not_yet(message, mistake=None):
    """Return the verdict on a wrong answer."""
    return Verdict(False, f"{NOT_YET}{message}", mistake)
