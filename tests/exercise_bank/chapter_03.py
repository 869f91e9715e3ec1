"""Answers to the exercises of chapter 3, as readers would write them."""

import numpy as np

# --- norm-what-is-left ---


def left_right(d_model):
    return np.sqrt(d_model), d_model - 1 - 1


def left_by_measuring(d_model):
    points = np.random.default_rng(0).standard_normal((1, d_model))
    points -= points.mean()
    points /= points.std()
    return float(np.linalg.norm(points)), d_model - 2


def left_unit(d):
    return 1.0, d - 2


def left_unit_and_more(d):
    return 1, d - 1


def left_square(d):
    return float(d), d - 2


def left_sample(d):
    return (d - 1) ** 0.5, d - 2


def left_all(d):
    return d**0.5, d


def left_one(d):
    return d**0.5, d - 1


def left_three(d):
    return d**0.5, d - 3


def left_length_only(d):
    return d**0.5


def left_as_float(d):
    return d**0.5, float(d - 2)


# --- norm-stream-variance ---


def stream_welford(numbers):
    n, mean, m2 = 0, 0.0, 0.0
    for value in map(float, numbers):
        n += 1
        delta = value - mean
        mean += delta / n
        m2 += delta * (value - mean)
    return m2 / n


def stream_shifted(numbers):
    origin, sums = None, np.zeros(3)
    for value in numbers:
        origin = value if origin is None else origin
        d = float(value - origin)
        sums += 1, d, d * d
    return sums[2] / sums[0] - (sums[1] / sums[0]) ** 2


def stream_school(numbers):
    n, s, s2 = 0, 0, 0
    for value in numbers:
        n, s, s2 = n + 1, s + value, s2 + value**2
    return s2 / n - s * s / n / n


def stream_sample(numbers):
    n, mean, m2 = 0, 0.0, 0.0
    for value in map(float, numbers):
        n += 1
        delta = value - mean
        mean += delta / n
        m2 += delta * (value - mean)
    return m2 / max(n - 1, 1)


def stream_std(numbers):
    return stream_welford(numbers) ** 0.5


def stream_sum(numbers):
    values = np.fromiter(numbers, float)
    return ((values - values.mean()) ** 2).sum()


def stream_squares(numbers):
    total = count = 0
    for value in numbers:
        total += float(value) ** 2
        count += 1
    return total / count


def stream_from_first(numbers):
    first = float(next(numbers))
    squares, count = 0.0, 1
    for value in numbers:
        squares += (float(value) - first) ** 2
        count += 1
    return squares / count


def stream_twice(numbers):
    mean, count = 0.0, 0
    for value in numbers:
        mean += float(value)
        count += 1
    mean /= count
    return sum((float(value) - mean) ** 2 for value in numbers) / count


def stream_as_array(numbers):
    return numbers.var()


# --- norm-fold-gain ---


def fold_diagonal(gain, norm_bias, weight, bias):
    return np.diag(gain) @ weight, bias + weight.T @ norm_bias


def fold_transposed(gain, norm_bias, weight, bias):
    return (weight.T * gain).T, (norm_bias[None] @ weight)[0] + bias


def fold_columns(gain, norm_bias, weight, bias):
    return weight @ np.diag(gain), bias + norm_bias.dot(weight)


def fold_like_nn_linear(gain, norm_bias, weight, bias):
    return weight * gain[np.newaxis, :], bias + np.matmul(weight, norm_bias)


def fold_no_bias(gain, norm_bias, weight, bias):
    return np.diag(gain) @ weight, bias.copy()


def fold_sum_of_biases(gain, norm_bias, weight, bias):
    return np.einsum("i,ij->ij", gain, weight), bias + norm_bias


def fold_bias_through_gain(gain, norm_bias, weight, bias):
    scaled = np.diag(gain) @ weight
    return scaled, bias + norm_bias @ scaled


def fold_no_gain(gain, norm_bias, weight, bias):
    return weight.copy(), bias + norm_bias @ weight


def fold_inverse(gain, norm_bias, weight, bias):
    return weight / gain[:, None], norm_bias @ weight + bias


def fold_in_place(gain, norm_bias, weight, bias):
    new_bias = norm_bias @ weight + bias
    weight *= gain[:, None]
    return weight, new_bias


def fold_swapped(gain, norm_bias, weight, bias):
    return norm_bias @ weight + bias, gain[:, None] * weight


# --- norm-centre-weights ---


def centre_by_projection(weight, bias):
    d_out = len(bias)
    projection = (np.eye(d_out) - np.ones((d_out, d_out)) / d_out).astype(weight.dtype)
    return weight @ projection, bias @ projection


def centre_row_by_row(weight, bias):
    return np.stack([row - row.mean() for row in weight]), bias - bias.mean()


def centre_by_inputs(weight, bias):
    d_in = len(weight)
    projection = (np.eye(d_in) - 1 / d_in).astype(weight.dtype)
    return projection @ weight, bias - bias.mean()


def centre_all(weight, bias):
    return weight - np.mean(weight), bias - np.mean(bias)


def centre_not_bias(weight, bias):
    return np.stack([row - row.mean() for row in weight]), bias


def centre_flat_means(weight, bias):
    means = weight.sum(1) / weight.shape[1]
    return weight - means, bias - bias.mean()


def centre_and_scale(weight, bias):
    rows = [(row - row.mean()) / row.std() for row in weight]
    return np.stack(rows), bias - bias.mean()


def centre_only_bias(weight, bias):
    return weight, bias - bias.mean()


def centre_in_float64(weight, bias):
    projection = np.eye(len(bias)) - 1 / len(bias)
    return weight @ projection, bias @ projection


ANSWERS = {
    "norm-what-is-left": {
        "right": [left_right, left_by_measuring],
        "wrong": {
            "unit length": left_unit,
            "squared length": left_square,
            "sample length": left_sample,
            "nothing lost": left_all,
            "one lost": left_one,
            "general: one too many lost": left_three,
            "general: only the length": left_length_only,
            "general: a dimension is an integer": left_as_float,
        },
    },
    "norm-stream-variance": {
        "right": [stream_welford, stream_shifted],
        "wrong": {
            "cancellation": stream_school,
            "n - 1": stream_sample,
            "standard deviation": stream_std,
            "sum": stream_sum,
            "mean square": stream_squares,
            "first for mean": stream_from_first,
            "read twice": stream_twice,
            "general: takes the iterator for an array": stream_as_array,
        },
    },
    "norm-fold-gain": {
        "right": [fold_diagonal, fold_transposed],
        "wrong": {
            "columns": fold_columns,
            "transposed": fold_like_nn_linear,
            "bias left out": fold_no_bias,
            "bias not multiplied": fold_sum_of_biases,
            "gain on bias": fold_bias_through_gain,
            "gain left out": fold_no_gain,
            "general: divides": fold_inverse,
            "general: changes the weight of the caller": fold_in_place,
            "general: results in the wrong order": fold_swapped,
        },
    },
    "norm-centre-weights": {
        "right": [centre_by_projection, centre_row_by_row],
        "wrong": {
            "inputs": centre_by_inputs,
            "everything": centre_all,
            "bias": centre_not_bias,
            "keepdims": centre_flat_means,
            "scaled": centre_and_scale,
            "general: the weight is left alone": centre_only_bias,
            "general: float64": centre_in_float64,
        },
    },
}
