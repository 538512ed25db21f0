"""Logarithms of probabilities that may be 0."""

import numpy as np

from rulekit.core.arrays import FloatArray

#: A smaller probability counts as this much. Rules often state exactly 0, for want of samples: a floor of 1e-12 would
#: take them at their word, and one map would have to serve such claims and all others.
CLIP = 1e-6


def clipped_log(probabilities: FloatArray, clip: float) -> FloatArray:
    """`log(max(p, clip))`, of the same shape."""
    return np.log(np.maximum(probabilities, clip))
