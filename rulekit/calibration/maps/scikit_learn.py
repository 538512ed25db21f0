"""scikit-learn's own maps, reached through its public classes: Platt scaling and isotonic regression."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import CalibrationMap


class HandOn(ClassifierMixin, BaseEstimator):
    """A classifier whose samples are probabilities, which it returns unchanged.

    scikit-learn calibrates classifiers, not arrays. Around this one, its calibration is a map from array to array.
    """

    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Store the classes."""
        self.classes_ = np.arange(probabilities.shape[1])
        return self

    def predict_proba(self, probabilities: FloatArray) -> FloatArray:
        """The same array, of shape (n_samples, n_classes)."""
        return probabilities


class Everything:
    """A splitter with one fold: all samples. A model that learns nothing needs no held-out samples."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """All rows as training part, and all rows as test part."""
        rows = np.arange(len(X))
        yield rows, rows

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """One."""
        return 1


class ScikitLearnMap(CalibrationMap):
    """A map of scikit-learn, learnt from all samples at once."""

    #: scikit-learn's name of the map.
    method: ClassVar[Literal["sigmoid", "isotonic"]]

    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Find the curve of each class; see `CalibrationMap.fit`."""
        from sklearn.calibration import CalibratedClassifierCV  # 40 modules that the other maps do not need

        predicted, truth = checked_samples(probabilities, class_indices)
        calibrator = CalibratedClassifierCV(HandOn(), method=self.method, cv=Everything(), ensemble=True)
        self.calibrator_ = calibrator.fit(predicted, truth)
        self.n_classes_ = predicted.shape[1]
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        predicted = checked_input(self, probabilities)
        return self.calibrator_.predict_proba(predicted)


class Sigmoid(ScikitLearnMap):
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

    method: ClassVar[Literal["sigmoid", "isotonic"]] = "sigmoid"


class Isotonic(ScikitLearnMap):
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

    method: ClassVar[Literal["sigmoid", "isotonic"]] = "isotonic"
