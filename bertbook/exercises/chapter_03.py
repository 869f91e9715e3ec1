"""Exercises of chapter 3, layer norm; `chapter_03_weights` has two more."""

import math

import numpy as np

from bertbook.exercises import Exercise, Mistake, register

FAR = 1000  # a row whose mean is so many standard deviations off loses its variance


# --- How much of a vector survives the norm ---


def what_is_left(d_model):
    """Return the length of a standardised vector, and how many numbers fix it."""
    return math.sqrt(d_model), d_model - 2


def _has_length(wrong):
    """Return a recogniser of one wrong length beside any second value."""
    return lambda inputs, got, expected: _is_pair(got) and got[0] == wrong(*inputs)


def _has_freedom(wrong):
    """Return a recogniser of one wrong dimension beside the right length."""
    return lambda inputs, got, expected: (
        _is_pair(got)
        and math.isclose(got[0], expected[0], rel_tol=1e-5)
        and got[1] == wrong(*inputs)
    )


def _is_pair(got):
    return isinstance(got, tuple | list) and len(got) == 2


register(
    Exercise(
        name="norm-what-is-left",
        question="How long is a standardised vector, and how many numbers fix it?",
        solution=what_is_left,
        cases=[(3,), (2,), (8,), (768,)],
        mistakes=[
            Mistake(
                "unit length",
                "the vectors are divided by the standard deviation, not by their "
                "length. How are the two related? Four features end at length 2.",
                recognise=_has_length(lambda d_model: 1),
            ),
            Mistake(
                "squared length",
                "d_model is the sum of the squares, which is the squared length.",
                recognise=_has_length(lambda d_model: d_model),
            ),
            Mistake(
                "sample length",
                "that is the length if the variance is divided by d_model - 1. Layer "
                "norm divides by d_model.",
                recognise=_has_length(lambda d_model: math.sqrt(d_model - 1)),
            ),
            Mistake(
                "nothing lost",
                "the length is right. But not every vector can be a result: which "
                "two things have all results in common?",
                recognise=_has_freedom(lambda d_model: d_model),
            ),
            Mistake(
                "one lost",
                "the length is right, and one dimension is lost where you say. In the "
                "picture with three features the results lie on a ring, and a single "
                "angle says where. Which step did you leave out?",
                recognise=_has_freedom(lambda d_model: d_model - 1),
            ),
        ],
        praise="one dimension goes to the plane and one to the sphere.",
    )
)


# --- A variance of numbers that can be read only once ---


def stream_variance(numbers):
    """Return the variance of the numbers of an iterator, read once."""
    first = next(numbers)
    count, total, squares = 1, 0.0, 0.0
    for x in numbers:
        shifted = x - first
        count += 1
        total += shifted
        squares += shifted * shifted
    return squares / count - (total / count) ** 2


def sample_variance(numbers):
    """Divide by the count less one."""
    numbers = list(numbers)
    return np.var(numbers, ddof=min(1, len(numbers) - 1))


def spread_of_stream(numbers):
    """Return the standard deviation."""
    return math.sqrt(stream_variance(numbers))


def sum_of_squares(numbers):
    """Forget to divide."""
    numbers = list(numbers)
    return np.var(numbers) * len(numbers)


def mean_square(numbers):
    """Forget to subtract the square of the mean."""
    numbers = list(numbers)
    return np.mean(np.square(numbers))


def square_from_first(numbers):
    """Shift, but take the first number for the mean."""
    numbers = list(numbers)
    return np.mean(np.square(np.subtract(numbers, numbers[0])))


def _is_far_off(inputs, got, expected):
    """Return whether the row has a variance that cancellation would spoil."""
    numbers = inputs[0].astype(np.float64)
    return abs(numbers.mean()) > FAR * numbers.std() and np.ndim(got) == 0


def _is_nothing(inputs, got, expected):
    """Return whether there was nothing left to read."""
    return np.ndim(got) == 0 and (got == 0 or np.isnan(got))


STREAMS = [
    np.array([3, 5, 5, 11], dtype=np.float32),
    np.array([-2, 0.5, 4, -7, 1.5, 0.25, -3], dtype=np.float32),
    np.array([7], dtype=np.float32),
    np.array([53_997, 53_999, 53_999, 54_005], dtype=np.float32),
    np.array([-99_995, -100_003, -100_001, -100_001], dtype=np.float32),
    1e9 + np.array([4.0, 7, 13, 16, 21, 2, 9]),
]

register(
    Exercise(
        name="norm-stream-variance",
        question="Compute a variance from numbers that can be read only once.",
        solution=stream_variance,
        cases=[(numbers,) for numbers in STREAMS],
        use=lambda answer, numbers: answer(iter(numbers)),
        rtol=1e-2,
        check_dtype=False,
        mistakes=[
            Mistake(
                "cancellation",
                "the small rows are right, and those far from zero are not: two huge, "
                "nearly equal numbers are subtracted at the end. A variance does not "
                "change if you first subtract a constant that you know already.",
                recognise=_is_far_off,
            ),
            Mistake(
                "n - 1",
                "divide by the count, not by the count less one.",
                sample_variance,
            ),
            Mistake(
                "standard deviation",
                "that is the standard deviation. The variance is its square.",
                spread_of_stream,
            ),
            Mistake(
                "sum",
                "that is the sum of the squared deviations. Divide it by the count.",
                sum_of_squares,
            ),
            Mistake(
                "mean square",
                "that is the mean of the squares alone. The square of the mean is "
                "still to be subtracted.",
                mean_square,
            ),
            Mistake(
                "first for mean",
                "you measure deviations from the first number, which is a good start, "
                "but the first number is not the mean: the mean of these differences "
                "has to come off, squared.",
                square_from_first,
            ),
            Mistake(
                "read twice",
                "your result is zero or NaN: an iterator is empty after the first "
                "loop. Collect all that you need in a single pass.",
                recognise=_is_nothing,
            ),
        ],
        praise="the variance is exact enough however far from zero the numbers lie.",
    )
)
