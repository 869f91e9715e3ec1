"""Exercises of chapter 3 about weights: fold the gain, centre the outputs."""

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

# --- Gain and bias, folded into the linear layer that follows ---


def fold_gain(gain, norm_bias, weight, bias):
    """Return the linear layer that needs no gain and bias before it."""
    return gain[:, np.newaxis] * weight, norm_bias @ weight + bias


def gain_on_columns(gain, norm_bias, weight, bias):
    """Multiply the outputs instead of the inputs."""
    return weight * gain, norm_bias @ weight + bias


def bias_left_out(gain, norm_bias, weight, bias):
    """Forget the norm's bias."""
    return gain[:, np.newaxis] * weight, bias


def bias_not_multiplied(gain, norm_bias, weight, bias):
    """Add the norm's bias behind the weight instead of before it."""
    return gain[:, np.newaxis] * weight, norm_bias + bias


def bias_with_gain(gain, norm_bias, weight, bias):
    """Send the norm's bias through the gain, which it comes after."""
    folded = gain[:, np.newaxis] * weight
    return folded, norm_bias @ folded + bias


def gain_left_out(gain, norm_bias, weight, bias):
    """Forget the gain."""
    return weight, norm_bias @ weight + bias


def transposed(gain, norm_bias, weight, bias):
    """Take the weight for one of shape (d_out, d_in)."""
    return weight * gain, weight @ norm_bias + bias


def _layers(seed, d_in, d_out):
    """Draw a gain, a norm's bias, a weight and a bias."""
    rng = np.random.default_rng(seed)
    shapes = (d_in,), (d_in,), (d_in, d_out), (d_out,)
    return tuple(rng.standard_normal(shape, dtype=np.float32) for shape in shapes)


register(
    Exercise(
        name="norm-fold-gain",
        question="Fold a norm's gain and bias into the linear layer after it.",
        solution=fold_gain,
        cases=[_layers(0, 4, 4), _layers(1, 4, 4), _layers(2, 3, 5), _layers(3, 8, 2)],
        mistakes=[
            Mistake(
                "columns",
                "your gain multiplies the columns of the weight, which are the "
                "outputs. Which axis of the weight meets the features of x?",
                gain_on_columns,
            ),
            Mistake(
                "transposed",
                "that would be right for a weight of shape (d_out, d_in), as PyTorch "
                "keeps it. Here it is (d_in, d_out), and stands on the right of x.",
                transposed,
            ),
            Mistake(
                "bias left out",
                "the weight is right. But norm_bias is added to every input, and does "
                "not vanish: what does the linear layer make of it?",
                bias_left_out,
            ),
            Mistake(
                "bias not multiplied",
                "the weight is right. But norm_bias is added before the product, so "
                "it goes through the weight. Write out (x * g + b) W + c.",
                bias_not_multiplied,
            ),
            Mistake(
                "gain on bias",
                "the weight is right. But norm_bias is added after the gain, so the "
                "gain must not multiply it: use the old weight for it.",
                bias_with_gain,
            ),
            Mistake(
                "gain left out",
                "the bias is right, the gain is missing from the weight.",
                gain_left_out,
            ),
        ],
        praise="the gain scales the rows, and the norm's bias goes through the weight.",
    )
)


# --- Centring, folded into the linear layer that comes before ---


def centre_weights(weight, bias):
    """Return the linear layer whose outputs are centred."""
    return weight - weight.mean(axis=1, keepdims=True), bias - bias.mean()


def centre_columns(weight, bias):
    """Centre over the inputs."""
    return weight - weight.mean(axis=0), bias - bias.mean()


def centre_everything(weight, bias):
    """Subtract one mean from the whole weight."""
    return weight - weight.mean(), bias - bias.mean()


def centre_weight_only(weight, bias):
    """Forget the bias."""
    return weight - weight.mean(axis=1, keepdims=True), bias


def centre_without_keepdims(weight, bias):
    """Subtract the mean of row j from column j."""
    return weight - weight.mean(axis=1), bias - bias.mean()


def standardise_weights(weight, bias):
    """Scale, too."""
    centred, centred_bias = centre_weights(weight, bias)
    return centred / centred.std(axis=1, keepdims=True), centred_bias


register(
    Exercise(
        name="norm-centre-weights",
        question="Change a linear layer so that its outputs are centred.",
        solution=centre_weights,
        cases=[
            _layers(4, 4, 4)[2:],
            _layers(5, 6, 6)[2:],
            _layers(6, 3, 5)[2:],
            (_layers(7, 8, 2)[2] + np.float32(3), np.full(2, 5, np.float32)),
        ],
        mistakes=[
            Mistake(
                "inputs",
                "you centre the columns of the weight, so its inputs. The outputs are "
                "to be centred, and each row holds what one input gives to them.",
                centre_columns,
            ),
            Mistake(
                "everything",
                "one mean for the whole weight will not do: I - 11^T/d stands "
                "behind the weight and acts on each of its rows.",
                centre_everything,
            ),
            Mistake(
                "bias",
                "the weight is right. The bias is part of the output, too.",
                centre_weight_only,
            ),
            Mistake(
                "keepdims",
                "the mean of row j is subtracted from column j: the row means have to "
                "stay a column.",
                centre_without_keepdims,
            ),
            Mistake(
                "scaled",
                "only centre. The scale depends on x, so it cannot be folded into "
                "weights, and nothing but the mean may change.",
                standardise_weights,
            ),
        ],
        praise="x W + b is centred for every x, before any x is known.",
    )
)
