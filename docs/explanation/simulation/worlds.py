"""Worlds in which the truth about a rule is known: from where samples are drawn, and what a rule should predict."""

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from scipy.stats import multivariate_normal, norm

N_FEATURES = 8
N_INFORMATIVE = 4
#: Enough for six digits of a rule's truth.
N_NODES = 60


@attrs.frozen(eq=False)
class World:
    """A class is drawn first, then features around its centre; within a class all features share one factor.

    Attributes
    ----------
    name : str
    fractions : ndarray of shape (n_classes,)
        How frequent the classes are.
    centres : ndarray of shape (n_classes, n_features)
    correlation : float
        Between any two features within a class; with 0 naive Bayes is right.
    """

    name: str
    fractions: NDArray[np.float64]
    centres: NDArray[np.float64]
    correlation: float = 0.0

    def draw(self, n_samples: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Samples of shape (n_samples, n_features) and their classes."""
        classes = rng.choice(len(self.fractions), n_samples, p=self.fractions)
        shared = rng.normal(size=(n_samples, 1))
        own = rng.normal(size=(n_samples, self.centres.shape[1]))
        noise = np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * own
        return self.centres[classes] + noise, classes

    def posterior(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact class probabilities of samples, of shape (n_samples, n_classes)."""
        n_features = self.centres.shape[1]
        covariance = (1 - self.correlation) * np.eye(n_features) + self.correlation
        logarithms = [
            np.log(fraction) + multivariate_normal.logpdf(X, centre, covariance)
            for fraction, centre in zip(self.fractions, self.centres, strict=True)
        ]
        return np.asarray(softmax(np.column_stack(logarithms), axis=1))

    def truth(self, conditions: Iterable[Any]) -> NDArray[np.float64]:
        """Exact class probabilities of the samples that satisfy all conditions, of shape (n_classes,).

        Given the shared factor the features are independent, so that a box has a product as its probability; the
        factor is integrated out by Gauss-Hermite quadrature.
        """
        low = np.full(self.centres.shape[1], -np.inf)
        high = np.full(self.centres.shape[1], np.inf)
        for condition in conditions:
            position = condition.feature_index
            if condition.operator == "<=":
                high[position] = min(high[position], condition.threshold)
            else:
                low[position] = max(low[position], condition.threshold)
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        centres = self.centres[:, None] + np.sqrt(self.correlation) * nodes[:, None]
        own = np.sqrt(1 - self.correlation)
        inside = (norm.cdf((high - centres) / own) - norm.cdf((low - centres) / own)).prod(axis=2)
        joint = self.fractions * (inside @ weights)
        return joint / joint.sum()


def two_classes(name: str, *, rare: float = 0.5, correlation: float = 0.0) -> World:
    """Two classes, one standard deviation apart in each of the informative features."""
    centres = np.zeros((2, N_FEATURES))
    centres[1, :N_INFORMATIVE] = 1.0
    return World(name, np.array([1 - rare, rare]), centres, correlation)


def five_classes(name: str) -> World:
    """Five equally frequent classes around random centres."""
    centres = np.zeros((5, N_FEATURES))
    centres[:, :N_INFORMATIVE] = 1.2 * np.random.default_rng(5).normal(size=(5, N_INFORMATIVE))
    return World(name, np.full(5, 0.2), centres)


INDEPENDENT = two_classes("independent")
CORRELATED = two_classes("correlated", correlation=0.5)
RARE = two_classes("rare class", rare=0.1)
FIVE = five_classes("five classes")
WORLDS = (INDEPENDENT, CORRELATED, RARE, FIVE)
