"""The counts of the samples that each rule answers, drawn towards honest predictions of the ensemble."""

from typing import Self

import numpy as np
from scipy.special import softmax

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_choice, check_number
from rulekit.core.errors import InvalidParameterError
from rulekit.core.honest import HonestSamples
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch, RuleList
from rulekit.core.temperature import best_temperature
from rulekit.core.training_data import TrainingData

HONEST = ("auto", "out-of-bag", "none")
# Smallest probability that is tempered, and the weight that keeps the temperature finite; see the map `Temperature`.
SMALLEST, L2 = 1e-6, 1e-6
# Strength and smoothing where the refine stage has made virtual samples.
SOFT_STRENGTH, SOFT_SMOOTHING = 80.0, 0.5


class Answered(ProbabilityEstimator):
    """`(n_ry + m pi_ry + a) / (n_r + m + C a)` over the samples that rule r answers, `n_ry` of them of class y.

    The prior `pi_r` is half the mean of honest predictions of the ensemble for the answered samples, half
    `(N_ry + 1) / (N_r + C)` over all samples that the rule covers. A prediction is honest if the trees that made it
    did not see the sample: out of bag in forests, extra trees and bagging with bootstrap samples. All are tempered by
    one temperature. Where none are known, as for boosting, and where the result would change the most frequent class
    of the answered samples, a rule states `(n_ry + 1) / (n_r + C)`. The default rule is estimated like the others; its
    region is what it answers.

    It estimates finished decision lists only, because the samples that a rule answers depend on the rules before it.

    Parameters
    ----------
    strength : float, default=20.0
        Weight of the prior in samples (m).
    smoothing : float, default=0.5
        Imaginary samples of every class (a), above 0.
    honest : {"auto", "out-of-bag", "none"}, default="auto"
        "auto" uses out-of-bag predictions if the ensemble has any; "out-of-bag" raises if it has none; "none" does
        without.

    Attributes
    ----------
    report_ : dict
        After `estimate_list`: "honest", the source of the predictions or "none", and their "temperature" or None.
    """

    needs_order = True

    def __init__(self, strength: float = 20.0, smoothing: float = 0.5, honest: str = "auto") -> None:
        self.strength = strength
        self.smoothing = smoothing
        self.honest = honest

    def fit(self, data: TrainingData) -> Self:
        """Check the parameters; there is nothing to learn before the list is known."""
        check_number(self, "strength", 0)
        check_number(self, "smoothing", 0, above=True)
        check_choice(self, "honest", HONEST)
        if self.honest == "out-of-bag" and data.out_of_bag_probabilities is None:
            raise InvalidParameterError(
                "Answered: honest='out-of-bag' needs a forest or bagging whose trees see bootstrap samples, fitted on "
                "these very samples. Use honest='auto' to do without where there is none."
            )
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Add-one smoothing of the covered samples, as if each rule were alone; shape (n_rules, n_classes)."""
        return _laplace(rules.counts)

    def estimate_list(self, rules: RuleList) -> FloatArray:
        """Probabilities of the rules and the default rule, of shape (n_rules + 1, n_classes)."""
        self.report_: dict[str, object] = {"honest": "none", "temperature": None}
        counts, n_classes = rules.answered_counts, rules.data.n_classes
        if self.honest == "none":
            return _laplace(counts)
        if rules.honest is not None:
            self.report_ = {"honest": rules.honest.source, "temperature": rules.honest.temperature}
            prior = self._prior_of_virtual(rules, rules.honest)
            return _stated(counts, prior, SOFT_STRENGTH, SOFT_SMOOTHING)
        predicted = rules.data.out_of_bag_probabilities
        known = np.zeros(0, dtype=bool) if predicted is None else ~np.isnan(predicted).any(axis=1)
        if predicted is None or not known.any():
            return _laplace(counts)
        logs = np.log(np.maximum(predicted[known], SMALLEST))
        temperature = best_temperature(logs, rules.data.y[known], L2)
        self.report_ = {"honest": "out-of-bag", "temperature": temperature}
        tempered = softmax(logs / temperature, axis=1)
        shares = rules.data.class_counts / rules.data.n_samples
        means = _means(rules.answering[known], tempered, np.tile(shares, (len(counts), 1)))
        region = np.vstack([rules.counts.reshape(-1, n_classes), counts[-1]])
        return _stated(counts, (means + _laplace(region)) / 2, self.strength, self.smoothing)

    def _prior_of_virtual(self, rules: RuleList, honest: HonestSamples) -> FloatArray:
        """Mean honest probabilities over the real and virtual samples that each rule answers."""
        everything = rules.data.with_samples(honest.X, np.zeros(len(honest.X), dtype=np.int64))
        known = ~np.isnan(honest.probabilities).any(axis=1)
        shares = rules.data.class_counts / rules.data.n_samples
        answering = RuleList(everything, rules.conditions).answering[known]
        return _means(answering, honest.probabilities[known], np.tile(shares, (len(rules) + 1, 1)))


def _laplace(counts: IntArray) -> FloatArray:
    smoothed = counts + 1.0
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def _means(answering: IntArray, probabilities: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Mean probabilities of the samples that each rule answers, of shape (n_rules + 1, n_classes)."""
    sums = np.zeros(otherwise.shape)
    np.add.at(sums, answering, probabilities)
    n_answered = np.bincount(answering, minlength=len(otherwise))[:, None]
    return np.where(n_answered > 0, sums / np.maximum(n_answered, 1), otherwise)


def _stated(counts: IntArray, prior: FloatArray, strength: float, smoothing: float) -> FloatArray:
    """The counts drawn towards the prior, or add-one smoothing where this would change the most frequent class."""
    drawn = counts + strength * prior + smoothing
    drawn /= drawn.sum(axis=1, keepdims=True)
    most_frequent = counts == counts.max(axis=1, keepdims=True)
    keeps_class = np.where(most_frequent, drawn, 0).max(axis=1) == drawn.max(axis=1)
    return np.where(keeps_class[:, None], drawn, _laplace(counts))
