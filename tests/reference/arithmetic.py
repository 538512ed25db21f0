"""Arithmetic whose rounding is part of the specification."""

import functools
import math
import operator
from collections.abc import Iterable, Sequence

_GRID = 2.0**36


def sum_in_order(values: Iterable[float]) -> float:
    """Add from left to right; the built-in ``sum`` compensates for rounding from Python 3.12 on."""
    return functools.reduce(operator.add, values, 0.0)


def rounded_log(value: float) -> float:
    """Logarithm rounded to a multiple of 2**-36, so that sums of such logarithms are exact in any order."""
    return round(math.log(value) * _GRID) / _GRID


def normalised(values: Sequence[float]) -> list[float]:
    """Divide by the sum."""
    total = sum_in_order(values)
    return [value / total for value in values]


def softmax(scores: Sequence[float]) -> list[float]:
    """Turn log scores into probabilities."""
    highest = max(scores)
    return normalised([math.exp(score - highest) for score in scores])


def logistic(score: float) -> float:
    """Compute ``1 / (1 + exp(-score))`` without overflow."""
    if score >= 0:
        return 1.0 / (1.0 + math.exp(-score))
    return math.exp(score) / (1.0 + math.exp(score))


def argmax(values: Sequence[float]) -> int:
    """Position of the largest value, the lowest position where several are largest."""
    return max(range(len(values)), key=lambda i: (values[i], -i))
