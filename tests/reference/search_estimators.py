"""Search estimators: exact counts (RC+) or likelihoods of single conditions (RCProb)."""

import math
from typing import Protocol

from attrs import frozen

from .arithmetic import rounded_log, sum_in_order
from .conditions import Antecedent
from .estimators import naive_bayes_of
from .rules import Rule
from .statistics import Thresholds, measure
from .training import TrainingSet


@frozen
class Estimate:
    """Number of samples that an antecedent covers, and the probability of one class among them."""

    n_covered: float
    probability: float


class SearchEstimator(Protocol):
    """Decides which combined rules are candidates, and how a rule errs."""

    def accepts(self, candidate: Rule, first: Rule, second: Rule, thresholds: Thresholds) -> bool:
        """Whether ``candidate``, combined from ``first`` and ``second``, is worth keeping."""

    def estimate(self, antecedent: Antecedent, class_index: int) -> Estimate:
        """Support and class probability of a non-empty antecedent."""


@frozen
class EmpiricalSearchEstimator:
    """Exact counts on D."""

    training: TrainingSet

    def accepts(self, candidate: Rule, first: Rule, second: Rule, thresholds: Thresholds) -> bool:
        """Compare the candidate's exact precision and coverage with the thresholds."""
        return thresholds.admit(measure(candidate, self.training, self.training.everything))

    def estimate(self, antecedent: Antecedent, class_index: int) -> Estimate:
        """Count."""
        counts = self.training.counts_of(antecedent)
        n_covered = sum(counts)
        return Estimate(n_covered, counts[class_index] / n_covered if n_covered else 0.0)


@frozen
class NaiveBayesSearchEstimator:
    """Likelihoods of single conditions, multiplied as if they were independent."""

    training: TrainingSet
    eta: float

    def accepts(self, candidate: Rule, first: Rule, second: Rule, thresholds: Thresholds) -> bool:
        """Compare bounds and estimates, without counting the candidate's samples."""
        n_samples = self.training.n_samples
        n_first = self.training.weight_of(self.training.satisfying(first.antecedent))
        n_second = self.training.weight_of(self.training.satisfying(second.antecedent))
        likely = naive_bayes_of(candidate.antecedent, self.training, self.eta)
        return (
            min(n_first, n_second) / n_samples > thresholds.min_coverage
            and likely[candidate.class_index] > thresholds.min_precision
            and n_first * n_second / n_samples**2 > thresholds.min_coverage
        )

    def estimate(self, antecedent: Antecedent, class_index: int) -> Estimate:
        """Independence support and naive Bayes probability."""
        likely = naive_bayes_of(antecedent, self.training, self.eta)
        return Estimate(self._independence_support(antecedent), likely[class_index])

    def _independence_support(self, antecedent: Antecedent) -> float:
        """``n * prod_a (N_a / n)``."""
        n_samples = self.training.n_samples
        n_satisfying = [sum(self.training.counts_of(frozenset({condition}))) for condition in antecedent]
        if 0 in n_satisfying:
            return 0.0
        return n_samples * math.exp(sum_in_order(rounded_log(count / n_samples) for count in n_satisfying))
