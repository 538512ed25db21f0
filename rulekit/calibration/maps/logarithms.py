"""Logarithms of probabilities that may be 0."""

import numpy as np

from rulekit.core.arrays import FloatArray

#: Smaller probabilities are replaced by this value. Rules often predict exactly 0 because of few samples: with a floor
#: of 1e-12 these extreme values would dominate the fit of the map.
CLIP = 1e-6


def clipped_log(probabilities: FloatArray, clip: float) -> FloatArray:
    """`log(max(p, clip))`, of the same shape."""
    return np.log(np.maximum(probabilities, clip))
