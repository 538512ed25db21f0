"""The classical m-estimate."""

from typing import Self

from rulekit.core.arrays import FloatArray
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator


class MEstimate(ProbabilityEstimator):
    """Class shares drawn towards the class prior: `(N_ry + m p(y)) / (N_r + m)`.

    Parameters
    ----------
    m : float, default=5.0
        Weight of the prior in records, above 0.
    """

    def __init__(self, m: float = 5.0) -> None:
        self.m = m

    def fit(self, index: TrainingIndex) -> Self:
        """Learn the class prior."""
        check_number(self, "m", 0, above=True)
        self.class_prior_ = index.class_counts / index.n_records
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class shares, of shape (n_rules, n_classes)."""
        return (rules.counts + self.m * self.class_prior_) / (rules.support[:, None] + self.m)
