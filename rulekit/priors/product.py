"""The normalised product, as RCProb uses it."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import PriorCombiner
from rulekit.priors.log_linear import LogLinearPool


class Product(PriorCombiner):
    """Elementwise product of the two distributions, normalised.

    Distributions that exclude each other's classes have no product; their mean takes its place.
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
        # A product can be too small for a number, or none at all: the pool of temperature 1 tells the two apart.
        by_logarithms = LogLinearPool(temperature=1.0).combine(left, right, left_support, right_support)
        return np.where(vanished, by_logarithms, product / np.where(vanished, 1.0, total))
