"""Add-one smoothing."""

from typing import ClassVar, Self

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch
from rulekit.core.training_data import TrainingData


class Laplace(ProbabilityEstimator):
    """Class fractions after adding `smoothing` imaginary samples to every class: `(N_ry + a) / (N_r + C a)`.

    Parameters
    ----------
    smoothing : float, default=1.0
        Imaginary samples per class, above 0.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def fit(self, data: TrainingData) -> Self:
        """Check the parameter; there is nothing to learn."""
        check_number(self, "smoothing", 0, above=True)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class fractions, of shape (n_rules, n_classes)."""
        counts = rules.counts + self.smoothing
        return counts / counts.sum(axis=1, keepdims=True)
