"""Answers to the exercises of chapter 7, as readers would write them."""

import numpy as np

from bertbook import gelu

# --- ffn-crossing ---


def cost(seq, d, f, *, projections=4, pair_products=2, matrices=2):
    attention = projections * seq * d * d + pair_products * seq * seq * d
    return attention, matrices * seq * d * f


def search(d, f, **counts):
    seq = 1
    while True:
        attention, network = cost(seq, d, f, **counts)
        if attention > network:
            return seq
        seq += 1


def crossing_by_search(d_model, d_ff):
    return search(d_model, d_ff)


def crossing_by_formula(d_model, d_ff):
    seq = d_ff - 2 * d_model
    return seq + 1 if seq > 0 else 1


def crossing_equal(d_model, d_ff):
    seq = 1
    while cost(seq, d_model, d_ff)[0] < cost(seq, d_model, d_ff)[1]:
        seq += 1
    return seq


def crossing_bert(d_model, d_ff):
    return search(d_model, 4 * d_model)


def crossing_pairs(d_model, d_ff):
    return search(d_model, d_ff, projections=0)


def crossing_scores(d_model, d_ff):
    return search(d_model, d_ff, pair_products=1)


def crossing_three(d_model, d_ff):
    return search(d_model, d_ff, projections=3)


def crossing_one_matrix(d_model, d_ff):
    return search(d_model, d_ff, matrices=1)


def crossing_negative(d_model, d_ff):
    return 1 + d_ff - d_model - d_model


def crossing_as_float(d_model, d_ff):
    return float(search(d_model, d_ff))


