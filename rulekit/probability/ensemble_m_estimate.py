"""The m-estimate whose prior is what the ensemble says of the rule."""

from typing import Self

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator


class EnsembleMEstimate(ProbabilityEstimator):
    """Class shares drawn towards the rule's local prior: `(N_ry + t q_ry) / (N_r + t)`, `t = min(tau, N_r)`.

    The prior never outweighs the records: a rule with fewer than `tau` records takes half of each. A rule without
    records states its prior.

    Parameters
    ----------
    tau : float, default=5.0
        Largest weight of the prior in records.
    """

    def __init__(self, tau: float = 5.0) -> None:
        self.tau = tau

    def fit(self, index: TrainingIndex) -> Self:
        """Check the parameter; there is nothing to learn."""
        check_number(self, "tau", 0)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class shares, of shape (n_rules, n_classes)."""
        support = rules.support[:, None]
        weight = np.minimum(self.tau, support)
        smoothed = (rules.counts + weight * rules.priors) / np.maximum(support + weight, 1)
        return np.where(support > 0, smoothed, rules.priors)
