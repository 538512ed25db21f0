"""The counts of the samples that each rule answers, drawn towards honest predictions of the ensemble."""

from typing import ClassVar, Self

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_choice, check_number, check_whole_number
from rulekit.core.errors import InvalidParameterError
from rulekit.core.honest import HonestSamples, NoHonestProbabilities, honest_ensemble
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch, RuleList
from rulekit.core.training_data import TrainingData

HONEST = ("auto", "out-of-bag", "cross-fit", "none")


class Answered(ProbabilityEstimator):
    """`(n_ry + m pi_ry + a) / (n_r + m + C a)` over the samples that rule r answers, `n_ry` of them of class y.

    The prior `pi_r` is half the mean of honest predictions of the ensemble for the answered samples, half
    `(N_ry + 1) / (N_r + C)` over all samples that the rule covers. A prediction is honest if the model that made it did
    not see the sample: the trees of forests, extra trees and bagging with bootstrap samples for which it is out of bag,
    or a copy of the ensemble that was fitted without it. All are tempered by one temperature. Where the refine stage
    has made virtual samples, `pi_r` is the mean of honest predictions for the real and virtual samples that the rule
    answers, and m is `virtual_strength`. Where no honest predictions are known, and where the result would change the
    most frequent class of the answered samples, a rule states `(n_ry + 1) / (n_r + C)`. The default rule is estimated
    like the others; its region is what it answers.

    It estimates finished decision lists only, because the samples that a rule answers depend on the rules before it.

    Parameters
    ----------
    strength : float, default=20.0
        Weight of the prior in samples (m).
    smoothing : float, default=0.5
        Imaginary samples of every class (a), above 0.
    honest : {"auto", "out-of-bag", "cross-fit", "none"}, default="auto"
        "auto" uses the honest predictions of the refine stage, or else out-of-bag predictions, if there are any;
        "out-of-bag" and "cross-fit" ask for these, and raise if the ensemble has none or cannot be fitted again; "none"
        does without.
    n_folds : int, default=5
        Folds of cross-fitting: the ensemble is fitted once more for each.
    virtual_strength : float, default=80.0
        Weight of the prior in samples where the refine stage has made virtual samples.

    Attributes
    ----------
    report_ : dict
        After `estimate_list`: "honest", the source of the predictions or "none", and their "temperature" or None.
    """

    needs_order = True

    supports_weights: ClassVar[bool] = True

    def __init__(
        self,
        strength: float = 20.0,
        smoothing: float = 0.5,
        honest: str = "auto",
        n_folds: int = 5,
        virtual_strength: float = 80.0,
    ) -> None:
        self.strength = strength
        self.smoothing = smoothing
        self.honest = honest
        self.n_folds = n_folds
        self.virtual_strength = virtual_strength

    def fit(self, data: TrainingData) -> Self:
        """Check the parameters; there is nothing to learn before the list is known."""
        check_number(self, "strength", 0)
        check_number(self, "smoothing", 0, above=True)
        check_choice(self, "honest", HONEST)
        check_whole_number(self, "n_folds", 2, or_none=False)
        check_number(self, "virtual_strength", 0)
        if self.honest == "out-of-bag" and data.out_of_bag_probabilities is None:
            raise InvalidParameterError(
                "Answered: honest='out-of-bag' needs a forest or bagging whose trees see bootstrap samples, fitted on "
                "these very samples. Use honest='auto' to do without where there is none."
            )
        self._last: tuple[TrainingData, HonestSamples | None] | None = None
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Add-one smoothing of the covered samples, as if each rule were alone; shape (n_rules, n_classes)."""
        return _laplace(rules.counts)

    def estimate_list(self, rules: RuleList) -> FloatArray:
        """Probabilities of the rules and the default rule, of shape (n_rules + 1, n_classes)."""
        honest = self._honest(rules)
        self.report_: dict[str, object] = {
            "honest": "none" if honest is None else honest.source,
            "temperature": None if honest is None else honest.temperature,
        }
        counts = rules.answered_counts
        if honest is None:
            return _laplace(counts)
        means = _honest_means(rules, honest)
        if honest.n_virtual:
            return _stated(counts, means, self.virtual_strength, self.smoothing)
        region = np.vstack([rules.counts.reshape(-1, rules.data.n_classes), counts[-1]])
        return _stated(counts, (means + _laplace(region)) / 2, self.strength, self.smoothing)

    def _honest(self, rules: RuleList) -> HonestSamples | None:
        """The honest predictions to use: those of the refine stage, or of the samples that are counted."""
        if self.honest == "none":
            return None
        if rules.honest is not None and self.honest in ("auto", rules.honest.source):
            return rules.honest
        if self._last is None or self._last[0] is not rules.data:
            # All lists of a path share these predictions, which may have cost fits.
            self._last = rules.data, self._predicted(rules.data)
        return self._last[1]

    def _predicted(self, data: TrainingData) -> HonestSamples | None:
        """Honest predictions of the samples that are counted; None if there are none and none are asked for."""
        source = "out-of-bag" if self.honest == "auto" else self.honest
        try:
            return HonestSamples.of(data, honest_ensemble(data, source, self.n_folds))
        except NoHonestProbabilities as reason:
            if self.honest == "auto":
                return None
            raise InvalidParameterError(
                f"Answered: honest={self.honest!r} is not possible: {reason}. Use honest='auto' to do without."
            ) from reason


def _honest_means(rules: RuleList, honest: HonestSamples) -> FloatArray:
    """Mean honest probabilities of the real and virtual samples that each rule answers, (n_rules + 1, n_classes).

    The class fractions of all samples where it answers none.
    """
    answering = RuleList(honest.data, rules.conditions).answering if honest.n_virtual else rules.answering
    sums = np.zeros((len(rules) + 1, rules.data.n_classes))
    answering, weights = answering[honest.known], honest.weights[honest.known]
    np.add.at(sums, answering, weights[:, None] * honest.probabilities[honest.known])
    answered = np.bincount(answering, weights, minlength=len(sums))[:, None]
    fractions = rules.data.class_counts / rules.data.total
    return np.where(answered > 0, sums / np.where(answered > 0, answered, 1), fractions)


def _laplace(counts: IntArray) -> FloatArray:
    smoothed = counts + 1.0
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def _stated(counts: IntArray, prior: FloatArray, strength: float, smoothing: float) -> FloatArray:
    """The counts drawn towards the prior, or add-one smoothing where this would change the most frequent class."""
    drawn = counts + strength * prior + smoothing
    drawn /= drawn.sum(axis=1, keepdims=True)
    most_frequent = counts == counts.max(axis=1, keepdims=True)
    keeps_class = np.where(most_frequent, drawn, 0).max(axis=1) == drawn.max(axis=1)
    return np.where(keeps_class[:, None], drawn, _laplace(counts))
