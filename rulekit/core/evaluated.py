"""What measures are computed from: true classes, predictions, and the rules behind them if there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from rulekit.core.arrays import FloatArray, IntArray, LabelArray
    from rulekit.ruleset import RuleSet


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
    """

    y: IntArray
    probabilities: FloatArray
    classes: LabelArray
    ruleset: RuleSet | None = None
    ensemble_predicted: LabelArray | None = None

    @property
    def predicted(self) -> IntArray:
        """Index of each sample's most probable class, the first of equals; shape (n_samples,)."""
        return self.probabilities.argmax(axis=1)
