"""Distribution of the rules' predicted probabilities: in tenths, and finer near 1."""

from typing import Final

import numpy as np

from rulekit.core.arrays import FloatArray

#: The lowest probability of each band; the last is exactly 1.
BANDS: Final[dict[str, float]] = {
    "< 0.5": 0.0,
    "0.5-0.6": 0.5,
    "0.6-0.7": 0.6,
    "0.7-0.8": 0.7,
    "0.8-0.9": 0.8,
    "0.9-0.99": 0.9,
    "0.99-0.999": 0.99,
    "0.999-1": 0.999,
    "= 1": 1.0,
}


def band_fractions(probabilities: FloatArray) -> FloatArray:
    """Fraction of the probabilities in each band, the lower edge included.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rules,)

    Returns
    -------
    fractions : ndarray of shape (n_bands,)
        NaN if there are no rules.

    Examples
    --------
    >>> import numpy as np
    >>> band_fractions(np.array([1.0, 0.9995, 0.55, 1.0])).tolist()
    [0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5]
    """
    bands = np.searchsorted(list(BANDS.values()), probabilities, side="right") - 1
    counts = np.bincount(bands, minlength=len(BANDS)).astype(np.float64)
    return counts / len(probabilities) if len(probabilities) else np.full(len(BANDS), np.nan)
