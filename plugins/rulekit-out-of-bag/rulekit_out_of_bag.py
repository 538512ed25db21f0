"""Rules judged by records that did not help to choose them, as a probability estimator for rulekit."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

import rulekit
from rulekit.components import instance
from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator


class OutOfBag(ProbabilityEstimator):
    """What another estimator says, from records that neither the search nor the ensemble has seen.

    Parameters
    ----------
    estimator : ProbabilityEstimator or str, default="hybrid"
        What states the probabilities. It sees the records that are held back, and no others.
    share : float, default=0.3
        Share of each class that is held back; at least one record of a class that has two or more, and never all.
    random_state : int, default=0
        Chooses the records.
    """

    def __init__(
        self, estimator: ProbabilityEstimator | str = "hybrid", *, share: float = 0.3, random_state: int = 0
    ) -> None:
        self.estimator = estimator
        self.share = share
        self.random_state = random_state

    def hold_back(self, y: IntArray) -> BoolArray:
        """Which records judge, of shape (n_records,)."""
        check_number(self, "share", 0, 1, above=True)
        random = check_random_state(self.random_state)
        held = np.zeros(len(y), dtype=bool)
        for label in np.unique(y):
            of_class = np.flatnonzero(y == label)
            n_held = min(max(1, round(self.share * len(of_class))), len(of_class) - 1)
            held[random.permutation(of_class)[:n_held]] = True
        return held

    def fit(self, index: TrainingIndex) -> Self:
        """Fit the other estimator."""
        self.estimator_ = clone(instance("probability", self.estimator)).fit(index)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """What the other estimator says, of shape (n_rules, n_classes)."""
        return self.estimator_.estimate(rules)

    def support(self, rules: RuleBatch) -> FloatArray:
        """The support that the other estimator works with, of shape (n_rules,)."""
        return self.estimator_.support(rules)


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Make the estimator known under its name."""
    registry.add("probability", "out-of-bag", OutOfBag)
