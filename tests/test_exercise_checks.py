"""The machinery of the exercises, whatever a reader hands in."""

import dataclasses
import re
import warnings

import numpy as np
import pytest
from exercise_demo import CLASS, COUNT, LARGE, SMALL, SOFTMAX, Doubler, softmax
from hostile_answers import (
    Hostile,
    HostileDict,
    fill_input,
    leave,
    raise_broken,
    recurse,
    warn,
)

import bertbook.exercises as exercises
from bertbook.exercises import Exercise, Mistake, check, register
from bertbook.exercises.compare import find_difference
from bertbook.exercises.judge import judge


def test_a_right_answer_is_praised():
    verdict = judge(SOFTMAX, lambda x: np.exp(x - x.max(-1)[:, None]) / softmax_sum(x))
    assert verdict
    assert repr(verdict) == "Right: rows sum to one, however large the scores."


def softmax_sum(x):
    return np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)


def test_a_right_answer_may_compute_in_another_way():
    def answer(x):
        return np.stack([np.exp(r - r.max()) / np.exp(r - r.max()).sum() for r in x])

    assert judge(SOFTMAX, answer).passed


@pytest.mark.parametrize("mistake", SOFTMAX.mistakes[:3], ids=lambda m: m.name)
def test_a_simulated_mistake_is_recognised(mistake):
    verdict = judge(SOFTMAX, mistake.answer)
    assert (verdict.passed, verdict.mistake) == (False, mistake.name)
    assert verdict.message == f"Not yet: {mistake.message}"


def test_a_mistake_may_be_recognised_by_a_property():
    assert judge(SOFTMAX, lambda x: 2 * softmax(x)).mistake == "double"


def test_a_mistake_is_recognised_in_another_dtype_too():
    def answer(x):
        exps = np.exp(x.astype(np.float64) - x.max())
        return exps / exps.sum()

    assert judge(SOFTMAX, answer).mistake == "whole array"


GENERAL = [
    (lambda x: None, r"gives None: does your function end with `return`\?$"),
    (lambda x: 1 / 0, "raises ZeroDivisionError: division by zero"),
    (raise_broken, r"raises Broken\.$"),
    (recurse, "raises RecursionError"),
    (leave, "raises SystemExit: 3"),
    (lambda x: softmax(x).tolist(), "a list where a NumPy array is expected"),
    (lambda x: softmax(x)[0, 0], "the number 0.09003 where a NumPy array"),
    (lambda x: softmax(x).astype(object), "dtype object where numbers"),
    (lambda x: softmax(x).astype(str), "dtype <U32 where numbers"),
    (lambda x: (row for row in softmax(x)), "generator: use `return`, not `yield`"),
    (lambda x: np.ma.masked_all(x.shape, x.dtype), "a masked array where a plain one"),
    (lambda x: softmax(x)[:, :1], r"shape \(2, 1\) where \(2, 3\) is expected"),
    (lambda x: softmax(x) * np.nan, r"NaN .* at index \(0, 0\) and in 6 of 6 places"),
    (lambda x: softmax(x) + 0.01, r"0.1 at index \(0, 0\), expected 0.09003 \(6 of 6"),
    (warn, "1.09 at index"),
    (lambda x: softmax(x).astype(np.float64), "float64 where float32 is expected"),
    (fill_input, "changes its input x, which belongs to the caller"),
    (lambda x, y: x, r"takes \(x, y\), but it is called as \(x\)"),
    (lambda: 1, r"takes \(\), but it is called as \(x\)"),
    (SMALL, "give the function itself, without calling it"),
    (Hostile(), "give the function itself, without calling it; this is an object"),
    (lambda x: Hostile(), "a Hostile where a NumPy array is expected"),
    (lambda x: {"a": 1}, "a dict where a NumPy array is expected"),
    (print, "gives None"),
    (max, "raises ValueError: The truth value of an array"),
]


@pytest.mark.parametrize(("answer", "message"), GENERAL, ids=range(len(GENERAL)))
def test_any_other_wrong_answer_is_told_what_is_wrong(answer, message):
    unknown = dataclasses.replace(SOFTMAX, mistakes=SOFTMAX.mistakes[3:])
    verdict = judge(unknown, answer)
    assert (verdict.passed, verdict.mistake) == (False, None)
    assert verdict.message.startswith("Not yet: ")
    assert re.search(message, verdict.message)


def test_a_mistake_of_dtype_does_not_hide_that_the_input_was_changed():
    def promote(x):
        return softmax(x).astype(np.float64)

    def promote_and_fill(x):
        return fill_input(x).astype(np.float64)

    mistake = Mistake("float64", "the result is float64.", promote)
    exercise = dataclasses.replace(SOFTMAX, mistakes=[mistake])
    assert judge(exercise, promote).mistake == "float64"
    assert "changes its input" in judge(exercise, promote_and_fill).message


def test_the_message_names_the_input():
    message = judge(SOFTMAX, lambda x: np.where(x > 900, -1, softmax(x))).message
    assert "called with x = [[1000., 0.], [ -5., 995.]], it gives -1 at" in message


def unanswered(x):
    raise NotImplementedError


