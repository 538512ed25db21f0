"""Choosing the strength of the penalty by cross-validation."""

import warnings
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from rulekit.plugin import FloatArray, IntArray
from rulekit_rulefit.logistic import fit_weights

#: The weakest penalty that is tried is this many times weaker than the one with which no feature has a weight. Beyond,
#: hundreds of rules have a weight, and most of the time would be spent there.
WEAKEST: Final = 50.0
#: Penalties are tried from the strongest on; the search ends after this many in a row that are worse than the best.
PATIENCE: Final = 2
#: Sums over the samples that are smaller than this fraction of their number are rounding errors.
ROUNDING: Final = 1e-12
#: Good enough to compare penalties.
TOLERANCE: Final = 1e-3


class Path(NamedTuple):
    """Penalties that were tried.

    Attributes
    ----------
    C : ndarray of shape (n_tried,)
        Inverse strengths, ascending.
    losses : ndarray of shape (n_tried,)
        Log-loss of the samples when they were left out.
    errors : ndarray of shape (n_tried,)
        Its standard error, from the folds.
    """

    C: FloatArray
    losses: FloatArray
    errors: FloatArray

    def choose(self, one_standard_error: bool) -> float:
        """The best penalty, or the strongest that is worse by no more than a standard error of the best."""
        best = int(self.losses.argmin())
        limit = self.losses[best] + (self.errors[best] if one_standard_error else 0.0)
        return float(self.C[np.flatnonzero(self.losses <= limit)[0]])


def weakest_without_features(features: csr_array, y: IntArray, n_classes: int) -> float:
    """The largest C for which no feature has a weight in any class's model; infinite if none ever has."""
    surplus = np.eye(n_classes)[y] - np.bincount(y, minlength=n_classes) / len(y)
    steepest = np.abs(features.T @ surplus).max(initial=0.0)
    return float(1 / steepest) if steepest > ROUNDING * len(y) else np.inf


def try_penalties(
    features: csr_array, y: IntArray, n_classes: int, n_penalties: int, n_folds: int, random: np.random.RandomState
) -> Path:
    """Cross-validate penalties from the strongest on, until they get worse.

    Parameters
    ----------
    features : sparse array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    n_classes, n_penalties, n_folds : int
    random : numpy RandomState
    """
    strongest = weakest_without_features(features, y, n_classes)
    steps = strongest * WEAKEST ** (np.arange(1, n_penalties + 1) / n_penalties)
    parts, seed = split(features, y, folds_of(y, n_folds, random)), random.randint(2**31 - 1)
    tried: list[list[FloatArray]] = []
    for C in steps.tolist():
        tried.append([part.losses(n_classes, C, seed) for part in parts])
        means = [np.concatenate(losses).mean() for losses in tried]
        if len(means) - 1 - int(np.argmin(means)) >= PATIENCE:
            break
    of_folds = np.array([[losses.mean() for losses in of_parts] for of_parts in tried])
    return Path(steps[: len(tried)], np.array(means), of_folds.std(axis=1, ddof=1) / np.sqrt(len(parts)))


class Part(NamedTuple):
    """Samples to learn from, and those that are left out."""

    features: csr_array
    y: IntArray
    features_left_out: csr_array
    y_left_out: IntArray

    def losses(self, n_classes: int, C: float, seed: int) -> FloatArray:
        """Log-loss of each sample that is left out."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the final model will warn
            fitted = fit_weights(self.features, self.y, n_classes, C, TOLERANCE, seed)
        log_probabilities = fitted.log_probabilities(self.features_left_out)
        return -log_probabilities[np.arange(len(self.y_left_out)), self.y_left_out]


def split(features: csr_array, y: IntArray, folds: IntArray) -> list[Part]:
    """A part for each fold."""
    return [
        Part(features[folds != fold], y[folds != fold], features[folds == fold], y[folds == fold])
        for fold in range(int(folds.max()) + 1)
    ]


def folds_of(y: IntArray, n_folds: int, random: np.random.RandomState) -> IntArray:
    """The fold in which each sample is left out, of shape (n_samples,); stratified by class.

    The only sample of a class is never left out (-1): without it nothing could be learnt about the class.
    """
    folds = np.full(len(y), -1)
    for members in (np.flatnonzero(y == label) for label in np.unique(y)):
        if len(members) > 1:
            folds[random.permutation(members)] = np.arange(len(members)) % n_folds
    return folds
