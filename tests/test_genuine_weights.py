"""The encoder on the genuine weights, and on two small random models."""

import json
from pathlib import Path

import numpy as np
import pytest
from reference import encoder_case, encoder_cases, random_model

from bertbook import mean_pool, named_parameters
from bertbook.pooling import unit_length


@pytest.mark.parametrize("name", encoder_cases())
def test_the_genuine_encoder_gives_the_published_numbers(encoder, name):
    case = encoder_case(name)
    output = encoder(case["ids"], segment_ids=case["seg"], attention_mask=case["mask"])
    hidden_states = output["last_hidden_state"]
    rows, positions = case["sel"].T
    assert np.abs(hidden_states[rows, positions] - case["hidden"]).max() <= 1e-5
    assert np.abs(output["pooler_output"] - case["pooler"]).max() <= 1e-6
    vectors = unit_length(mean_pool(hidden_states, case["mask"]))
    assert np.abs(vectors - case["embed"]).max() <= 1e-6
    assert hidden_states.dtype == vectors.dtype == np.float32


def test_the_class_of_chapter_9_gives_the_published_numbers(encoder):
    # As chapter 10 says of it: the parameters fit, and so do the outputs.
    path = Path(__file__).parent.parent / "chapters" / "09-complete-encoder.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    wanted = ("import ", "from ", "def random_table", "class BertEncoder")
    names = {}
    for source in sources:
        if source.startswith(wanted) or "\nBertEncoder." in source:
            exec(source, names)
    readers = names["BertEncoder"](n_layers=6, d_model=384, n_heads=12, d_ff=1536)
    for name, parameter in named_parameters(readers).items():
        parameter[...] = named_parameters(encoder)[name]
    case = encoder_case(encoder_cases()[0])
    output = readers(case["ids"], segment_ids=case["seg"], attention_mask=case["mask"])
    rows, positions = case["sel"].T
    hidden_states = output["last_hidden_state"][rows, positions]
    assert np.abs(hidden_states - case["hidden"]).max() <= 1e-5
    assert np.abs(output["pooler_output"] - case["pooler"]).max() <= 1e-6


@pytest.mark.parametrize("tag", ["A", "B"])
def test_a_float64_model_equals_the_reference_in_every_tensor(tag):
    encoder, stored = random_model(tag)
    output = encoder(
        stored["in:input_ids"],
        segment_ids=stored["in:token_type_ids"],
        attention_mask=stored["in:attention_mask"],
        output_attentions=True,
        output_hidden_states=True,
    )
    for kind in ("hidden_states", "attentions"):
        key = kind.split("_")[0].removesuffix("s")
        for index, got in enumerate(output[kind]):
            expected = stored[f"out:{key}{index}"]
            np.testing.assert_allclose(got, expected, atol=1e-13, rtol=0)
    np.testing.assert_allclose(
        output["pooler_output"], stored["out:pooled"], atol=1e-13, rtol=0
    )


def test_the_published_parameters_are_all_there(encoder):
    # 30522*384 + 512*384 + 2*384 + 2*384, 6 * 1,774,464, 384*384 + 384
    assert sum(p.size for p in named_parameters(encoder).values()) == 22_713_216


def test_a_literal_pad_in_the_text_is_a_token_like_any_other(tokenizer, encoder):
    batch = tokenizer(["[PAD] a", "b"])
    np.testing.assert_array_equal(batch["attention_mask"], [[1, 1, 1, 1], [1, 1, 1, 0]])
