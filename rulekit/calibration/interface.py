"""What a map must offer."""

from abc import ABCMeta, abstractmethod
from typing import Self

from sklearn.base import BaseEstimator

from rulekit.core.arrays import FloatArray, IntArray


class CalibrationMap(BaseEstimator, metaclass=ABCMeta):
    """From stated to calibrated probabilities.

    A scikit-learn `BaseEstimator`: `__init__` stores its explicit parameters and does nothing else.
    """

    @abstractmethod
    def fit(self, probabilities: FloatArray, positions: IntArray) -> Self:
        """Learn the map.

        Parameters
        ----------
        probabilities : ndarray of shape (n_samples, n_classes)
            What a model states of samples that it was not trained on.
        positions : ndarray of shape (n_samples,)
            The column of each sample's true class.

        Returns
        -------
        self
        """

    @abstractmethod
    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
