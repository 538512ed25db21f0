"""Factorised asymptotic Bayesian (FAB) inference: E and M steps until the criterion converges, from several starts."""

import attrs
import numpy as np

from rulekit.plugin import FloatArray
from rulekit_defragtrees.indicators import Indicators
from rulekit_defragtrees.mixture import Mixture, criterion, expect, penalty_of

#: A component with a smaller fraction of the samples has vanished; removing it does not visibly change the criterion.
VANISHED = 1e-12
#: The first iterations have few updates in each E step, because more would shrink components too soon.
EARLY_ITERATIONS, EARLY_UPDATES, UPDATES = 5, 2, 10


@attrs.frozen(eq=False)
class Fit:
    """The result of one start.

    Attributes
    ----------
    mixture : Mixture
    history : list of float
        The criterion after each iteration.
    error : float
        The fraction of training samples whose class differs from that of their region.
    """

    mixture: Mixture
    history: list[float]
    error: float


def best_of(fits: list[Fit]) -> Fit:
    """The fit with the smallest training error; of several, that with the largest criterion, then the first."""
    return min(fits, key=lambda fit: (fit.error, -fit.history[-1]))


def fit(indicators: Indicators, max_components: int, max_iter: int, tol: float, rng: np.random.Generator) -> Fit:
    """Components from one random start.

    There are at most `max_iter` iterations; they end when one raises the criterion by less than `tol` per sample.
    """
    counts, penalty = indicators.counts, penalty_of(indicators)
    log_joint = Mixture.random(indicators, max_components, rng).log_joint(indicators)
    drawn = rng.random((len(counts), max_components))
    responsibilities = drawn / drawn.sum(axis=1, keepdims=True)
    history: list[float] = []
    for iteration in range(max_iter):
        n_updates = EARLY_UPDATES if iteration < EARLY_ITERATIONS else UPDATES
        responsibilities = without_vanished(expect(log_joint, responsibilities, counts, penalty, n_updates), counts)
        mixture = Mixture.most_likely(indicators, responsibilities)
        log_joint = mixture.log_joint(indicators)
        history.append(criterion(log_joint, responsibilities, counts, penalty))
        if iteration > 0 and history[-1] - history[-2] < tol * counts.sum():
            break
    return Fit(mixture, history, mixture.error(indicators))


def without_vanished(responsibilities: FloatArray, counts: FloatArray) -> FloatArray:
    """Responsibilities of the components that still have samples, each row summing to one again."""
    sizes = counts @ responsibilities
    alive = sizes > VANISHED * counts.sum()
    if alive.all():
        return responsibilities
    kept = responsibilities[:, alive]
    return kept / kept.sum(axis=1, keepdims=True)
