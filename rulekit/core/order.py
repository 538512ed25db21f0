"""The order in which rules stand: by support, coverage and precision, then by length, then by text."""

from typing import Literal

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray, row_sums
from rulekit.core.statistics import hits, precision

RuleOrder = Literal["support", "coverage", "precision"]
RULE_ORDERS: tuple[RuleOrder, ...] = ("support", "coverage", "precision")


def merits(counts: IntArray, classes: IntArray, first: RuleOrder) -> tuple[FloatArray, FloatArray]:
    """Two numbers per rule that order rules by their statistics, larger first, the second where the first ones tie.

    Support, coverage and precision follow from any two of them, so two decide.
    """
    own, covered = hits(counts, classes).astype(np.float64), row_sums(counts).astype(np.float64)
    if first == "support":
        return own, covered
    if first == "coverage":
        return covered, own
    return precision(counts, classes), own


def text_order(conditions: IntArray, pad: int) -> IntArray:
    """Rows by number of conditions, more first, then by text; condition ids are ranks of their texts."""
    if not conditions.shape[1]:
        return np.arange(len(conditions))
    n_missing = (conditions == pad).sum(axis=1)
    keys = np.column_stack([n_missing, conditions])
    # Big-endian bytes compare as the numbers do, so that one sort of byte strings orders whole rows.
    rows = np.ascontiguousarray(keys, dtype=">u4").view(f"S{4 * keys.shape[1]}")[:, 0]
    return np.argsort(rows, kind="stable")
