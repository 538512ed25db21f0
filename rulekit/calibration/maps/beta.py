"""Beta calibration: a curve for each class with separate parameters for both ends of the scale."""

from typing import Self

import numpy as np
from scipy.optimize import Bounds
from scipy.special import expit

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.calibration.maps.descent import minimiser
from rulekit.calibration.maps.logarithms import CLIP, clipped_log
from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import CalibrationMap

#: a = b = 1 and c = 0 leave every probability unchanged.
IDENTITY = np.array([1.0, 1.0, 0.0])
LIMITS = Bounds([0.0, 0.0, -np.inf], np.inf)


class Beta(CalibrationMap):
    """`1 / (1 + exp(-(a log p - b log(1 - p) + c)))` with the a, b ≥ 0 and c of the smallest log-loss.

    The map of a model whose probabilities follow a beta distribution in each class. It is non-decreasing in p. With
    more than two classes, each is mapped against the rest and the results are scaled to sum to 1.

    Parameters
    ----------
    l2 : float, default=1e-6
        Weight of `(a - 1)² + (b - 1)² + c²`, added to the mean log-loss. Negligible unless the log-loss alone
        has no unique minimum: where p separates the classes, or where the model predicts only two values.
    clip : float, default=1e-6
        Smaller p, and smaller 1 - p, are replaced by this value.

    Attributes
    ----------
    coef_ : ndarray of shape (n_curves, 3)
        a, b and c of each class; of the second class only, if there are two.
    n_classes_ : int

    References
    ----------
    Kull, Silva Filho, Flach (2017). Beta calibration: a well-founded and easily implemented improvement on logistic
    calibration for binary classifiers. AISTATS.

    Examples
    --------
    >>> predicted = [[0.99, 0.01]] * 10
    >>> Beta().fit(predicted, [0] * 8 + [1] * 2).transform(predicted)[0].round(3).tolist()
    [0.8, 0.2]
    """

    def __init__(self, l2: float = 1e-6, clip: float = CLIP) -> None:
        self.l2 = l2
        self.clip = clip

    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Find a, b and c of each class; see `CalibrationMap.fit`."""
        check_number(self, "l2", 0)
        check_number(self, "clip", 0, 0.1, above=True)
        predicted, truth = checked_samples(probabilities, class_indices)
        self.n_classes_ = predicted.shape[1]
        classes = [1] if self.n_classes_ == 2 else range(self.n_classes_)
        self.coef_ = np.array([self._curve(predicted[:, column], truth == column) for column in classes])
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        predicted = checked_input(self, probabilities)
        if self.n_classes_ == 2:
            score = self._columns(predicted[:, 1]) @ self.coef_[0]
            return np.column_stack([expit(-score), expit(score)])
        curves = zip(predicted.T, self.coef_, strict=True)
        mapped = np.column_stack([expit(self._columns(column) @ coefficients) for column, coefficients in curves])
        return mapped / mapped.sum(axis=1, keepdims=True)

    def _columns(self, p: FloatArray) -> FloatArray:
        """The factors of a, b and c, of shape (n_samples, 3)."""
        return np.column_stack([clipped_log(p, self.clip), -clipped_log(1 - p, self.clip), np.ones(len(p))])

    def _curve(self, p: FloatArray, is_class: BoolArray) -> FloatArray:
        """The a, b and c of one class, of shape (3,)."""
        columns, sign = self._columns(p), np.where(is_class, 1.0, -1.0)

        def loss(coefficients: FloatArray) -> tuple[float, FloatArray]:
            margin = sign * (columns @ coefficients)
            excess = coefficients - IDENTITY
            gradient = -(sign * expit(-margin)) @ columns / len(p) + 2 * self.l2 * excess
            return float(np.logaddexp(0, -margin).mean() + self.l2 * (excess**2).sum()), gradient

        return minimiser(loss, IDENTITY, method="L-BFGS-B", bounds=LIMITS, options={"gtol": 1e-9, "ftol": 1e-15})
