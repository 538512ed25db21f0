"""Rules applied one after the other: who answers for which records."""

import numpy as np

from rulekit.core.arrays import BitArray, IntArray
from rulekit.core.context import SearchContext
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules


def uncovered_before(bits: BitArray) -> BitArray:
    """Records of each rule that no earlier rule covers, of the shape of `bits`."""
    fresh = bits.copy()
    fresh[1:] &= ~np.bitwise_or.accumulate(bits[:-1], axis=0)
    return fresh


def first_match_counts(rules: Rules, index: TrainingIndex) -> IntArray:
    """Records of each class for which a rule is the first that matches, of shape (n_rules, n_classes)."""
    return index.count(uncovered_before(rules.bits))


def default_counts(answered: IntArray, index: TrainingIndex) -> IntArray:
    """Records of each class that no rule answers for, or all records if there are none; shape (n_classes,)."""
    uncovered = index.class_counts - answered.sum(axis=0)
    return uncovered if uncovered.any() else index.class_counts


def macro_f1(rules: Rules, index: TrainingIndex) -> float:
    """Macro-averaged F1 of a decision list with its default rule, on the training records."""
    answered = first_match_counts(rules, index)
    predicted_as = np.zeros((index.n_classes, index.n_classes), dtype=np.int64)
    np.add.at(predicted_as, rules.classes, answered)
    predicted_as[default_counts(answered, index).argmax()] += index.class_counts - answered.sum(axis=0)
    both = predicted_as.sum(axis=1) + index.class_counts
    seen = both > 0
    return float(np.mean(2 * predicted_as.diagonal()[seen] / both[seen]))


def prune_in_order(rules: Rules, context: SearchContext) -> tuple[IntArray, IntArray]:
    """Rows of rules that still qualify on the records which the kept ones before them leave uncovered.

    Returns
    -------
    kept : ndarray of shape (n_kept,)
    counts : ndarray of shape (n_kept, n_classes)
        Of the uncovered records that each kept rule covers.
    """
    rows = np.arange(len(rules))
    while True:
        counts = context.index.count(uncovered_before(rules.bits[rows]))
        qualifies = context.qualifies(counts, rules.classes[rows])
        # A rule that finds no uncovered record takes none away from later rules: leaving it out changes nothing.
        # The first one that fails with records changes what later rules find, so the pass is made again without it.
        disturbing = np.flatnonzero(~qualifies & counts.any(axis=1))
        if not disturbing.size:
            return rows[qualifies], counts[qualifies]
        rows = np.delete(rows, disturbing[0])
