"""Answers that do all sorts of things besides being wrong."""

import warnings

from exercise_demo import softmax


def fill_input(x):
    result = softmax(x)
    x[:] = 7
    return result


def recurse(x):
    return recurse(x)


def leave(x):
    raise SystemExit(3)


def warn(x):
    warnings.warn("careful", stacklevel=1)
    return softmax(x) + 1


class Broken(RuntimeError):
    def __str__(self):
        raise ValueError


def raise_broken(x):
    raise Broken


class Hostile:
    def __repr__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    def __deepcopy__(self, memo):
        raise RuntimeError("no")

    __hash__ = None


class HostileDict(dict):
    def keys(self):
        raise SystemExit
