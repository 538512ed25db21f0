"""What is to be known of a column of training samples beside the conditions that its values satisfy."""

from collections.abc import Iterable, Mapping
from typing import Protocol, Self

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray

#: Beyond this, not every whole number is a float64.
LARGEST_WHOLE = 2.0**53


class Columns(Protocol):
    """What thresholds are shown by: `TrainingData` and `ColumnFacts` know it."""

    def neighbours(self, feature: int, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The largest value of a feature up to each cutoff, and the smallest one beyond it."""

    def whole_features(self, features: Iterable[int]) -> frozenset[int]:
        """Those of some features whose values are whole numbers."""


def is_whole(column: FloatArray) -> bool:
    """Whether all values that are not missing are whole numbers, exact as such; False if there are none."""
    values = column[~np.isnan(column)]
    return len(values) > 0 and bool(((values == np.rint(values)) & (np.abs(values) <= LARGEST_WHOLE)).all())


def neighbours(cutoffs: FloatArray, column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest value up to each cutoff, and the smallest one beyond it; infinite where there is none.

    Parameters
    ----------
    cutoffs : ndarray of shape (n_cutoffs,)
    column : ndarray of shape (n_samples,)
        Missing values are ignored.

    Returns
    -------
    below, above : ndarrays of shape (n_cutoffs,)
    """
    limits = np.unique(cutoffs)
    return _beside(cutoffs, limits, *_extremes(limits, column))


def standard_deviation(column: FloatArray) -> float:
    """Standard deviation of the values that are not missing; 0 if there are none, or all are equal."""
    values = column[~np.isnan(column)]
    if not len(values):
        return 0.0
    # Squares of 1e300 overflow, those of 1e-300 underflow. Scaling by a power of two is exact both ways.
    _, exponent = np.frexp(np.abs(values).max())
    with np.errstate(under="ignore"):
        return float(np.ldexp(np.ldexp(values, -exponent).std(), exponent))


@attrs.frozen(eq=False)
class ColumnFacts:
    """The same answers for samples in parts, from what each part tells of its columns.

    Attributes
    ----------
    limits : mapping of int to ndarray
        The distinct cutoffs of each feature with thresholds, ascending.
    largest, smallest : mapping of int to ndarray of shape (n_cutoffs + 1,)
        Of the values up to each cutoff and beyond the one before it.
    n_values, means, deviations : ndarrays of shape (n_features,)
        Of the values that are not missing.
    missing : frozenset of int
        Features with missing values.
    fractional : frozenset of int
        Features with values that are not whole numbers.
    recognised, unrecognised : frozenset of int
        Categorical features with a value that the model knows, and those with values of which it knows none in some
        part.
    """

    limits: Mapping[int, FloatArray]
    largest: Mapping[int, FloatArray]
    smallest: Mapping[int, FloatArray]
    n_values: IntArray
    means: FloatArray
    deviations: FloatArray
    missing: frozenset[int]
    fractional: frozenset[int]
    recognised: frozenset[int] = frozenset()
    unrecognised: frozenset[int] = frozenset()

    @classmethod
    def of(cls, X: FloatArray, limits: Mapping[int, FloatArray]) -> Self:
        """What one part tells.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        limits : mapping of int to ndarray
            The distinct cutoffs of each feature with thresholds, ascending.
        """
        largest, smallest = {}, {}
        for feature, of_feature in limits.items():
            largest[feature], smallest[feature] = _extremes(of_feature, X[:, feature])
        missing = np.isnan(X)
        n_values = len(X) - missing.sum(axis=0)
        means = np.array([_mean(column) for column in X.T])
        deviations = np.array([standard_deviation(column) for column in X.T])
        found = frozenset(np.flatnonzero(missing.any(axis=0)).tolist())
        fractional = frozenset(row for row in np.flatnonzero(n_values).tolist() if not is_whole(X[:, row]))
        return cls(limits, largest, smallest, n_values, means, deviations, found, fractional)

    def joined(self, other: "ColumnFacts") -> Self:
        """What both tell together."""
        n_values = self.n_values + other.n_values
        fraction = other.n_values / np.maximum(n_values, 1)
        between = other.means - self.means
        # A hypotenuse neither overflows nor underflows where squares would.
        within = np.hypot(np.sqrt(1 - fraction) * self.deviations, np.sqrt(fraction) * other.deviations)
        deviations = np.hypot(within, np.sqrt(fraction * (1 - fraction)) * between)
        return attrs.evolve(
            self,
            largest={key: np.maximum(values, other.largest[key]) for key, values in self.largest.items()},
            smallest={key: np.minimum(values, other.smallest[key]) for key, values in self.smallest.items()},
            n_values=n_values,
            means=self.means + fraction * between,
            deviations=deviations,
            missing=self.missing | other.missing,
            fractional=self.fractional | other.fractional,
            recognised=self.recognised | other.recognised,
            unrecognised=self.unrecognised | other.unrecognised,
        )

    def neighbours(self, feature: int, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `neighbours`."""
        return _beside(cutoffs, self.limits[feature], self.largest[feature], self.smallest[feature])

    def whole_features(self, features: Iterable[int]) -> frozenset[int]:
        """See `TrainingData.whole_features`."""
        return frozenset(each for each in features if self.n_values[each] and each not in self.fractional)


def _extremes(limits: FloatArray, column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest and the smallest value of each cell between two limits; shape (n_limits + 1,)."""
    values = column[~np.isnan(column)]
    cell: IntArray = np.searchsorted(limits, values, side="left")
    largest, smallest = np.full(len(limits) + 1, -np.inf), np.full(len(limits) + 1, np.inf)
    np.maximum.at(largest, cell, values)
    np.minimum.at(smallest, cell, values)
    return largest, smallest


def _beside(
    cutoffs: FloatArray, limits: FloatArray, largest: FloatArray, smallest: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The largest value up to each cutoff, and the smallest one beyond it."""
    # A cell without samples takes over the values of its neighbours.
    below = np.maximum.accumulate(largest)[:-1]
    above = np.minimum.accumulate(smallest[::-1])[::-1][1:]
    position = np.searchsorted(limits, cutoffs)
    return below[position], above[position]


def _mean(column: FloatArray) -> float:
    """Mean of the values that are not missing; 0 if there are none."""
    values = column[~np.isnan(column)]
    if not len(values):
        return 0.0
    _, exponent = np.frexp(np.abs(values).max())
    with np.errstate(under="ignore"):
        return float(np.ldexp(np.ldexp(values, -exponent).mean(), exponent))
