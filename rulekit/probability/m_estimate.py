"""The classical m-estimate."""

from typing import ClassVar, Self

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch
from rulekit.core.training_data import TrainingData


class MEstimate(ProbabilityEstimator):
    """Class fractions shrunk towards the class prior: `(N_ry + m p(y)) / (N_r + m)`.

    Parameters
    ----------
    strength : float, default=5.0
        Weight of the prior in samples, above 0.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(self, strength: float = 5.0) -> None:
        self.strength = strength

    def fit(self, data: TrainingData) -> Self:
        """Learn the class prior."""
        check_number(self, "strength", 0, above=True)
        self.class_prior_ = data.class_counts / data.total
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class fractions, of shape (n_rules, n_classes)."""
        return (rules.counts + self.strength * self.class_prior_) / (rules.support[:, None] + self.strength)
