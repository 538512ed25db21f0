"""Rules applied one after the other: who answers for which records."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules
from rulekit.core.statistics import Limits

EVERY_RULE = Limits(1, -1.0, -1.0)


def first_match_counts(rules: Rules, index: TrainingIndex) -> IntArray:
    """Records of each class for which a rule is the first that matches, of shape (n_rules, n_classes)."""
    return index.engine.sequence(rules.bits, rules.classes, index.everyone.copy(), EVERY_RULE)[1]


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
    scores = 2 * predicted_as.diagonal()[seen] / both[seen]
    return float(scores.sum() / len(scores))
