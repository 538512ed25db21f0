"""Factorised asymptotic Bayesian (FAB) inference: E and M steps until the criterion stays, from several starts."""

from typing import NamedTuple

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit_defragtrees.indicators import Indicators
from rulekit_defragtrees.mixture import Mixture, criterion, expect, penalty_of

#: A component with a smaller share of the records has vanished; its loss is too small to be seen in the criterion.
VANISHED = 1e-12
#: While the start is still random, few updates in each E step, because more would shrink components too soon.
EARLY_ITERATIONS, EARLY_UPDATES, UPDATES = 5, 2, 10


class Fit(NamedTuple):
    """Where one start has led to: the components, and the criterion after each iteration."""

    mixture: Mixture
    history: list[float]


def best_fit(
    indicators: Indicators,
    *,
    max_components: int,
    max_iter: int,
    tol: float,
    n_restarts: int,
    rng: np.random.Generator,
) -> tuple[Fit, FloatArray]:
    """The fit with the largest criterion (the first of several), and the criterion that each start has led to."""
    fits = [fit(indicators, max_components, max_iter, tol, stream) for stream in rng.spawn(n_restarts)]
    reached = np.array([each.history[-1] for each in fits])
    return fits[int(reached.argmax())], reached


def fit(indicators: Indicators, max_components: int, max_iter: int, tol: float, rng: np.random.Generator) -> Fit:
    """Components from one random start; `max_iter` iterations or until the criterion grows by less than `tol`."""
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
        if iteration > 0 and history[-1] - history[-2] < tol:
            break
    return Fit(mixture, history)


def without_vanished(responsibilities: FloatArray, counts: FloatArray) -> FloatArray:
    """Responsibilities of the components that still have records, each row summing to one again."""
    sizes = counts @ responsibilities
    alive = sizes > VANISHED * counts.sum()
    if alive.all():
        return responsibilities
    kept = responsibilities[:, alive]
    return kept / kept.sum(axis=1, keepdims=True)
