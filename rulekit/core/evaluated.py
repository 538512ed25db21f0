"""What measures are computed from: true classes, predictions, and the rules behind them if there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from rulekit.core.arrays import FloatArray, IntArray, LabelArray
    from rulekit.ruleset import RuleSet
    from rulekit.threshold import DecisionThreshold


@attrs.frozen(eq=False)
class Evaluated:
    """A model's predictions of held-out samples, beside the truth.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        Index of each sample's true class among `classes`.
    probabilities : ndarray of shape (n_samples, n_classes)
        Predicted probabilities.
    classes : ndarray of shape (n_classes,)
        The label of each column of `probabilities`.
    ruleset : RuleSet or None
        The rules that predict; None for a model without rules.
    ensemble_predicted : ndarray of shape (n_samples,) or None
        Labels that the ensemble predicts; None if there is no ensemble to compare with.
    decision_threshold : DecisionThreshold or None
        Where `predict` changes from one class to the other; None if it answers the most probable class.
    """

    y: IntArray
    probabilities: FloatArray
    classes: LabelArray
    ruleset: RuleSet | None = None
    ensemble_predicted: LabelArray | None = None
    decision_threshold: DecisionThreshold | None = None

    @property
    def predicted(self) -> IntArray:
        """Index of the class that each sample is predicted as, of shape (n_samples,)."""
        threshold = self.decision_threshold
        return self.most_probable if threshold is None else threshold.decide(self.probabilities)

    @property
    def most_probable(self) -> IntArray:
        """Index of each sample's most probable class, the first of equals; shape (n_samples,)."""
        return self.probabilities.argmax(axis=1)
