"""Published names and shapes: every variant is understood or refused, none guessed."""

import numpy as np
import pytest
from checkpoint_helpers import encoder_tensors, make_folder, variant_tensors

from bertbook.checkpoint import load_pretrained, published_layout
from bertbook.encoder import BertEncoder, named_parameters

LAYER = "encoder.layer.0"


def expected_parameters():
    """Return what each sound variant must give, written out by hand."""
    tensors = encoder_tensors()
    attention, feed_forward = "layers.0.attention", "layers.0.feed_forward"
    modules = {
        f"{attention}.query": f"{LAYER}.attention.self.query",
        f"{attention}.key": f"{LAYER}.attention.self.key",
        f"{attention}.value": f"{LAYER}.attention.self.value",
        f"{attention}.output": f"{LAYER}.attention.output.dense",
        f"{feed_forward}.intermediate": f"{LAYER}.intermediate.dense",
        f"{feed_forward}.output": f"{LAYER}.output.dense",
        "pooler_dense": "pooler.dense",
    }
    norms = {
        "embedding_norm": "embeddings.LayerNorm",
        f"{attention}_norm": f"{LAYER}.attention.output.LayerNorm",
        f"{feed_forward}_norm": f"{LAYER}.output.LayerNorm",
    }
    expected = {
        "token_embeddings": tensors["embeddings.word_embeddings.weight"],
        "position_embeddings": tensors["embeddings.position_embeddings.weight"],
        "segment_embeddings": tensors["embeddings.token_type_embeddings.weight"],
    }
    for ours, theirs in modules.items():
        expected[f"{ours}.weight"] = tensors[f"{theirs}.weight"].T
        expected[f"{ours}.bias"] = tensors[f"{theirs}.bias"]
    for ours, theirs in norms.items():
        expected[f"{ours}.gain"] = tensors[f"{theirs}.weight"]
        expected[f"{ours}.bias"] = tensors[f"{theirs}.bias"]
    return expected


def assert_parameters(encoder, expected):
    got = named_parameters(encoder)
    assert got.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(got[name], array, err_msg=name)
        assert got[name].dtype == np.float32


@pytest.mark.parametrize(
    "case_id",
    [
        "ck_canonical_pretraining",
        "ck_encoder_only_no_prefix",
        "ck_gamma_beta_with_prefix",
        "ck_with_position_ids_buffer",
        "ck_encoder_with_position_ids",
        "ck_no_decoder_weight_tied",
        "ck_decoder_bias_only",
        "ck_module_prefix_dataparallel",
    ],
)
def test_sound_variants_give_the_same_encoder(tmp_path, case_id):
    folder = make_folder(tmp_path, variant_tensors(case_id))
    assert_parameters(load_pretrained(folder)[1], expected_parameters())


def test_half_precision_is_widened(tmp_path):
    folder = make_folder(tmp_path, variant_tensors("ck_float16_weights"))
    expected = {k: v.astype(np.float16) for k, v in expected_parameters().items()}
    assert_parameters(load_pretrained(folder)[1], expected)


@pytest.mark.parametrize(
    ("case_id", "reason"),
    [
        (
            "ck_missing_one_layer_tensor",
            f"fit: missing {LAYER}.attention.output.dense.bias$",
        ),
        (
            "ck_token_type_missing",
            "fit: missing embeddings.token_type_embeddings.weight$",
        ),
        ("ck_extra_unknown_tensor", "fit: unknown surprise.weight$"),
        (
            "ck_transposed_ffn",
            f"fit: {LAYER}.intermediate.dense.weight has shape "
            r"\(4, 6\) \(transposed\), expected \(6, 4\)$",
        ),
        (
            "ck_distilbert_names",
            "missing embeddings.LayerNorm.bias, .*; unknown distilbert.embeddings",
        ),
    ],
)
def test_unsound_variants_are_refused_by_name(tmp_path, case_id, reason):
    folder = make_folder(tmp_path, variant_tensors(case_id))
    with pytest.raises(ValueError, match=reason):
        load_pretrained(folder)


def test_all_faults_are_named_at_once(tmp_path):
    tensors = encoder_tensors() | {"surprise": np.zeros(1), "wonder": np.zeros(1)}
    del tensors["pooler.dense.bias"], tensors["embeddings.LayerNorm.bias"]
    tensors["embeddings.LayerNorm.weight"] = np.ones(5, np.float32)
    tensors[f"{LAYER}.output.dense.bias"] = np.ones(4, np.int32)
    with pytest.raises(ValueError, match="does not fit") as caught:
        load_pretrained(make_folder(tmp_path, tensors))
    assert str(caught.value).split("does not fit: ")[1].split("; ") == [
        "missing embeddings.LayerNorm.bias, pooler.dense.bias",
        "unknown surprise, wonder",
        "embeddings.LayerNorm.weight has shape (5,), expected (4,)",
        f"{LAYER}.output.dense.bias holds int32, expected floats",
    ]


def test_a_short_word_table_is_refused(tmp_path):
    tensors = encoder_tensors()
    name = "embeddings.word_embeddings.weight"
    tensors[name] = tensors[name][:10]
    with pytest.raises(ValueError, match=rf"{name} has shape \(10, 4\), .* \(11, 4\)"):
        load_pretrained(make_folder(tmp_path, tensors))


def test_without_a_pooler_there_is_none(tmp_path):
    tensors = {k: v for k, v in encoder_tensors().items() if "pooler" not in k}
    encoder = load_pretrained(make_folder(tmp_path, tensors))[1]
    assert encoder.pooler_dense is None
    assert encoder([2, 5, 3])["pooler_output"] is None


def test_the_same_tensor_under_two_prefixes_is_refused(tmp_path):
    tensors = encoder_tensors()
    tensors["bert.pooler.dense.bias"] = tensors["pooler.dense.bias"]
    with pytest.raises(ValueError, match="holds pooler.dense.bias twice"):
        load_pretrained(make_folder(tmp_path, tensors))


@pytest.mark.parametrize("n_layers", [2, 10**12])
def test_more_layers_than_the_file_holds_are_refused(tmp_path, n_layers):
    folder = make_folder(tmp_path, encoder_tensors(), num_hidden_layers=n_layers)
    with pytest.raises(ValueError, match="missing encoder.layer.1.attention"):
        load_pretrained(folder)


@pytest.mark.parametrize("size", ["vocab_size", "hidden_size", "intermediate_size"])
def test_a_config_that_claims_terabytes_is_refused_by_shape(tmp_path, size):
    folder = make_folder(tmp_path, encoder_tensors(), **{size: 10**12})
    with pytest.raises(ValueError, match="has shape .*, expected .*1000000000000"):
        load_pretrained(folder)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("has_pooler", [True, False])
def test_the_layout_covers_every_parameter_with_its_shape(norm, has_pooler):
    encoder = BertEncoder(11, 5, 2, 4, 2, 6, norm=norm, n_segments=3)
    encoder.pooler_dense = encoder.pooler_dense if has_pooler else None
    layout, parameters = published_layout(encoder), named_parameters(encoder)
    assert layout.keys() == parameters.keys()
    for name, array in parameters.items():
        turned = array.T if name.endswith(".weight") else array
        assert layout[name][1] == turned.shape
