"""The m-estimate whose prior is the ensemble's, and its mixture with naive Bayes, as in RCProb."""

from typing import ClassVar, Self

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch
from rulekit.core.training_data import TrainingData
from rulekit.probability.naive_bayes import NaiveBayes


class EnsembleMEstimate(ProbabilityEstimator):
    """Class fractions shrunk to the rule's local prior: `(N_ry + t q_ry) / (N_r + t)`, `t = min(strength, N_r)`.

    The prior never outweighs the samples: for a rule with fewer than `strength` samples both weigh the same. A rule
    without samples gets its prior.

    Parameters
    ----------
    strength : float, default=5.0
        Largest weight of the prior in samples.
    """

    supports_weights: ClassVar[bool] = True

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
        smoothed = (rules.counts + weight * rules.priors) / np.where(support > 0, support + weight, 1)
        return np.where(support > 0, smoothed, rules.priors)


class Hybrid(ProbabilityEstimator):
    """`l * naive-bayes + (1 - l) * ensemble-m-estimate` with `l = N_r / (N_r + crossover)`.

    Rules with little support rely on the ensemble; with growing support the smoothed likelihoods of their conditions
    take over.

    Parameters
    ----------
    smoothing : float, default=1.0
        Smoothing of the naive Bayes part.
    strength : float, default=5.0
        Prior strength of the m-estimate.
    crossover : float, default=50.0
        Support at which both parts weigh the same, above 0.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(self, smoothing: float = 1.0, strength: float = 5.0, crossover: float = 50.0) -> None:
        self.smoothing = smoothing
        self.strength = strength
        self.crossover = crossover

    def fit(self, data: TrainingData) -> Self:
        """Fit both parts."""
        check_number(self, "smoothing", 0, above=True)
        check_number(self, "strength", 0)
        check_number(self, "crossover", 0, above=True)
        self.naive_bayes_ = NaiveBayes(self.smoothing).fit(data)
        self.m_estimate_ = EnsembleMEstimate(self.strength).fit(data)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Mixed class probabilities, of shape (n_rules, n_classes)."""
        support = rules.support[:, None]
        mix = support / (support + self.crossover)
        return mix * self.naive_bayes_.estimate(rules) + (1.0 - mix) * self.m_estimate_.estimate(rules)
