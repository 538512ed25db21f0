"""Jeffreys' smoothing as a probability estimator for rulekit."""

from typing import Any

import rulekit
from rulekit.plugin import FloatArray, ProbabilityEstimator, RuleBatch


class Jeffreys(ProbabilityEstimator):
    """Class fractions after adding half a pseudo-sample to every class."""

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class fractions, of shape (n_rules, n_classes)."""
        counts = rules.counts + 0.5
        return counts / counts.sum(axis=1, keepdims=True)


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the estimator under its name."""
    registry.add("probability", "jeffreys", Jeffreys)
