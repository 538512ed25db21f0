"""How strong the penalty should be: as records that were left out say."""

import warnings
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from rulekit.core.arrays import FloatArray, IntArray
from rulekit_rulefit.logistic import fit_weights

#: The weakest penalty that is tried is this many times weaker than the one that lets nothing in.
WEAKEST: Final = 100.0
#: Penalties are tried from the strongest on; this many in a row that are worse than the best so far end it.
PATIENCE: Final = 2
#: Sums over the records that are smaller than this share of their number are rounding.
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
        Log-loss of the records when they were left out.
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
    features : sparse array of shape (n_records, n_features)
    y : ndarray of shape (n_records,)
    n_classes, n_penalties, n_folds : int
    random : numpy RandomState
    """
    strongest = weakest_without_features(features, y, n_classes)
    steps = strongest * WEAKEST ** (np.arange(1, n_penalties + 1) / n_penalties)
    folds, seed = folds_of(y, n_folds, random), random.randint(2**31 - 1)
    tried: list[FloatArray] = []
    for C in steps.tolist():
        tried.append(_losses(features, y, n_classes, folds, C, seed))
        means = [losses.mean() for losses in tried]
        if len(means) - 1 - int(np.argmin(means)) >= PATIENCE:
            break
    return _summary(steps[: len(tried)], np.array(tried), folds)


def folds_of(y: IntArray, n_folds: int, random: np.random.RandomState) -> IntArray:
    """In which part a record is left out, of shape (n_records,): classes are spread evenly.

    A class with a single record is never left out (-1): without it nothing could be learnt of the class.
    """
    folds = np.full(len(y), -1)
    for members in (np.flatnonzero(y == label) for label in np.unique(y)):
        if len(members) > 1:
            folds[random.permutation(members)] = np.arange(len(members)) % n_folds
    return folds


def _losses(features: csr_array, y: IntArray, n_classes: int, folds: IntArray, C: float, seed: int) -> FloatArray:
    """Log-losses of all records that are left out in some fold, in the order of the records."""
    losses = np.zeros(len(y))
    for fold in range(int(folds.max()) + 1):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the final model will say so
            fitted = fit_weights(features[train], y[train], n_classes, C, TOLERANCE, seed)
        losses[test] = -fitted.log_probabilities(features[test])[np.arange(len(test)), y[test]]
    return losses[folds >= 0]


def _summary(C: FloatArray, losses: FloatArray, folds: IntArray) -> Path:
    """Means and standard errors over folds, from losses of shape (n_tried, n_left_out)."""
    of_fold = folds[folds >= 0]
    n_folds = int(of_fold.max()) + 1
    means = np.column_stack([losses[:, of_fold == fold].mean(axis=1) for fold in range(n_folds)])
    return Path(C, losses.mean(axis=1), means.std(axis=1, ddof=1) / np.sqrt(n_folds))
