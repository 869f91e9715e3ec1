"""Exercises of chapter 7 about the network: the loudest answer, and pieces."""

import numpy as np

from bertbook.activations import gelu
from bertbook.exercises import Exercise, Mistake, register

# --- Which inner number moves the token most ---


def strongest(x, weight, bias, output_weight):
    """Return the index of the inner number that adds the longest vector."""
    activations = gelu(x @ weight + bias)
    return int((np.abs(activations) * _row_lengths(output_weight)).argmax())


def _row_lengths(output_weight):
    return np.linalg.norm(output_weight, axis=1)


def activation_alone(x, weight, bias, output_weight):
    """Leave the rows of the second matrix out."""
    return int(np.abs(gelu(x @ weight + bias)).argmax())


def row_alone(x, weight, bias, output_weight):
    """Leave the token out."""
    return int(_row_lengths(output_weight).argmax())


def no_bias(x, weight, bias, output_weight):
    """Forget the bias."""
    return int((np.abs(gelu(x @ weight)) * _row_lengths(output_weight)).argmax())


def no_gelu(x, weight, bias, output_weight):
    """Forget the activation."""
    return int((np.abs(x @ weight + bias) * _row_lengths(output_weight)).argmax())


def signed(x, weight, bias, output_weight):
    """Let a negative activation count less than none."""
    return int((gelu(x @ weight + bias) * _row_lengths(output_weight)).argmax())


def sum_of_row(x, weight, bias, output_weight):
    """Take the sum of a vector for its length."""
    return int((gelu(x @ weight + bias) * output_weight.sum(axis=1)).argmax())


def _draw_network(seed, d_model, d_ff):
    """Return a token and a network in which every mistake finds another index."""
    rng = np.random.default_rng(seed)
    shapes = (d_model,), (d_model, d_ff), (d_ff,), (d_ff, d_model)
    x, weight, bias, output = (rng.standard_normal(s, np.float32) for s in shapes)
    output *= rng.uniform(0.1, 2, (d_ff, 1)).astype(np.float32)
    return x, weight / np.float32(np.sqrt(d_model)), bias, output


def _all_negative():
    """Return a network whose activations are all below zero."""
    x = np.array([1, 1], np.float32)
    weight = np.array([[-0.1, -0.4, -1], [-0.1, -0.4, -1.5]], np.float32)
    output = np.array([[0.5, 0.5], [1, 1], [1, -1]], np.float32)
    return x, weight, np.zeros(3, np.float32), output


NETWORKS = [_draw_network(seed, 4, 12) for seed in range(7)]

register(
    Exercise(
        name="ffn-strongest",
        question="Which inner number adds the longest vector to the token?",
        solution=strongest,
        cases=[*NETWORKS, _all_negative()],
        mistakes=[
            Mistake(
                "activation alone",
                "this is the largest activation. The vector that it adds is the "
                "activation times a row, and a long row can make up for a small one.",
                activation_alone,
            ),
            Mistake(
                "row alone",
                "this is the longest row of the second matrix, whatever the token. "
                "How much of the row is added depends on the activation.",
                row_alone,
            ),
            Mistake("bias", "the bias of the first layer is missing.", no_bias),
            Mistake(
                "no gelu",
                "the activation is missing: a very negative number is nearly stopped "
                "by the GELU, and cannot add a long vector.",
                no_gelu,
            ),
            Mistake(
                "sign",
                "right as long as an activation is positive. A negative one adds a "
                "vector too, of the same length in the opposite direction.",
                signed,
            ),
            Mistake(
                "sum",
                "the length of a vector is not the sum of its features: they may "
                "cancel.",
                sum_of_row,
            ),
        ],
        praise="a question counts by the vector that it adds.",
    )
)


# --- A long text in pieces ---


def in_chunks(network, hidden_states, chunk):
    """Apply a position-wise network to a few positions at a time."""
    starts = range(0, hidden_states.shape[-2], chunk)
    pieces = [network(hidden_states[..., s : s + chunk, :]) for s in starts]
    return np.concatenate(pieces, axis=-2)


def first_axis(network, hidden_states, chunk):
    """Cut the first axis, which is the batch if there is one."""
    starts = range(0, hidden_states.shape[0], chunk)
    return np.concatenate([network(hidden_states[s : s + chunk]) for s in starts])


def whole(network, hidden_states, chunk):
    """Widen all positions at once."""
    return network(hidden_states)


def one_at_a_time(network, hidden_states, chunk):
    """Leave the size of the pieces out."""
    return in_chunks(network, hidden_states, 1)


def no_rest(network, hidden_states, chunk):
    """Drop the positions that do not fill a piece."""
    n_full = hidden_states.shape[-2] // chunk
    return in_chunks(network, hidden_states[..., : n_full * chunk, :], chunk)


def piece_count(network, hidden_states, chunk):
    """Take `chunk` for the number of pieces."""
    pieces = np.array_split(hidden_states, chunk, axis=-2)
    return np.concatenate([network(p) for p in pieces if p.shape[-2]], axis=-2)


def overlapping(network, hidden_states, chunk):
    """Let neighbouring pieces share a position."""
    starts = range(0, hidden_states.shape[-2], chunk)
    pieces = [network(hidden_states[..., s : s + chunk + 1, :]) for s in starts]
    return np.concatenate(pieces, axis=-2)


def _use(answer, hidden_states, chunk):
    """Return what an answer gives, and how many positions it widened at a time."""
    sizes = []

    def network(x):
        sizes.append(x.shape[-2])
        return gelu(x) * x[..., ::-1]

    result = answer(network, hidden_states, chunk)
    return result, sizes


def _draw(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32)


register(
    Exercise(
        name="ffn-chunks",
        question="Apply a position-wise network to a few positions at a time.",
        solution=in_chunks,
        use=_use,
        cases=[
            (_draw(7, 4), 3),
            (_draw(6, 4), 2),
            (_draw(3, 8, 4), 5),
            (_draw(2, 5, 4), 9),
            (_draw(2, 2, 5, 4), 1),
        ],
        mistakes=[
            Mistake(
                "first axis",
                "right for a single text. In a batch the first axis is that of the "
                "texts; the positions are the last axis but one.",
                first_axis,
            ),
            Mistake(
                "at once",
                "the values are right, but all positions were widened at once.",
                whole,
            ),
            Mistake(
                "one by one",
                "the values are right, but each position was computed alone, whatever "
                "`chunk` says.",
                one_at_a_time,
            ),
            Mistake(
                "the rest",
                "the last positions are missing wherever the length is no multiple "
                "of `chunk`.",
                no_rest,
            ),
            Mistake(
                "number of pieces",
                "`chunk` is the size of a piece, not the number of pieces.",
                piece_count,
            ),
            Mistake(
                "overlap",
                "neighbouring pieces share a position: does your slice end one too "
                "late?",
                overlapping,
            ),
        ],
        praise="the pieces fit together for any length, with and without a batch.",
    )
)
