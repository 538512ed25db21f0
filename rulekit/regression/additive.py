"""Additive rules: a prediction is an intercept and the weights of all rules that cover the sample."""

from collections.abc import Iterator

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.regression.fixed_point import FixedPoint
from rulekit.regression.pool import Pool


@attrs.frozen(eq=False)
class Fitted:
    """Weights of some rules.

    Attributes
    ----------
    rules : tuple of int
        Indices in the pool, in the order in which they were chosen.
    intercept : float
    weights : ndarray of shape (n_rules,)
    left_out : ndarray of shape (n_samples,)
        What the same rules would predict for each training sample with weights learnt from all others.
    """

    rules: tuple[int, ...]
    intercept: float
    weights: FloatArray
    left_out: FloatArray


def forward_selection(pool: Pool, target: FloatArray, max_rules: int, penalty: float) -> Iterator[Fitted]:
    """Rules chosen one by one, with all weights learnt again after each: one list of every length from 0 on.

    The next rule z is the one that explains most of the residuals r: the largest (z . r)^2 / (z . z + penalty).

    Parameters
    ----------
    pool : Pool
    target : ndarray of shape (n_samples,)
    max_rules : int
        The selection also ends where no rule explains anything.
    penalty : float
        Of squared weights, as in ridge regression; the intercept has none.
    """
    chosen: list[int] = []
    covered = np.empty((len(target), 0), dtype=bool)
    unit = FixedPoint.of_sums(float(np.abs(target - target.mean()).max(initial=0.0)) * 4, len(target))
    fitted = _fitted((), covered, target, penalty)
    yield fitted
    while len(chosen) < min(max_rules, len(pool)):
        residuals = target - fitted.intercept - covered @ fitted.weights
        sums = pool.sums(unit.whole(residuals)) * unit.unit
        gains = sums**2 / (pool.n_covered + penalty)
        gains[chosen] = 0.0
        best = int(gains.argmax())
        if not gains[best] > 0:
            return
        chosen.append(best)
        covered = np.column_stack([covered, pool.covers(best)])
        fitted = _fitted(tuple(chosen), covered, target, penalty)
        yield fitted


def _fitted(rules: tuple[int, ...], covered: BoolArray, target: FloatArray, penalty: float) -> Fitted:
    """Ridge regression on the rules, with the leave-one-out predictions that follow from its hat matrix."""
    n_samples = len(target)
    mean = float(target.mean())
    fractions = covered.mean(axis=0)
    # Centred columns take the intercept, which is not penalised, out of the system.
    of_pairs = covered.astype(np.float64).T @ covered - n_samples * np.outer(fractions, fractions)
    of_target = covered.T @ (target - mean)
    inverse = np.linalg.inv(of_pairs + penalty * np.eye(len(rules)))
    weights = inverse @ of_target
    intercept = mean - float(fractions @ weights)
    centred = covered - fractions
    leverage = 1 / n_samples + np.einsum("ij,jk,ik->i", centred, inverse, centred, optimize=True)
    predicted = intercept + covered @ weights
    left_out = target - (target - predicted) / np.maximum(1 - leverage, 1e-12)
    return Fitted(rules, intercept, weights, left_out)
