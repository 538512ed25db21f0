"""Platt scaling."""

from typing import Self

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.calibration.maps.scikit_learn import fitted_calibrator
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import CalibrationMap


class Sigmoid(CalibrationMap):
    """`1 / (1 + exp(a p + b))`, by scikit-learn.

    A logistic curve over the probability itself, not over its logarithm, as in scikit-learn: nothing is clipped.
    With more than two classes, each is mapped against the rest and the results are scaled to sum to 1.

    Attributes
    ----------
    calibrator_ : CalibratedClassifierCV
        scikit-learn's map.
    n_classes_ : int

    References
    ----------
    Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods.

    Examples
    --------
    >>> predicted = [[0.9, 0.1]] * 5 + [[0.1, 0.9]] * 5
    >>> Sigmoid().fit(predicted, [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]).transform(predicted)[0].round(2).tolist()
    [0.71, 0.29]
    """

    def fit(self, probabilities: FloatArray, positions: IntArray) -> Self:
        """Find a and b of each class; see `CalibrationMap.fit`."""
        predicted, truth = checked_samples(probabilities, positions)
        self.calibrator_ = fitted_calibrator("sigmoid", predicted, truth)
        self.n_classes_ = predicted.shape[1]
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        predicted = checked_input(self, probabilities)
        return self.calibrator_.predict_proba(predicted)
