"""Every exercise of the book: its solution passes, and its mistakes are named.

``exercise_bank/chapter_NN.py`` holds answers as readers would give them, written
without looking at the simulated mistakes::

    ANSWERS = {
        "name of the exercise": {
            "right": [f, ...],
            "wrong": {"name of a mistake": f, "general: what it does": g, ...},
        },
    }

At least four wrong answers each, every known mistake among them; a key that begins
with ``general`` is for an answer that no known mistake explains.
"""

import functools
import importlib.util
from pathlib import Path

import pytest

from bertbook.exercises import check, load_exercises

EXERCISES = load_exercises()


def load_bank():
    answers = {}
    for path in sorted((Path(__file__).parent / "exercise_bank").glob("chapter_*.py")):
        spec = importlib.util.spec_from_file_location(f"bank_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if doubled := answers.keys() & module.ANSWERS.keys():
            raise ValueError(f"{doubled} are in the bank twice")
        answers |= module.ANSWERS
    return answers


BANK = load_bank()
BOTH = sorted(EXERCISES.keys() & BANK.keys())
WRONG = [(name, key) for name in BOTH for key in BANK[name]["wrong"]]
MISTAKES = [(name, m) for name, e in sorted(EXERCISES.items()) for m in e.mistakes]


@functools.cache
def verdict_on(name, key):
    """Return what is said of a wrong answer of the bank."""
    return check(name, BANK[name]["wrong"][key])


def unanswered(*inputs):
    raise NotImplementedError


def test_every_exercise_has_a_bank_of_answers_and_the_converse():
    assert EXERCISES.keys() == BANK.keys()


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_is_right(name):
    verdict = check(name, EXERCISES[name].solution)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize("name", EXERCISES)
def test_the_starter_is_not_answered_yet(name):
    starter = unanswered if callable(EXERCISES[name].solution) else ...
    assert check(name, starter).message.startswith("Not answered yet: ")


@pytest.mark.parametrize(
    ("name", "mistake"), MISTAKES, ids=lambda value: getattr(value, "name", value)
)
def test_a_mistake_is_told_from_the_solution_and_from_the_others(name, mistake):
    if mistake.recognise is None:
        assert check(name, mistake.answer).mistake == mistake.name
    assert mistake.name in BANK[name]["wrong"]


@pytest.mark.parametrize("name", BOTH)
def test_right_answers_of_readers_pass(name):
    assert BANK[name]["right"]
    for answer in BANK[name]["right"]:
        verdict = check(name, answer)
        assert verdict.passed, verdict.message
        assert answer is not EXERCISES[name].solution or not callable(answer)


@pytest.mark.parametrize(("name", "key"), WRONG)
def test_a_wrong_answer_gets_its_own_message(name, key):
    verdict = verdict_on(name, key)
    assert not verdict.passed
    assert verdict.message.startswith("Not yet: ")
    if key.startswith("general"):
        assert verdict.mistake is None, verdict.message
    else:
        assert verdict.mistake == key, verdict.message


@pytest.mark.parametrize("name", BOTH)
def test_wrong_answers_are_many_and_told_apart(name):
    wrong = BANK[name]["wrong"]
    messages = {verdict_on(name, key).message for key in wrong}
    assert len(messages) == len(wrong) >= 4
    simulated = [m.answer for m in EXERCISES[name].mistakes if callable(m.answer)]
    assert not any(a is b for a in wrong.values() for b in simulated)
