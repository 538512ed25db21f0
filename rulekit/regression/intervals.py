"""Conformal intervals: how far targets lie from predictions that did not see them, in units of their scales."""

from collections.abc import Iterable

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.regression.rules import N_LEVELS


def conformal_quantiles(scores: Iterable[float]) -> FloatArray:
    """The factor of the scale for intervals of every level, of shape (1000,).

    Of n scores, the k-th smallest with k = ceil(level * (n + 1)) is exceeded by a new one with a probability of at most
    1 - level, whatever their distribution. Where k is larger than n, the interval is infinite.

    Parameters
    ----------
    scores : iterable of float
        Distance of each target from a prediction that did not see it, divided by its scale.

    Examples
    --------
    >>> conformal_quantiles([3.0, 1.0, 2.0])[[500, 900]].tolist()
    [2.0, inf]
    """
    ordered = np.sort(np.fromiter(scores, dtype=np.float64))
    # In whole numbers: 0.9 * 10 is a little more or less than 9 in binary.
    positions = -(-np.arange(N_LEVELS) * (len(ordered) + 1) // N_LEVELS)
    return np.append(ordered, np.inf)[np.clip(positions - 1, 0, len(ordered))]


def scores_of(targets: FloatArray, predicted: FloatArray, scales: FloatArray) -> FloatArray:
    """Distance of targets from predictions in units of their scales, of shape (n_samples,); 0 where both are 0."""
    distances = np.abs(targets - predicted)
    return np.divide(distances, scales, out=np.where(distances > 0, np.inf, 0.0), where=scales > 0)
