"""Scores: how good a list of rules is on the training samples; the loop keeps the better list."""

from typing import ClassVar

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import Score
from rulekit.core.rules import RuleList, Rules, answered_counts, default_counts


class MacroF1(Score):
    """Macro-averaged F1 of the predicted classes, as in the publications."""

    supports_weights: ClassVar[bool] = True
    best: ClassVar[float] = 1.0

    def score(self, rules: Rules, context: SearchContext) -> float:
        """From 0 to 1."""
        index = context.index
        answered = answered_counts(rules.bits, index)
        predicted = np.append(rules.classes, default_counts(answered, index).argmax())
        predicted_as = np.zeros((index.n_classes, index.n_classes), dtype=answered.dtype)
        np.add.at(predicted_as, predicted, answered)
        both = predicted_as.sum(axis=1) + index.class_counts
        seen = both > 0
        scores = 2 * predicted_as.diagonal()[seen] / both[seen]
        return float(scores.sum() / len(scores))


class LogLoss(Score):
    """Negative log-loss of the probabilities that the search estimator gives to the list and its default rule.

    Parameters
    ----------
    floor : float, default=1e-12
        Smaller probabilities are replaced by this value.
    """

    supports_weights: ClassVar[bool] = True
    best: ClassVar[float] = 0.0

    def __init__(self, floor: float = 1e-12) -> None:
        self.floor = floor

    def score(self, rules: Rules, context: SearchContext) -> float:
        """At most 0, which is best."""
        ordered = RuleList(context.data, rules.conditions, rules.priors, rules.counts, rules.bits)
        probabilities: FloatArray = context.search_estimator.estimate_list(ordered)
        logs = np.log(np.maximum(probabilities, self.floor))
        return float((ordered.answered_counts * logs).sum() / context.index.total)
