"""How time grows with size."""

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The power `b` of `seconds = a * sizes ** b`, by least squares on the logarithms.

    Parameters
    ----------
    sizes, seconds : sequences of the same length, at least 2
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)
