"""The mixture that RCProb states."""

from typing import Self

from rulekit.core.arrays import FloatArray
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.probability.ensemble_m_estimate import EnsembleMEstimate
from rulekit.probability.naive_bayes import NaiveBayes


class Hybrid(ProbabilityEstimator):
    """`l * naive-bayes + (1 - l) * ensemble-m-estimate` with `l = N_r / (N_r + n0)`.

    Rules with little support lean on what the ensemble says; with growing support the smoothed evidence of their
    conditions takes over.

    Parameters
    ----------
    eta : float, default=1.0
        Smoothing of the naive Bayes part.
    tau : float, default=5.0
        Prior strength of the m-estimate.
    n0 : float, default=50.0
        Support at which both parts weigh the same, above 0.
    """

    def __init__(self, eta: float = 1.0, tau: float = 5.0, n0: float = 50.0) -> None:
        self.eta = eta
        self.tau = tau
        self.n0 = n0

    def fit(self, index: TrainingIndex) -> Self:
        """Fit both parts."""
        check_number(self, "eta", 0, above=True)
        check_number(self, "tau", 0)
        check_number(self, "n0", 0, above=True)
        self.naive_bayes_ = NaiveBayes(self.eta).fit(index)
        self.m_estimate_ = EnsembleMEstimate(self.tau).fit(index)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Mixed class probabilities, of shape (n_rules, n_classes)."""
        support = rules.support[:, None]
        mix = support / (support + self.n0)
        return mix * self.naive_bayes_.estimate(rules) + (1.0 - mix) * self.m_estimate_.estimate(rules)
