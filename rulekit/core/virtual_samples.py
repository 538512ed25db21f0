"""Virtual samples: mixtures of a training sample and one of its nearest."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from rulekit.core.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from rulekit.core.training_data import TrainingData

#: A partner is one of this many nearest samples.
N_NEAREST = 5
# Distances that are held at once: 32 MB.
BLOCK = 2**22


def virtual_samples(data: "TrainingData", folds: IntArray | None, n_each: int) -> tuple[FloatArray, IntArray]:
    """Mixtures of training samples: each feature has the value of one of two parents, with equal chance.

    Values are never averaged, so a category stays a category, and a value is missing where it is so in the parent.

    Parameters
    ----------
    data : TrainingData
    folds : ndarray of shape (n_samples,) or None
        Both parents are of one fold; None allows any parents.
    n_each : int
        Virtual samples of each training sample.

    Returns
    -------
    X : ndarray of shape (n_samples * n_each, n_features)
        Those of the first sample come first.
    parents : ndarray of shape (n_samples * n_each, 2)
        The training sample, and its partner: one of its nearest samples, or itself if its fold has no other.
    """
    if n_each == 0:  # the distances of all pairs of samples are not needed
        return np.empty((0, data.X.shape[1])), np.empty((0, 2), dtype=np.int64)
    rng = np.random.default_rng(data.seed)
    first = np.repeat(np.arange(data.n_samples), n_each)
    nearest, n_nearest = nearest_samples(_embedded(data), folds)
    choice = (rng.random(len(first)) * n_nearest[first]).astype(np.int64)
    partner = nearest[first, choice]
    of_partner = rng.random((len(first), data.X.shape[1])) < 0.5
    return np.where(of_partner, data.X[partner], data.X[first]), np.column_stack([first, partner])


def nearest_samples(points: FloatArray, folds: IntArray | None) -> tuple[IntArray, IntArray]:
    """The nearest other samples of the same fold, nearest first, the first ones if they tie.

    Returns
    -------
    nearest : ndarray of shape (n_samples, N_NEAREST)
        Filled up with the sample itself.
    n_nearest : ndarray of shape (n_samples,)
        How many of them count: 1, the sample itself, where there is no other.
    """
    n_samples = len(points)
    nearest = np.repeat(np.arange(n_samples)[:, None], N_NEAREST, axis=1)
    n_nearest = np.ones(n_samples, dtype=np.int64)
    at_once = max(1, BLOCK // n_samples)
    for start in range(0, n_samples, at_once):
        rows = np.arange(start, min(start + at_once, n_samples))
        distances = cdist(points[rows], points, "sqeuclidean")
        distances[np.arange(len(rows)), rows] = np.inf
        if folds is not None:
            distances[folds[rows][:, None] != folds] = np.inf
        found = np.argsort(distances, axis=1, kind="stable")[:, :N_NEAREST]
        is_other = np.isfinite(np.take_along_axis(distances, found, axis=1))
        nearest[rows, : found.shape[1]] = np.where(is_other, found, rows[:, None])
        n_nearest[rows] = np.maximum(is_other.sum(axis=1), 1)
    return nearest, n_nearest


def _embedded(data: "TrainingData") -> FloatArray:
    """The samples as points in which every feature that varies contributes 2 to a mean squared distance.

    Numbers are divided by their standard deviation. A missing one takes the mean and has a coordinate of its own. A
    category has a coordinate for each of its values, a missing value included.
    """
    coordinates = [np.zeros((data.n_samples, 1))]
    scales = data.feature_scales(np.arange(data.X.shape[1]))
    categorical = data.forest.categories.keys() | data.forest.set_features
    for feature, column in enumerate(data.X.T):
        missing = np.isnan(column)
        if feature in categorical:
            coordinates.append(_of_categories(column))
        elif not missing.all():
            scaled = column / scales[feature]
            scaled -= scaled[~missing].mean()
            coordinates.append(np.where(missing, 0.0, scaled)[:, None])
        if missing.any() and feature not in categorical:
            coordinates.append(missing[:, None].astype(np.float64))
    return np.hstack(coordinates)


def _of_categories(column: FloatArray) -> FloatArray:
    """One coordinate for each category: two samples that differ are as far apart as is rare for two samples."""
    codes, counts = np.unique(column, return_inverse=True, return_counts=True)[1:]
    differ = 1 - np.square(counts / len(column)).sum()
    return np.eye(len(counts))[codes] / np.sqrt(differ) if len(counts) > 1 else np.zeros((len(column), 1))
