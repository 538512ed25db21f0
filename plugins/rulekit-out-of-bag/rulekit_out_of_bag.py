"""Rule probabilities from samples that the search has not seen: a probability estimator for rulekit."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

import rulekit
from rulekit.plugin import (
    BoolArray,
    FloatArray,
    IntArray,
    ProbabilityEstimator,
    RuleBatch,
    RuleList,
    TrainingData,
    check_number,
    make_component,
)


class OutOfBag(ProbabilityEstimator):
    """Probabilities from another estimator, fitted on samples that neither the search nor the ensemble has seen.

    Parameters
    ----------
    estimator : ProbabilityEstimator or str, default="hybrid"
        The estimator that predicts the probabilities. It sees only the samples that are held back.
    fraction : float, default=0.3
        Fraction of each class that is held back; at least one sample of a class with two or more, and never all.
    random_state : int, default=0
        Seed for choosing the samples.
    """

    def __init__(
        self, estimator: ProbabilityEstimator | str = "hybrid", *, fraction: float = 0.3, random_state: int = 0
    ) -> None:
        self.estimator = estimator
        self.fraction = fraction
        self.random_state = random_state

    @property
    def needs_order(self) -> bool:  # type: ignore[override]  # a constant of other classes
        """Whether the other estimator depends on the order of the rules."""
        return make_component("probability", self.estimator).needs_order

    def hold_back(self, y: IntArray) -> BoolArray:
        """Mask of the samples to hold back, of shape (n_samples,)."""
        check_number(self, "fraction", 0, 1, above=True)
        random = check_random_state(self.random_state)
        held = np.zeros(len(y), dtype=bool)
        for label in np.unique(y):
            of_class = np.flatnonzero(y == label)
            n_held = min(max(1, round(self.fraction * len(of_class))), len(of_class) - 1)
            held[random.permutation(of_class)[:n_held]] = True
        return held

    def fit(self, data: TrainingData) -> Self:
        """Fit the other estimator."""
        self.estimator_ = make_component("probability", self.estimator).fit(data)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Probabilities from the other estimator, of shape (n_rules, n_classes)."""
        return self.estimator_.estimate(rules)

    def estimate_list(self, rules: RuleList) -> FloatArray:
        """Probabilities from the other estimator for the finished list, of shape (n_rules + 1, n_classes)."""
        probabilities = self.estimator_.estimate_list(rules)
        self.report_ = dict(getattr(self.estimator_, "report_", {}))
        return probabilities

    def support(self, rules: RuleBatch) -> FloatArray:
        """The support that the other estimator uses, of shape (n_rules,)."""
        return self.estimator_.support(rules)


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the estimator under its name."""
    registry.add("probability", "out-of-bag", OutOfBag)
