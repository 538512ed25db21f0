"""What the class counts of rules say of them."""

from typing import NamedTuple

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, row_sums


def hits(counts: IntArray, classes: IntArray) -> IntArray:
    """Records of each rule's own class: from (n_rules, n_classes) to (n_rules,)."""
    return counts[np.arange(len(classes)), classes]


def precision(counts: IntArray, classes: IntArray) -> FloatArray:
    """Share of each rule's records that are of its class, 0 for a rule without records; shape (n_rules,)."""
    return hits(counts, classes) / np.maximum(row_sums(counts), 1)


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
