"""Transformers loads what we save and computes the same, where it is installed."""

import pytest
from transformers_interop import LIMITS, compare, return_trip

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transformers_computes_the_same_from_the_folder_that_we_save(dtype):
    differences = compare("all-MiniLM-L6-v2", dtype)
    assert max(differences.values()) <= LIMITS[dtype], differences


def test_what_transformers_saves_we_load():
    assert return_trip("all-MiniLM-L6-v2")
