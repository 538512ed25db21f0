"""Where monotone functions of one number cross a limit, to the last bit: bisection over the floats themselves."""

from collections.abc import Callable

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray

#: Numbers that are tried at once for each crossing; 64 bits take 13 steps of 5 bits.
PROBES = 31


def ordinals(values: FloatArray) -> IntArray:
    """Integers in the order of float64 numbers: neighbouring floats have neighbouring integers."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def floats(numbers: IntArray) -> FloatArray:
    """The inverse of `ordinals`."""
    return np.where(numbers >= 0, numbers, np.iinfo(np.int64).min - numbers).view(np.float64)


def last_before(holds: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """The largest number up to which each of several conditions answers as it does at its lower end.

    Parameters
    ----------
    holds : callable
        From numbers of shape (n_conditions, n_probes) to booleans of that shape. Along a row they change at most once
        between the ends.
    low, high : ndarrays of shape (n_conditions,)
        Ends between which each condition changes.

    Returns
    -------
    last : ndarray of shape (n_conditions,)
    """
    at_low = holds(low[:, None])
    first, last = ordinals(low), ordinals(high)
    rows, steps = np.arange(len(first)), np.arange(1, PROBES + 1)
    while (first + 1 < last).any():
        # The distance of two floats can exceed what an integer of 64 bits holds.
        width = np.maximum(last // (PROBES + 1) - first // (PROBES + 1), 1)
        probes = np.minimum(first[:, None] + width[:, None] * steps, last[:, None])
        is_same = (holds(floats(probes)) == at_low) & (probes < last[:, None])
        n_same = np.logical_and.accumulate(is_same, axis=1).sum(axis=1)
        first = np.where(n_same > 0, probes[rows, np.maximum(n_same, 1) - 1], first)
        last = np.where(n_same < PROBES, probes[rows, np.minimum(n_same, PROBES - 1)], last)
    return floats(first)
