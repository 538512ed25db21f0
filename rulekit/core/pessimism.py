"""How wrong a rule may well be, given how few records it was seen on."""

import numpy as np
from scipy.special import ndtri

from rulekit.core.arrays import FloatArray

SMALLEST = float(np.finfo(np.float64).tiny)


def deviations(confidence: float) -> float:
    """How many standard deviations the upper limit lies above the error that was seen; smaller confidence, more."""
    # Asked for from the lower end: next to 1, half of a small confidence would vanish and the quantile be infinite.
    return -float(ndtri(max(confidence / 2.0, SMALLEST)))


def pessimistic_error(support: FloatArray | int, error: FloatArray, z: float) -> FloatArray:
    """Upper limit, in percent, of the error rate of rules seen to be wrong at rate `error` on `support` records.

    The limit of the interval that Wilson gave for a share, `z` deviations away; 0 for rules without records.

    Parameters
    ----------
    support, error : ndarray of shape (n_rules,)
        One support may do for all of them.
    z : float
        See `deviations`.
    """
    square = z * z
    # Numerator and denominator of the usual form times the support, which may be next to nothing.
    spread = z * np.sqrt(support * error * (1.0 - error) + square / 4.0)
    limit = (support * error + square / 2.0 + spread) / np.where(support > 0, support + square, 1.0)
    return np.where(support > 0, 100.0 * limit, 0.0)
