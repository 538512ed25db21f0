"""Isotonic regression: a step function for each class."""

from typing import Self

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.calibration.maps.scikit_learn import fitted_calibrator
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import CalibrationMap


class Isotonic(CalibrationMap):
    """The non-decreasing curve that fits best, by scikit-learn.

    It may return exactly 0 and 1, takes no logarithm and clips nothing. With more than two classes, each is mapped
    against the rest and the results are scaled to sum to 1; where all are 0, all classes are equally probable.

    Attributes
    ----------
    calibrator_ : CalibratedClassifierCV
        scikit-learn's map.
    n_classes_ : int

    References
    ----------
    Zadrozny, Elkan (2002). Transforming classifier scores into accurate multiclass probability estimates. KDD.

    Examples
    --------
    >>> predicted = [[0.99, 0.01]] * 10
    >>> Isotonic().fit(predicted, [0] * 8 + [1] * 2).transform(predicted)[0].round(3).tolist()
    [0.8, 0.2]
    """

    def fit(self, probabilities: FloatArray, positions: IntArray) -> Self:
        """Find the curve of each class; see `CalibrationMap.fit`."""
        predicted, truth = checked_samples(probabilities, positions)
        self.calibrator_ = fitted_calibrator("isotonic", predicted, truth)
        self.n_classes_ = predicted.shape[1]
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        predicted = checked_input(self, probabilities)
        return self.calibrator_.predict_proba(predicted)
