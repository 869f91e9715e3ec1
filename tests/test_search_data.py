"""The stored names, questions and measurements of chapter 11."""

import hashlib
import inspect
import json
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from make_numpy_names import common_names, find_summaries, summary_of_object

DATA = Path(__file__).parent.parent / "chapters" / "data"
SEARCH = json.loads((DATA / "numpy_search.json").read_text("utf-8"))
GROWTH = json.loads((DATA / "search_growth.json").read_text("utf-8"))
DIGEST = "e43a5ff5e7b858c8782f4c6739efe4288477b399244aa1f673cf4a084b270c29"


def test_the_summaries_are_those_that_the_chapter_was_made_with():
    texts = [summary_of_object(attrgetter(name)(np)) for name in SEARCH["names"]]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    assert digest == DIGEST, f"NumPy {np.__version__} words some summaries otherwise"


def test_the_names_are_sorted_and_no_two_functions_have_one_summary():
    names = SEARCH["names"]
    assert names == sorted(set(names))
    assert set(common_names([find_summaries()])) >= set(names)


def test_each_question_is_asked_once_and_has_an_answer_among_the_names():
    questions = [question for question, _ in SEARCH["queries"]]
    assert len(questions) == len(set(questions)) >= 60
    for question, answers in SEARCH["queries"]:
        assert answers and set(answers) <= set(SEARCH["names"]), question


def test_one_question_alone_quotes_a_summary_as_the_chapter_says():
    texts = [summary_of_object(attrgetter(n)(np)).lower() for n in SEARCH["names"]]
    quoting = []
    for question, _ in SEARCH["queries"]:
        words = question.lower().split()
        runs = [" ".join(words[i : i + 6]) for i in range(len(words) - 5)]
        if any(run in text for run in runs for text in texts):
            quoting.append(question)
    assert quoting == ["table of ones on the diagonal and zeros elsewhere"]


def test_the_growth_was_measured_from_a_thousand_vectors_to_a_million():
    assert [row["n"] for row in GROWTH["sizes"]] == [10**3, 10**4, 10**5, 10**6]


@pytest.mark.parametrize("row", GROWTH["sizes"], ids=lambda row: str(row["n"]))
def test_the_stored_growth_is_complete(row):
    assert row["bytes"] == 4 * GROWTH["d_model"] * row["n"]
    assert 0 < row["product_of_many"] < row["product"]
    assert row["top_k"] > 0 and "benchmarks/search_growth.py" in GROWTH["origin"]


def test_a_signature_is_no_summary():
    def function():
        """function(x)

        Do it,
        twice.

        And more.
        """  # noqa: D400

    assert summary_of_object(function) == "Do it, twice."
    assert inspect.getdoc(function).startswith("function(x)")
