"""The normalised product, as RCProb uses it, and the log-linear pool that it is a special case of."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import PriorCombiner
from rulekit.core.statistics import row_sums


def pooled(left: FloatArray, right: FloatArray, temperature: float) -> FloatArray:
    """Log-linear pools of distributions, whose arrays broadcast; of shape (..., n_classes)."""
    with np.errstate(divide="ignore"):
        scores = np.log(left) + np.log(right)
    highest = scores.max(axis=-1, keepdims=True)
    contradict = np.isneginf(highest)
    # Relative to the largest class, so small temperatures cannot underflow to 0.
    relative = np.exp((scores - np.where(contradict, 0.0, highest)) / temperature)
    total = np.where(contradict, 1.0, row_sums(relative)[..., None])
    return np.where(contradict, (left + right) / 2, relative / total)


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
        return pooled(left[:, None], right, self.temperature)


class Product(PriorCombiner):
    """Elementwise product of the two distributions, normalised.

    Distributions that exclude each other's classes have no product; their mean is used instead.
    """

    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Products of all pairs, of shape (n_left, n_right, n_classes)."""
        product = left[:, None] * right
        total = row_sums(product)
        one, other = np.nonzero(total == 0.0)
        total[one, other] = 1.0
        product /= total[..., None]
        # A product of 0 is either an underflow or a contradiction: the pool of temperature 1 handles both.
        product[one, other] = pooled(left[one], right[other], temperature=1.0)
        return product
