"""The plain average, as RC+ uses it."""

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import PriorCombiner


class Mean(PriorCombiner):
    """Arithmetic mean of the two distributions."""

    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Means of all pairs, of shape (n_left, n_right, n_classes)."""
        return (left[:, None] + right) / 2
