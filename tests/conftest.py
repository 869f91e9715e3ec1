"""What several test files share: the genuine model, loaded once."""

import pytest

import bertbook


@pytest.fixture(scope="session")
def pretrained():
    """Return the tokenizer and the encoder of the published model."""
    return bertbook.load_pretrained("all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def tokenizer(pretrained):
    return pretrained[0]


@pytest.fixture(scope="session")
def encoder(pretrained):
    return pretrained[1]