def crossing_per_head(d_model, d_ff):
    return search(d_model // 4, d_ff)


# --- ffn-strongest ---


def vectors_of(x, weight, bias, output_weight):
    activations = gelu(np.einsum("i,ij->j", x, weight) + bias)
    return np.diag(activations) @ output_weight


def strongest_by_vectors(x, weight, bias, output_weight):
    vectors = vectors_of(x, weight, bias, output_weight)
    return np.argmax((vectors * vectors).sum(axis=1))


def strongest_by_loop(x, weight, bias, output_weight):
    best, longest = 0, -1.0
    for j in range(len(bias)):
        activation = gelu(np.array([x @ weight[:, j] + bias[j]]))[0]
        length = float(np.sqrt(np.sum((activation * output_weight[j]) ** 2)))
        if length > longest:
            best, longest = j, length
    return best


def strongest_activation(x, weight, bias, output_weight):
    return np.argsort(-np.abs(gelu(bias + x @ weight)), kind="stable")[0]


def strongest_row(x, weight, bias, output_weight):
    return (output_weight**2).sum(1).argmax()


def strongest_without_bias(x, weight, bias, output_weight):
    vectors = gelu(x @ weight)[:, None] * output_weight
    return np.linalg.norm(vectors, axis=-1).argmax()


def strongest_without_gelu(x, weight, bias, output_weight):
    vectors = (x @ weight + bias)[:, None] * output_weight
    return np.linalg.norm(vectors, axis=-1).argmax()


def strongest_signed(x, weight, bias, output_weight):
    lengths = np.sqrt((output_weight**2).sum(1))
    return np.argmax(gelu(x @ weight + bias) * lengths)


def strongest_sum(x, weight, bias, output_weight):
    return vectors_of(x, weight, bias, output_weight).sum(axis=1).argmax()


def strongest_relu(x, weight, bias, output_weight):
    vectors = np.maximum(x @ weight + bias, 0)[:, None] * output_weight
    return np.linalg.norm(vectors, axis=-1).argmax()


def strongest_feature(x, weight, bias, output_weight):
    return np.abs(gelu(x @ weight + bias) @ output_weight).argmax()


# --- ffn-chunks ---


def chunks_by_filling(network, hidden_states, chunk):
    result = np.empty_like(hidden_states)
    for start in range(0, hidden_states.shape[-2], chunk):
        piece = slice(start, start + chunk)
        result[..., piece, :] = network(hidden_states[..., piece, :])
    return result


def chunks_by_split(network, hidden_states, chunk):
    cuts = list(range(chunk, hidden_states.shape[-2], chunk))
    pieces = np.split(hidden_states, cuts, axis=-2)
    return np.concatenate([network(piece) for piece in pieces], axis=-2)


def chunks_of_texts(network, hidden_states, chunk):
    result = np.empty_like(hidden_states)
    for start in range(0, len(hidden_states), chunk):
        piece = slice(start, start + chunk)
        result[piece] = network(hidden_states[piece])
    return result


def chunks_at_once(network, hidden_states, chunk):
    return np.array(network(hidden_states))


def chunks_one_by_one(network, hidden_states, chunk):
    n = hidden_states.shape[-2]
    return np.concatenate(
        [network(hidden_states[..., [i], :]) for i in range(n)], axis=-2
    )


def chunks_without_rest(network, hidden_states, chunk):
    n = hidden_states.shape[-2]
    pieces = [
        network(hidden_states[..., i : i + chunk, :])
        for i in range(0, n - chunk + 1, chunk)
    ]
    return np.concatenate(pieces, axis=-2)


def chunks_counted(network, hidden_states, chunk):
    pieces = np.array_split(hidden_states, chunk, axis=-2)
    results = [network(piece) for piece in pieces if piece.size]
    return np.concatenate(results, axis=-2)


def chunks_overlapping(network, hidden_states, chunk):
    n, pieces = hidden_states.shape[-2], []
    for start in range(0, n, chunk):
        end = min(n, start + chunk + 1)
        pieces.append(network(hidden_states[..., start:end, :]))
    return np.concatenate(pieces, axis=-2)


def chunks_of_features(network, hidden_states, chunk):
    starts = range(0, hidden_states.shape[-1], chunk)
    pieces = [network(hidden_states[..., s : s + chunk]) for s in starts]
    return np.concatenate(pieces, axis=-1)


def chunks_as_list(network, hidden_states, chunk):
    starts = range(0, hidden_states.shape[-2], chunk)
    return [network(hidden_states[..., s : s + chunk, :]) for s in starts]


ANSWERS = {
    "ffn-crossing": {
        "right": [crossing_by_search, crossing_by_formula],
        "wrong": {
            "equal": crossing_equal,
            "only BERT": crossing_bert,
            "pairs alone": crossing_pairs,
            "scores alone": crossing_scores,
            "three projections": crossing_three,
            "one matrix": crossing_one_matrix,
            "no text": crossing_negative,
            "general: a float": crossing_as_float,
            "general: the width of a head": crossing_per_head,
        },
    },
    "ffn-best-c": {
        "right": [0.0444, np.float64(0.04438), 0.044385],
        "wrong": {
            "published": 0.044715,
            "series": (4 - np.pi) / (6 * np.pi),
            "squares": 0.04452,
            "mean": 0.04466,
            "scale of erf": 0.08877,
            "general: too coarse": 0.044,
            "general: the gap itself": 3.9e-4,
        },
    },
    "ffn-strongest": {
        "right": [strongest_by_vectors, strongest_by_loop],
        "wrong": {
            "activation alone": strongest_activation,
            "row alone": strongest_row,
            "bias": strongest_without_bias,
            "no gelu": strongest_without_gelu,
            "sign": strongest_signed,
            "sum": strongest_sum,
            "general: ReLU": strongest_relu,
            "general: a feature of the result": strongest_feature,
        },
    },
    "ffn-chunks": {
        "right": [chunks_by_filling, chunks_by_split],
        "wrong": {
            "first axis": chunks_of_texts,
            "at once": chunks_at_once,
            "one by one": chunks_one_by_one,
            "the rest": chunks_without_rest,
            "number of pieces": chunks_counted,
            "overlap": chunks_overlapping,
            "general: cuts the features": chunks_of_features,
            "general: a list of pieces": chunks_as_list,
        },
    },
}
