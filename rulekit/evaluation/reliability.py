"""Reliability of predicted probabilities: samples in bins by the probability of their predicted class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray
from rulekit.evaluation.labels import class_indices
from rulekit.evaluation.measures import N_BINS

if TYPE_CHECKING:
    import pandas as pd

#: Columns of the table of bins.
COLUMNS = ["lower", "n_samples", "confidence", "accuracy", "fraction"]


def reliability(
    y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike, *, n_bins: int = N_BINS
) -> pd.DataFrame:
    """Predicted probability and observed accuracy in each bin.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    probabilities : array-like of shape (n_samples, n_classes)
    classes : array-like of shape (n_classes,)
        The label of each column of `probabilities`.
    n_bins : int, default=10
        Bins of equal width, as for `confidence_ece`: the upper edge belongs to a bin.

    Returns
    -------
    bins : DataFrame
        One row for each bin with samples: its `lower` edge, `n_samples`, `confidence` (their mean top probability),
        `accuracy` and `fraction` of all samples.

    Examples
    --------
    >>> reliability(["no", "yes"], [[0.9, 0.1], [0.8, 0.2]], ["no", "yes"])["accuracy"].tolist()
    [0.0, 1.0]
    """
    import pandas as pd

    return pd.DataFrame(bin_rows(bin_sums(class_indices(y, classes), probabilities, n_bins)), columns=COLUMNS)


def bin_sums(y: npt.ArrayLike, probabilities: npt.ArrayLike, n_bins: int = N_BINS) -> FloatArray:
    """Samples, sum of their top probability, and hits, in bins of equal width of the top probability.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True classes, as indices.
    probabilities : array-like of shape (n_samples, n_classes)
    n_bins : int, default=10

    Returns
    -------
    sums : ndarray of shape (3, n_bins)
    """
    predicted = np.asarray(probabilities, dtype=np.float64)
    top, is_hit = predicted.max(axis=1), predicted.argmax(axis=1) == np.asarray(y)
    bins = np.searchsorted(np.arange(1, n_bins) / n_bins, top, side="left")
    return np.stack([np.bincount(bins, weights=w, minlength=n_bins) for w in (np.ones_like(top), top, is_hit)])


def bin_rows(sums: FloatArray) -> list[tuple[float, int, float, float, float]]:
    """The values of each bin with samples, in the order of `COLUMNS`, from sums of shape (3, n_bins)."""
    n_bins, n_samples = sums.shape[1], sums[0].sum()
    return [
        (index / n_bins, int(n), predicted / n, hits / n, n / n_samples)
        for index, (n, predicted, hits) in enumerate(sums.T.tolist())
        if n
    ]
