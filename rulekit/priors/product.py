"""The normalised product, as RCProb uses it."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import PriorCombiner


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
        contradict = total == 0.0
        if not contradict.any():
            return product / total
        return np.where(contradict, (left[:, None] + right) / 2, product / np.where(contradict, 1.0, total))
