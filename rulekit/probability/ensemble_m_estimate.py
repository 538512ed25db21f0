"""The m-estimate whose prior is the ensemble's class distribution of the rule."""

from typing import Self

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch
from rulekit.core.training_data import TrainingData


class EnsembleMEstimate(ProbabilityEstimator):
    """Class fractions shrunk to the rule's local prior: `(N_ry + t q_ry) / (N_r + t)`, `t = min(strength, N_r)`.

    The prior never outweighs the samples: for a rule with fewer than `strength` samples both weigh the same. A rule
    without samples gets its prior.

    Parameters
    ----------
    strength : float, default=5.0
        Largest weight of the prior in samples.
    """

    def __init__(self, strength: float = 5.0) -> None:
        self.strength = strength

    def fit(self, data: TrainingData) -> Self:
        """Check the parameter; there is nothing to learn."""
        check_number(self, "strength", 0)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class fractions, of shape (n_rules, n_classes)."""
        support = rules.support[:, None]
        weight = np.minimum(self.strength, support)
        smoothed = (rules.counts + weight * rules.priors) / np.maximum(support + weight, 1)
        return np.where(support > 0, smoothed, rules.priors)
