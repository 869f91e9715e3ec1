"""An exercise that exists for the tests alone: softmax over the last axis."""

import numpy as np

from bertbook.exercises import Exercise, Mistake


def softmax(x):
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def overflowing(x):
    exps = np.exp(x)
    return exps / exps.sum(axis=-1, keepdims=True)


def over_all(x):
    exps = np.exp(x - x.max())
    return exps / exps.sum()


def in_place(x):
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def rows_sum_to_two(inputs, got, expected):
    return got.shape == expected.shape and np.allclose(got.sum(axis=-1), 2)


SMALL = np.array([[0, 1, 2], [3, 1, 0]], dtype=np.float32)
LARGE = np.array([[1000, 0], [-5, 995]], dtype=np.float32)

SOFTMAX = Exercise(
    name="demo-softmax",
    question="Write a softmax that does not overflow.",
    solution=softmax,
    cases=[(SMALL,), (LARGE,)],
    mistakes=[
        Mistake(
            "overflow",
            "large inputs overflow: subtract the largest value first.",
            overflowing,
        ),
        Mistake("whole array", "each row has to sum to one, by axis=-1.", over_all),
        Mistake("in place", "the caller's array is overwritten.", in_place),
        Mistake("double", "rows sum to two.", recognise=rows_sum_to_two),
    ],
    praise="rows sum to one, however large the scores.",
)

COUNT = Exercise(
    name="demo-count",
    question="How many weights has a matrix of 4 x 6?",
    solution=24,
    mistakes=[Mistake("sum", "the sides are multiplied, not added.", 10)],
)


class Doubler:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return {"doubled": x * self.factor, "name": "doubler", "parts": (x, 2.5)}


CLASS = Exercise(
    name="demo-class",
    question="Write a class that multiplies by its factor.",
    solution=Doubler,
    cases=[(3, np.arange(4)), (2, np.ones((2, 2)))],
    use=lambda cls, factor, x: cls(factor)(x),
)
