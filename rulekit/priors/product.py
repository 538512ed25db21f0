"""The normalised product, as RCProb uses it, and the log-linear pool that it is a special case of."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import PriorCombiner


class LogLinearPool(PriorCombiner):
    """Normalised `(p * q) ** (1 / temperature)`.

    Temperature 1 is the product, 2 the normalised geometric mean; higher ones flatten the result. Distributions that
    exclude each other's classes have no such pool; their mean is used instead.

    Parameters
    ----------
    temperature : float, default=2.0
        Above 0.
    """

    def __init__(self, temperature: float = 2.0) -> None:
        self.temperature = temperature

    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Pools of all pairs, of shape (n_left, n_right, n_classes)."""
        check_number(self, "temperature", 0, above=True)
        with np.errstate(divide="ignore"):
            scores = np.log(left)[:, None] + np.log(right)
        highest = scores.max(axis=2, keepdims=True)
        contradict = np.isneginf(highest)
        # Relative to the largest class, so small temperatures cannot underflow to 0.
        relative = np.exp((scores - np.where(contradict, 0.0, highest)) / self.temperature)
        total = np.where(contradict, 1.0, relative.sum(axis=2, keepdims=True))
        return np.where(contradict, (left[:, None] + right) / 2, relative / total)


class Product(PriorCombiner):
    """Elementwise product of the two distributions, normalised.

    Distributions that exclude each other's classes have no product; their mean is used instead.
    """

    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Products of all pairs, of shape (n_left, n_right, n_classes)."""
        product = left[:, None] * right
        total = product.sum(axis=2, keepdims=True)
        vanished = total == 0.0
        if not vanished.any():
            return product / total
        # A product of 0 is either an underflow or a contradiction: the pool of temperature 1 handles both.
        by_logarithms = LogLinearPool(temperature=1.0).combine(left, right, left_support, right_support)
        return np.where(vanished, by_logarithms, product / np.where(vanished, 1.0, total))
