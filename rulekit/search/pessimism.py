"""How wrong a rule may well be, given how few records it was seen on."""

import numpy as np
from scipy.special import ndtri

from rulekit.core.arrays import FloatArray


def pessimistic_error(support: FloatArray, error: FloatArray, confidence: float) -> FloatArray:
    """Upper limit, in percent, of the error rate of rules seen to be wrong at rate `error` on `support` records.

    The limit of the interval that Wilson gave for a share, at level `confidence`; 0 for rules without records.

    Parameters
    ----------
    support, error : ndarray of shape (n_rules,)
    confidence : float
        Smaller is more pessimistic.
    """
    z = ndtri(1.0 - confidence / 2.0)
    # Numerator and denominator of the usual form times the support, which may be next to nothing.
    spread = z * np.sqrt(support * error * (1.0 - error) + z**2 / 4.0)
    limit = (support * error + z**2 / 2.0 + spread) / np.where(support > 0, support + z**2, 1.0)
    return np.where(support > 0, 100.0 * limit, 0.0)
