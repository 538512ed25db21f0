"""Add-one smoothing."""

from typing import Self

from rulekit.core.arrays import FloatArray
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator


class Laplace(ProbabilityEstimator):
    """Class shares after adding `strength` imaginary records to every class: `(N_ry + a) / (N_r + C a)`.

    Parameters
    ----------
    strength : float, default=1.0
        Imaginary records per class, above 0.
    """

    def __init__(self, strength: float = 1.0) -> None:
        self.strength = strength

    def fit(self, index: TrainingIndex) -> Self:
        """Check the parameter; there is nothing to learn."""
        check_number(self, "strength", 0, above=True)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class shares, of shape (n_rules, n_classes)."""
        counts = rules.counts + self.strength
        return counts / counts.sum(axis=1, keepdims=True)
