"""Probabilities whose truth is known."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import softmax

from rulekit.core.arrays import FloatArray, IntArray

Draw = Callable[..., tuple[FloatArray, IntArray]]


@pytest.fixture(scope="session")
def draw() -> Draw:
    """Draws stated probabilities, and classes from `softmax(weights @ log(stated) + intercept)`."""

    def samples(
        n_samples: int, weights: FloatArray, intercept: FloatArray | float = 0.0, seed: int = 0
    ) -> tuple[FloatArray, IntArray]:
        generator = np.random.default_rng(seed)
        predicted = generator.dirichlet(np.ones(len(weights)), size=n_samples)
        true = softmax(np.log(predicted) @ np.asarray(weights).T + intercept, axis=1)
        positions = (generator.uniform(size=(n_samples, 1)) > true.cumsum(axis=1)).sum(axis=1)
        return predicted, np.minimum(positions, len(weights) - 1)

    return samples
