"""Estimators as a researcher would write them: plain NumPy on the public interface, nothing made for speed."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rulekit.core.interfaces import ProbabilityEstimator


class PlainFractions(ProbabilityEstimator):
    """Share of each class among the samples that a rule covers; its prior if it covers none."""

    def estimate(self, rules: Any) -> NDArray[np.float64]:
        """Class shares, of shape (n_rules, n_classes)."""
        totals = rules.counts.sum(axis=1, keepdims=True)
        return np.where(totals > 0, rules.counts / np.maximum(totals, 1), rules.priors)


class PlainEvidence(ProbabilityEstimator):
    """Naive Bayes on the conditions of a rule, smoothed by one imaginary sample.

    Sums are not made exact as the built-in estimator makes them, so that rules with the same evidence may tie or not.
    """

    uses_counts: ClassVar[bool] = False

    def fit(self, index: Any) -> Self:
        """Learn the evidence of every condition; the last row, which stands for no condition, has none."""
        class_counts, counts = index.class_counts, index.condition_counts
        self.n_samples_ = index.n_samples
        self.log_prior_ = np.log((class_counts + 1) / (index.n_samples + index.n_classes))
        self.log_likelihoods_ = np.log((counts + 1) / (class_counts + 2))
        self.log_likelihoods_[index.pad] = 0
        with np.errstate(divide="ignore"):
            self.log_fractions_ = np.log(counts.sum(axis=1) / index.n_samples)
        return self

    def estimate(self, rules: Any) -> NDArray[np.float64]:
        """Class probabilities, of shape (n_rules, n_classes)."""
        scores = self.log_prior_ + self.log_likelihoods_[rules.conditions].sum(axis=1)
        likelihoods = np.exp(scores - scores.max(axis=1, keepdims=True))
        return likelihoods / likelihoods.sum(axis=1, keepdims=True)

    def support(self, rules: Any) -> NDArray[np.float64]:
        """Samples that each rule would cover if its conditions were independent, of shape (n_rules,)."""
        return self.n_samples_ * np.exp(self.log_fractions_[rules.conditions].sum(axis=1))
