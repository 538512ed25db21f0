"""The temperature of the smallest log-loss: one number that makes all probabilities more or less extreme."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.statistics import row_sums

#: Temperatures lie between this and its inverse. Beyond, probabilities are 0 or 1, or all equal.
LOWEST_TEMPERATURE = 1e-4


def best_temperature(logs: FloatArray, class_indices: IntArray, l2: float, weights: FloatArray | None = None) -> float:
    """The T for which `softmax(logs / T)` has the smallest mean log-loss plus `l2 * (1/T - 1)²`.

    Parameters
    ----------
    logs : ndarray of shape (n_samples, n_classes)
        Finite logarithms of predicted probabilities.
    class_indices : ndarray of shape (n_samples,)
    l2 : float
    weights : ndarray of shape (n_samples,), optional
        What each sample counts as in the mean.
    """
    gaps = logs - np.take_along_axis(logs, class_indices[:, None], axis=1)

    def slope(sharpness: float) -> float:
        """Derivative of the loss by 1/T. It is non-decreasing, because the loss is convex in 1/T."""
        pull = np.average(row_sums(softmax(sharpness * gaps, axis=1) * gaps), weights=weights)
        return float(pull) + 2 * l2 * (sharpness - 1)

    return 1 / _minimiser(slope, LOWEST_TEMPERATURE, 1 / LOWEST_TEMPERATURE)


def _minimiser(slope: Callable[[float], float], low: float, high: float) -> float:
    """Where a convex function with this slope is smallest between two limits."""
    if slope(low) >= 0:
        return low
    if slope(high) <= 0:
        return high
    return float(brentq(slope, low, high, xtol=1e-12))
