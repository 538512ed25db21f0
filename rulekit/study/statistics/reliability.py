"""Whether stated probabilities hold: records in bins by the probability of their predicted class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray
from rulekit.evaluation.measures import N_BINS

if TYPE_CHECKING:
    import pandas as pd

#: A cell's key, the true classes as positions, and the probabilities of shape (n_records, n_classes).
StoredPredictions: TypeAlias = tuple[Mapping[str, Any], npt.ArrayLike, npt.ArrayLike]


def bin_sums(y: npt.ArrayLike, probabilities: npt.ArrayLike, n_bins: int = N_BINS) -> FloatArray:
    """Records, sum of their top probability, and hits, in bins of equal width of the top probability.

    Parameters
    ----------
    y : array-like of shape (n_records,)
        True classes, as positions.
    probabilities : array-like of shape (n_records, n_classes)
    n_bins : int, default=10
        Bins as for `confidence_ece`: the upper edge belongs to a bin.

    Returns
    -------
    sums : ndarray of shape (3, n_bins)
    """
    stated = np.asarray(probabilities, dtype=np.float64)
    top, is_hit = stated.max(axis=1), stated.argmax(axis=1) == np.asarray(y)
    bins = np.searchsorted(np.arange(1, n_bins) / n_bins, top, side="left")
    return np.stack([np.bincount(bins, weights=w, minlength=n_bins) for w in (np.ones_like(top), top, is_hit)])


def reliability_bins(predictions: Iterable[StoredPredictions], n_bins: int = N_BINS) -> pd.DataFrame:
    """What was stated and what came true, over all held-out records of each ensemble and variant.

    Parameters
    ----------
    predictions : iterable of (key, y, probabilities)
        As a store returns them. Read once; only sums are kept.
    n_bins : int, default=10

    Returns
    -------
    bins : DataFrame
        One row for each ensemble, variant and bin with records: `ensemble`, `variant`, `lower` edge of the bin,
        `n_records`, `confidence` (mean top probability), `accuracy` and `share` of the variant's records.
    """
    import pandas as pd

    sums: dict[tuple[str, str], FloatArray] = {}
    for key, y, probabilities in predictions:
        cell = (str(key["ensemble"]), str(key["variant"]))
        sums[cell] = sums.get(cell, np.zeros((3, n_bins))) + bin_sums(y, probabilities, n_bins)
    columns = ["ensemble", "variant", "lower", "n_records", "confidence", "accuracy", "share"]
    rows = [
        (*cell, place / n_bins, int(n), stated / n, hits / n, n / table[0].sum())
        for cell, table in sums.items()
        for place, (n, stated, hits) in enumerate(table.T)
        if n
    ]
    return pd.DataFrame(rows, columns=columns)
