"""Empirical-Bayes smoothing as a probability estimator for rulekit."""

from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

import rulekit
from rulekit.plugin import FloatArray, IntArray, ProbabilityEstimator, RuleBatch, TrainingData, check_number

#: All peaks of the likelihood are found that are farther apart than the limits' ratio to the power of 1 / N_STEPS.
N_STEPS = 64


class UninformativeLeavesError(rulekit.RulekitError, ValueError):
    """The ensemble's leaves do not determine how strongly to smooth."""


class BetaBinomial(ProbabilityEstimator):
    """Class fractions smoothed towards those of all samples, as strongly as the ensemble's leaves suggest.

    `(N_ry + s p(y)) / (N_r + s)`. The strength s is the one under which the class counts of the ensemble's leaves are
    most likely, if the class fractions of leaves follow a Dirichlet distribution with mean `p(y)` and concentration s.
    It lies between `min_strength` and the number of training samples.

    Parameters
    ----------
    min_strength : float, default=0.1
        Minimum strength in samples, above 0; it is used if every leaf is pure.

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Class fractions of the training samples.
    strength_ : float
        Weight of the class fractions, in samples.
    """

    def __init__(self, min_strength: float = 0.1) -> None:
        self.min_strength = min_strength

    def fit(self, data: TrainingData) -> Self:
        """Learn the class fractions and, from the leaves, their weight."""
        check_number(self, "min_strength", 0, above=True)
        self.class_prior_ = data.class_counts / data.n_samples
        limits = self.min_strength, max(self.min_strength, float(data.n_samples))
        self.strength_ = most_likely_strength(data.leaf_counts, self.class_prior_, limits)
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Smoothed class fractions, of shape (n_rules, n_classes)."""
        return (rules.counts + self.strength_ * self.class_prior_) / (rules.support[:, None] + self.strength_)


def most_likely_strength(counts: IntArray, mean: FloatArray, limits: tuple[float, float]) -> float:
    """The strength within the limits under which the class counts of leaves are most likely.

    Parameters
    ----------
    counts : ndarray of shape (n_leaves, n_classes)
    mean : ndarray of shape (n_classes,)
        Mean class fractions; a class with a fraction of 0 has no sample in any leaf.
    limits : tuple of float
        Smallest and largest strength, above 0.
    """
    if not (counts.sum(axis=1) > 1).any():
        raise UninformativeLeavesError(
            "BetaBinomial learns how strongly to smooth from leaves with at least two training samples, but none of "
            f"the ensemble's {len(counts)} has two. Use shallower trees, or the m-estimate with a fixed strength."
        )
    occurs = mean > 0
    distinct, times = np.unique(counts[:, occurs], axis=0, return_counts=True)

    def rise(log_strength: float) -> float:
        return float(times @ slope(float(np.exp(log_strength)), distinct, mean[occurs]))

    def likelihood(strength: float) -> float:
        return float(times @ log_likelihood(strength, distinct, mean[occurs]))

    # One leaf has a single peak (Levin and Reeds, 1977), leaves of different sizes together may have several.
    grid = np.linspace(*np.log(limits), N_STEPS)
    rises = [rise(step) for step in grid]
    steps = zip(grid, grid[1:], rises, rises[1:], strict=False)
    peaks = [
        np.exp(brentq(rise, low, high, xtol=1e-12)) for low, high, at_low, at_high in steps if at_low > 0 >= at_high
    ]
    return float(max((limits[0], *peaks, limits[1]), key=likelihood))


def log_likelihood(strength: float, counts: IntArray, mean: FloatArray) -> FloatArray:
    """Logarithm of each leaf's Dirichlet-multinomial likelihood, without the terms that do not depend on the strength.

    Parameters
    ----------
    strength : float
    counts : ndarray of shape (n_leaves, n_classes)
    mean : ndarray of shape (n_classes,)

    Returns
    -------
    logarithms : ndarray of shape (n_leaves,)
    """
    of_classes = (gammaln(counts + strength * mean) - gammaln(strength * mean)).sum(axis=1)
    return np.asarray(of_classes - gammaln(counts.sum(axis=1) + strength) + gammaln(strength))


def slope(strength: float, counts: IntArray, mean: FloatArray) -> FloatArray:
    """Derivative of each leaf's `log_likelihood` with respect to the strength.

    Parameters
    ----------
    strength : float
        Concentration: the sum of the Dirichlet distribution's parameters.
    counts : ndarray of shape (n_leaves, n_classes)
    mean : ndarray of shape (n_classes,)
        Mean of the Dirichlet distribution, above 0 everywhere.

    Returns
    -------
    slopes : ndarray of shape (n_leaves,)
    """
    of_classes = (digamma(counts + strength * mean) - digamma(strength * mean)) @ mean
    return np.asarray(of_classes - digamma(counts.sum(axis=1) + strength) + digamma(strength))


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the estimator under its name."""
    registry.add("probability", "beta-binomial", BetaBinomial)
