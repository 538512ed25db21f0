"""Reliability of the stored predictions of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray
from rulekit.evaluation.measures import N_BINS
from rulekit.evaluation.reliability import COLUMNS, bin_rows, bin_sums

if TYPE_CHECKING:
    import pandas as pd

#: A cell's key, the true classes as indices, and the probabilities of shape (n_samples, n_classes).
StoredPredictions: TypeAlias = tuple[Mapping[str, Any], npt.ArrayLike, npt.ArrayLike]


def reliability_bins(predictions: Iterable[StoredPredictions], n_bins: int = N_BINS) -> pd.DataFrame:
    """Accuracy by predicted probability, over all held-out samples of each ensemble and variant.

    Parameters
    ----------
    predictions : iterable of (key, y, probabilities)
        As a store returns them. Read once; only sums are kept.
    n_bins : int, default=10

    Returns
    -------
    bins : DataFrame
        One row for each ensemble, variant and bin with samples: `ensemble`, `variant`, `lower` edge of the bin,
        `n_samples`, `confidence` (mean top probability), `accuracy` and `fraction` of the variant's samples.
    """
    import pandas as pd

    sums: dict[tuple[str, str], FloatArray] = {}
    for key, y, probabilities in predictions:
        cell = (str(key["ensemble"]), str(key["variant"]))
        sums[cell] = sums.get(cell, np.zeros((3, n_bins))) + bin_sums(y, probabilities, n_bins)
    rows = [(*cell, *row) for cell, table in sums.items() for row in bin_rows(table)]
    return pd.DataFrame(rows, columns=["ensemble", "variant", *COLUMNS])