@pytest.mark.parametrize("answer", [..., None, unanswered, lambda x: ...], ids=range(4))
def test_a_starter_left_alone_is_not_called_wrong(answer):
    verdict = judge(SOFTMAX, answer)
    assert not verdict
    assert verdict.message.startswith("Not answered yet: ")


def test_answers_get_copies_of_the_inputs():
    before = SMALL.copy(), LARGE.copy()
    judge(SOFTMAX, fill_input)
    np.testing.assert_array_equal(SMALL, before[0])
    np.testing.assert_array_equal(LARGE, before[1])


def test_an_answer_that_reuses_one_buffer_is_judged_by_each_value():
    buffer = {}

    def answer(x):
        out = buffer.setdefault("out", np.zeros((2, 3), np.float32))
        out[:, : x.shape[1]] = softmax(x)
        return out[:, : x.shape[1]]

    assert judge(SOFTMAX, answer).passed


def test_settings_that_an_answer_changes_are_restored():
    def answer(x):
        np.seterr(invalid="raise")
        warnings.simplefilter("error")
        return softmax(x)

    errors, filters = np.geterr(), list(warnings.filters)
    assert judge(SOFTMAX, answer).passed
    assert (np.geterr(), list(warnings.filters)) == (errors, filters)


def test_the_readers_own_interrupt_is_not_swallowed():
    def answer(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(SOFTMAX, answer)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (24, "Right: "),
        (np.int64(24), "Right: "),
        (np.array(24), "Right: "),
        (10, "Not yet: the sides are multiplied"),
        (25, "Not yet: it gives 25, expected 24."),
        (24.0, "Not yet: it gives 24 as a float where the integer 24"),
        ("24", "Not yet: it gives a text where one number"),
        (float("nan"), "Not yet: it gives NaN"),
        ([24], "Not yet: it gives a list where one number"),
        (lambda: 24, "Not yet: give the value itself"),
        (Hostile(), "Not yet: it gives a Hostile"),
        (..., "Not answered yet: "),
        (None, "Not answered yet: "),
    ],
    ids=range(13),
)
def test_answers_may_be_values(answer, message):
    assert judge(COUNT, answer).message.startswith(message)


def doubler_with(**changes):
    class Answer(Doubler):
        def __call__(self, x):
            return {**super().__call__(x), **changes}

    return Answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Doubler, "Right: "),
        (doubler_with(name="other"), "under 'name': 'other', expected 'doubler'"),
        (doubler_with(parts=(1, 2, 3)), "under 'parts': 3 values where 2"),
        (doubler_with(parts=(np.arange(4), 2)), "as value 1: 2, expected 2.5"),
        (doubler_with(extra=1), r"with unknown keys \['extra'\]"),
        (lambda factor: lambda x: {}, r"without the keys \['doubled', 'name', 'parts'"),
        (lambda factor: lambda x: HostileDict(), "cannot be compared: SystemExit"),
        (doubler_with(name=Hostile()), "under 'name': a Hostile where a text"),
        (lambda: 1, "raises TypeError"),
    ],
    ids=range(9),
)
def test_answers_may_be_classes(answer, message):
    assert re.search(message, judge(CLASS, answer).message)


def test_long_messages_are_wrapped():
    assert max(map(len, repr(judge(SOFTMAX, recurse)).splitlines())) <= 79


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(exercises, "_registry", {})
    monkeypatch.setattr(exercises, "__path__", [])
    register(SOFTMAX)


def test_check_finds_a_registered_exercise(registry):
    assert check("demo-softmax", softmax)


def test_an_unknown_name_is_refused_with_near_names(registry):
    with pytest.raises(ValueError, match="'demo-sofmax'.*mean 'demo-softmax'"):
        check("demo-sofmax", softmax)
    with pytest.raises(ValueError, match="1 known names, as in the starter"):
        check(7, softmax)


def test_a_name_is_registered_once(registry):
    with pytest.raises(ValueError, match="'demo-softmax' is registered already"):
        register(SOFTMAX)


def test_exercises_that_could_not_work_are_refused():
    with pytest.raises(ValueError, match="no cases"):
        Exercise("a", "?", softmax)
    with pytest.raises(ValueError, match="names a mistake twice"):
        Exercise("a", "?", 1, mistakes=[Mistake("m", "x", 2), Mistake("m", "y", 3)])
    with pytest.raises(ValueError, match="needs answer= or recognise="):
        Mistake("m", "x")
    with pytest.raises(ValueError, match="needs answer= or recognise="):
        Mistake("m", "x", 1, lambda *_: True)


@pytest.mark.parametrize(
    ("got", "expected", "problem"),
    [
        (3, None, "the number 3 where None is expected"),
        (None, "a", "None where a text is expected"),
        (3, [1, 2], "the number 3 where a list of 2 values is expected"),
        ("ab", (1, 2), "a text where a tuple of 2 values is expected"),
    ],
    ids=range(4),
)
def test_a_value_of_another_kind_is_told_from_what_is_expected(got, expected, problem):
    assert find_difference(got, expected, rtol=0, atol=0) == problem


def test_a_name_in_the_place_of_the_answer_is_told(registry):
    name = next(iter(exercises.load_exercises()))
    with pytest.raises(TypeError, match=f"write check\\('{name}', ...\\)"):
        check(softmax, name)
