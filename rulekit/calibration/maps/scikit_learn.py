"""scikit-learn's own maps, reached through its public classes."""

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rulekit.core.arrays import FloatArray, IntArray


class HandOn(ClassifierMixin, BaseEstimator):
    """A classifier whose samples are probabilities, which it returns unchanged.

    scikit-learn calibrates classifiers, not arrays. Around this one, its calibration is a map from array to array.
    """

    def fit(self, probabilities: FloatArray, positions: IntArray) -> Self:
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


def fitted_calibrator(method: Literal["sigmoid", "isotonic"], probabilities: FloatArray, positions: IntArray) -> Any:
    """A `CalibratedClassifierCV` that has learned one map from all samples."""
    from sklearn.calibration import CalibratedClassifierCV  # 40 modules that the other maps do not need

    calibrator = CalibratedClassifierCV(HandOn(), method=method, cv=Everything(), ensemble=True)
    return calibrator.fit(probabilities, positions)
