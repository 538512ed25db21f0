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
    n = np.where(support > 0, support, 1.0)
    spread = z * np.sqrt(error * (1.0 - error) / n + z**2 / (4.0 * n**2))
    limit = (error + z**2 / (2.0 * n) + spread) / (1.0 + z**2 / n)
    return np.where(support > 0, 100.0 * limit, 0.0)
