"""The order in which rules stand: by support, coverage and precision, then by length, then by text."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.rules import hits

Merits: TypeAlias = npt.NDArray[np.complex128]
RuleOrder = Literal["support", "coverage", "precision"]
RULE_ORDERS: tuple[RuleOrder, ...] = ("support", "coverage", "precision")


def precision(counts: IntArray, classes: IntArray) -> FloatArray:
    """Share of each rule's records that are of its class, 0 for a rule without records; shape (n_rules,)."""
    covered = counts.sum(axis=1)
    return hits(counts, classes) / np.maximum(covered, 1)


def merit(counts: IntArray, classes: IntArray, first: RuleOrder) -> Merits:
    """One number per rule that orders rules by their statistics, larger first.

    Support, coverage and precision follow from any two of them, so two decide. NumPy orders complex numbers by their
    real, then their imaginary part, which makes one sortable number of the two without losing a bit.
    """
    own, covered = hits(counts, classes), counts.sum(axis=1)
    if first == "support":
        return own + 1j * covered
    if first == "coverage":
        return covered + 1j * own
    return precision(counts, classes) + 1j * own


def text_order(conditions: IntArray, pad: int) -> IntArray:
    """Rows by number of conditions, more first, then by text; condition ids are ranks of their texts."""
    if not conditions.shape[1]:
        return np.arange(len(conditions))
    n_missing = (conditions == pad).sum(axis=1)
    keys = np.column_stack([n_missing, conditions])
    # Big-endian bytes compare as the numbers do, so that one sort of byte strings orders whole rows.
    rows = np.ascontiguousarray(keys, dtype=">u4").view(f"S{4 * keys.shape[1]}")[:, 0]
    return np.argsort(rows, kind="stable")
