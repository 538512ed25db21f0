"""Thresholds as people read them: as few digits as leave every training record on its side."""

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.ruleset.numbers import fewest_digits


def with_displays(conditions: Conditions, X: FloatArray) -> Conditions:
    """The conditions with rounded thresholds to show beside the exact ones, which go on to decide.

    Parameters
    ----------
    conditions : Conditions
    X : ndarray of shape (n_records, n_features)
        The training records, as the conditions compare them.
    """
    displays = np.full(len(conditions), np.nan)
    rows = np.flatnonzero(~conditions.is_set & np.isfinite(conditions.thresholds))
    for feature in np.unique(conditions.features[rows]).tolist():
        of_feature = rows[conditions.features[rows] == feature]
        below, above = neighbours(conditions.cutoffs[of_feature], X[:, feature])
        for row, low, high in zip(of_feature.tolist(), below.tolist(), above.tolist(), strict=True):
            displays[row] = _display(conditions, row, low, high)
    return attrs.evolve(conditions, displays=displays)


def neighbours(cutoffs: FloatArray, column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest value up to each cutoff and the smallest one beyond it; infinite where there is none.

    Parameters
    ----------
    cutoffs : ndarray of shape (n_cutoffs,)
    column : ndarray of shape (n_records,)
        Missing values are left out.

    Returns
    -------
    below, above : ndarrays of shape (n_cutoffs,)
    """
    values = column[~np.isnan(column)]
    limits, place = np.unique(cutoffs, return_inverse=True)
    cell: IntArray = np.searchsorted(limits, values, side="left")
    largest, smallest = np.full(len(limits) + 1, -np.inf), np.full(len(limits) + 1, np.inf)
    np.maximum.at(largest, cell, values)
    np.minimum.at(smallest, cell, values)
    # A cell without records passes on what its neighbours have.
    below = np.maximum.accumulate(largest)[:-1]
    above = np.minimum.accumulate(smallest[::-1])[::-1][1:]
    return below[place], above[place]


def _display(conditions: Conditions, row: int, low: float, high: float) -> float:
    threshold, cutoff = float(conditions.thresholds[row]), float(conditions.cutoffs[row])
    # An ensemble that compares in float32 may draw its line a rounding beside the threshold that it states.
    return fewest_digits(threshold if low <= threshold < high else cutoff, low, high)
