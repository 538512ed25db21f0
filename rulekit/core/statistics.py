"""What the class counts of rules say of them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, row_sums


def hits(counts: IntArray, classes: IntArray) -> IntArray:
    """Records of each rule's own class: from (n_rules, n_classes) to (n_rules,)."""
    return counts[np.arange(len(classes)), classes]


def precision(counts: IntArray, classes: IntArray) -> FloatArray:
    """Share of each rule's records that are of its class, 0 for a rule without records; shape (n_rules,)."""
    return hits(counts, classes) / np.maximum(row_sums(counts), 1)


def precision_interval(
    right: npt.ArrayLike, covered: npt.ArrayLike, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Jeffreys' interval of the share of right records: quantiles of Beta(right + 1/2, wrong + 1/2).

    It stays between 0 and 1, reaches 0 where none is right and 1 where all are, and holds what it promises on average
    even for a handful of records (Brown, Cai and DasGupta 2001). From 0 to 1 where there are no records.

    Parameters
    ----------
    right, covered : array-like of the same shape
        Records of the rule's class, and all that it covers.
    confidence : float, default=0.95

    Returns
    -------
    low, high : ndarrays of that shape

    Examples
    --------
    >>> low, high = precision_interval(19, 20)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.789 to 0.995
    """
    right, covered = np.asarray(right), np.asarray(covered)
    wrong, tail = covered - right, (1 - confidence) / 2
    low = np.where(right == 0, 0.0, betaincinv(right + 0.5, wrong + 0.5, tail))
    high = np.where(wrong == 0, 1.0, betaincinv(right + 0.5, wrong + 0.5, 1 - tail))
    return low, high


class Limits(NamedTuple):
    """What a rule must exceed on the records that it is judged by.

    Attributes
    ----------
    n_records : int
        What coverage is a share of.
    min_coverage, min_precision : float
    """

    n_records: int
    min_coverage: float
    min_precision: float

    def exceeded_by(self, counts: IntArray, classes: IntArray) -> BoolArray:
        """Whether rules with these counts are general and precise enough; shape (n_rules,)."""
        covered = row_sums(counts)
        is_precise = hits(counts, classes) / np.maximum(covered, 1) > self.min_precision
        return np.asarray(is_precise & (covered / self.n_records > self.min_coverage))
