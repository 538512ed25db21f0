"""The average weighted by the number of samples that each rule covers."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import PriorCombiner


class WeightedMean(PriorCombiner):
    """Mean of the two distributions, each weighted by the samples that its rule covers.

    Where neither rule covers a sample, both weigh the same.
    """

    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Weighted means of all pairs, of shape (n_left, n_right, n_classes)."""
        total = left_support[:, None] + right_support
        fraction = np.where(total > 0, left_support[:, None] / np.where(total > 0, total, 1), 0.5)[..., None]
        return fraction * left[:, None] + (1.0 - fraction) * right
