"""L1 logistic models, one for each class against the others, as one table of weights."""

from typing import Any, Final, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_expit, log_softmax
from sklearn.linear_model import LogisticRegression

from rulekit.plugin import FloatArray, IntArray

#: The solver penalises the intercept too, as the weight of a feature that always has this value, so its penalty is a
#: hundredth of that of a weight. A larger value slows the solver down and changes only the third digit of answers.
INTERCEPT_SCALING: Final = 100.0
MAX_ITERATIONS: Final = 1000


class Weights(NamedTuple):
    """Intercepts and weights of the log-odds of each class.

    Attributes
    ----------
    intercepts : ndarray of shape (n_classes,)
    weights : ndarray of shape (n_features, n_classes)
    """

    intercepts: FloatArray
    weights: FloatArray

    def log_probabilities(self, features: Any) -> FloatArray:
        """Logarithms of class probabilities, from (n_samples, n_features) to (n_samples, n_classes)."""
        return normalised(np.asarray(features @ self.weights) + self.intercepts)


def normalised(log_odds: FloatArray) -> FloatArray:
    """Log probabilities from the log-odds of each class against the others; shape (n_samples, n_classes)."""
    return log_softmax(log_expit(log_odds), axis=1)


def fit_weights(features: csr_array, y: IntArray, n_classes: int, C: float, tol: float, seed: int) -> Weights:
    """Fit a model for each class; of two classes the second, whose weights with the other sign are the first's.

    Parameters
    ----------
    features : sparse array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
    C : float
        Inverse strength of the penalty.
    tol : float
        The solver stops when the gradient has shrunk to this fraction of its initial size.
    seed : int
    """
    # A class that the ensemble knows but no sample has gets the odds of half a sample.
    intercepts = np.full(n_classes, -np.log(2 * len(y)))
    weights = np.zeros((features.shape[1], n_classes))
    for column in [1] if n_classes == 2 else np.unique(y).tolist():
        model = against_others(C, tol, seed).fit(features, y == column)
        intercepts[column], weights[:, column] = model.intercept_[0], model.coef_[0]
    if n_classes == 2:
        intercepts[0], weights[:, 0] = -intercepts[1], -weights[:, 1]
    return Weights(intercepts, weights)


def against_others(C: float, tol: float, seed: int) -> LogisticRegression:
    """The unfitted scikit-learn model of one class against the others."""
    # liblinear descends coordinate by coordinate, which for thousands of sparse features takes tenths of seconds;
    # the multinomial solver, saga, has not converged after minutes.
    return LogisticRegression(
        C=C,
        l1_ratio=1.0,
        solver="liblinear",
        intercept_scaling=INTERCEPT_SCALING,
        tol=tol,
        max_iter=MAX_ITERATIONS,
        random_state=seed,
    )
