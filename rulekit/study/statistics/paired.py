"""Two variants, dataset by dataset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics.averages import dataset_means
from rulekit.study.statistics.libraries import library
from rulekit.study.statistics.outcomes import measured, outcome

if TYPE_CHECKING:
    import pandas as pd

SIGNIFICANT = 0.05
#: With five pairs the smallest p of a two-sided signed-rank test is 0.0625: nothing could be significant at 0.05.
FEWEST_DATASETS = 6
_DECIMALS = 12  # differences that agree to so many are tied: the rest is noise of the arithmetic
_N_RESAMPLES = 1999


def compare_pair(
    results: pd.DataFrame, first: str, second: str, *, ensemble: str, measures: Sequence[str] | None = None
) -> pd.DataFrame:
    """Compare two variants by every measure.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    first, second : str
        Variants. Changes are those of the first relative to the second.
    ensemble : str
    measures : sequence of str, optional
        The family of tests for Holm's correction. None means the twelve of `FAMILY`, if they were measured.

    Returns
    -------
    tests : DataFrame
        One row per measure:

        - `n_datasets`, `n_left_out`, `n_shortened`: datasets compared; without a fold that both variants have; and
          compared without the folds that one of them lacks;
        - `first_mean`, `first_sd`, `second_mean`, `second_sd`: over the datasets;
        - `change`, `change_low`, `change_high`: median paired relative change in percent, with its 95 % bootstrap
          interval;
        - `p`: two-sided Wilcoxon signed-rank test, NaN with fewer than six datasets; `p_holm`: corrected for
          all testable measures together; `verdict` on the first: "better" or "worse" if `p_holm` is below 0.05, "not
          significant", or "not tested";
        - `wins`, `ties`, `losses`, `fraction_better`: datasets where the first is better, equal or worse, and the
          fraction of wins.
    """
    import pandas as pd

    if first == second:
        raise InvalidParameterError(f"A comparison needs two different variants, got {first!r} twice.")
    measures = measured(results) if measures is None else measures
    rows = [_row(results, first, second, ensemble, measure) for measure in measures]
    tests = pd.DataFrame(rows, index=pd.Index(measures, name="measure"), columns=_COLUMNS)
    tests["p_holm"] = holm(tests["p"].to_numpy(dtype=np.float64))
    tests["verdict"] = [verdict(gain, p) for gain, p in zip(tests.pop("gain"), tests["p_holm"], strict=True)]
    return tests


_COLUMNS = [
    *("n_datasets", "n_left_out", "n_shortened", "first_mean", "first_sd", "second_mean", "second_sd"),
    *("change", "change_low", "change_high", "p", "p_holm", "wins", "ties", "losses", "fraction_better", "gain"),
]


def _row(results: pd.DataFrame, first: str, second: str, ensemble: str, measure: str) -> dict[str, Any]:
    means = dataset_means(results, measure, ensemble=ensemble, variants=[first, second])
    values = means.table.to_numpy(dtype=np.float64).reshape(-1, 2)
    changes = relative_changes(values[:, 0], values[:, 1])
    low, high = median_interval(changes)
    return {
        **means.counts,
        **dict(zip(("first_mean", "first_sd"), mean_and_sd(values[:, 0]), strict=True)),
        **dict(zip(("second_mean", "second_sd"), mean_and_sd(values[:, 1]), strict=True)),
        "change": median(changes),
        "change_low": low,
        "change_high": high,
        "p": signed_rank_p(values[:, 0], values[:, 1]),
        "gain": rank_gain(values[:, 0], values[:, 1], measure),
        **_balance(values[:, 0], values[:, 1], outcome(measure).sign),
    }


def _balance(first: FloatArray, second: FloatArray, sign: int) -> dict[str, float]:
    gains = sign * differences(first, second)
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    fraction = wins / len(gains) if len(gains) else math.nan
    return {"wins": wins, "ties": len(gains) - wins - losses, "losses": losses, "fraction_better": fraction}


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """First minus second, of shape (n_datasets,); differences by rounding only are 0."""
    return np.round(first - second, _DECIMALS)


def relative_changes(first: FloatArray, second: FloatArray) -> FloatArray:
    """Change from second to first in percent, of shape (n_datasets,): 0 between equals, infinite from 0."""
    gaps = differences(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gaps == 0, 0.0, 100 * gaps / second)


def median(values: FloatArray) -> float:
    """The median, or NaN if there are no values."""
    return float(np.median(values)) if len(values) else math.nan


def median_interval(values: FloatArray) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the median; NaN with fewer than six values."""
    from scipy.stats import bootstrap

    if len(values) < FEWEST_DATASETS or not np.isfinite(values).all():
        return math.nan, math.nan
    # Sorted and seeded, so that the same values give the same interval, in whatever order they come.
    interval = bootstrap(
        (np.sort(values),), np.median, n_resamples=_N_RESAMPLES, method="percentile", vectorized=True, random_state=0
    ).confidence_interval
    return float(interval.low), float(interval.high)


def mean_and_sd(values: FloatArray) -> tuple[float, float]:
    """Mean and sample standard deviation; NaN where there are too few values."""
    mean = math.fsum(values) / len(values) if len(values) else math.nan
    return mean, float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def signed_rank_p(first: FloatArray, second: FloatArray) -> float:
    """P-value of the two-sided Wilcoxon signed-rank test.

    Parameters
    ----------
    first, second : ndarray of shape (n_datasets,)

    Returns
    -------
    p : float
        1 if the values are all equal; NaN with fewer than six datasets, where no result could be significant.
    """
    from scipy.stats import wilcoxon

    gaps = differences(first, second)
    if len(gaps) < FEWEST_DATASETS:
        return math.nan
    return float(wilcoxon(gaps).pvalue) if gaps.any() else 1.0


def rank_gain(first: FloatArray, second: FloatArray, measure: str) -> float:
    """Sum of signed ranks, positive if the first is better: the side that the test decides for."""
    from scipy.stats import rankdata

    gaps = outcome(measure).sign * differences(first, second)
    return float((np.sign(gaps) * rankdata(np.abs(gaps))).sum())


def verdict(gain: float, p: float) -> str:
    """The verdict on the first of two variants, from its `rank_gain` and the p-value."""
    if math.isnan(p):
        return "not tested"
    if p >= SIGNIFICANT:
        return "not significant"
    return "better" if gain > 0 else "worse"


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's correction over the p-values that are numbers; the others stay as they are and do not count.

    Parameters
    ----------
    p_values : ndarray of shape (n_tests,)

    Returns
    -------
    corrected : ndarray of shape (n_tests,)

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, np.nan])).tolist()
    [0.02, 0.04, nan]
    """
    corrected, is_tested = p_values.copy(), ~np.isnan(p_values)
    if is_tested.any():
        multipletests = library("statsmodels.stats.multitest").multipletests
        corrected[is_tested] = multipletests(p_values[is_tested], method="holm")[1]
    return corrected
