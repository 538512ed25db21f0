"""Random distributions to be combined."""

import numpy as np
from hypothesis import strategies as st

from rulekit.priors.mean import Mean
from rulekit.priors.product import LogLinearPool, Product
from rulekit.priors.weighted_mean import WeightedMean

COMBINERS = [Product(), Mean(), WeightedMean(), LogLinearPool(), LogLinearPool(temperature=0.01)]


@st.composite
def pairs(draw, zeros=True):
    """(left, right, left_support, right_support), some classes impossible."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 5))
    left, right = (rng.dirichlet(np.full(n_classes, 0.5), draw(st.integers(0, 4))) for _ in range(2))
    if zeros and draw(st.booleans()):
        left = np.eye(n_classes)[rng.integers(n_classes, size=len(left))]
        right = np.where(right == right.max(axis=1, keepdims=True), 1.0, 0.0)
    return left, right, rng.integers(0, 3, len(left)), rng.integers(0, 3, len(right))


def combined(combiner, left, right, left_support=(1,), right_support=(1,)):
    """The combination of two single distributions."""
    arrays = (np.array([left]), np.array([right]), np.array(left_support), np.array(right_support))
    return combiner.combine(*arrays)[0, 0].tolist()
