"""Two variants, dataset by dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics.averages import dataset_means
from rulekit.study.statistics.libraries import library
from rulekit.study.statistics.outcomes import FAMILY, PRIMARY, is_testable, measured, outcome

if TYPE_CHECKING:
    import pandas as pd

SIGNIFICANT = 0.05
#: Fewer values give no bootstrap interval of a median, nor Friedman's test.
FEWEST_DATASETS = 6
_DECIMALS = 12  # differences that agree to so many are tied: the rest is noise of the arithmetic
_N_RESAMPLES = 1999


def compare_pair(
    results: pd.DataFrame,
    first: str,
    second: str,
    *,
    ensemble: str,
    measures: Sequence[str] | None = None,
    primary: Sequence[str] = PRIMARY,
) -> pd.DataFrame:
    """Compare two variants: test the primary outcomes, and describe the others.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    first, second : str
        Variants. Changes are those of the first relative to the second.
    ensemble : str
    measures : sequence of str, optional
        Measures to describe. None means the twelve of `FAMILY`. Of these and the primary ones, the measured are shown.
    primary : sequence of str, default=PRIMARY
        The family of tests for Holm's correction. Durations are never in it, nor are measures that are equal for both
        variants on every dataset.

    Returns
    -------
    tests : DataFrame
        One row per measure, the primary ones first:

        - `n_datasets`, `n_left_out`, `n_shortened`: datasets compared; without a fold that both variants have; and
          compared without the folds that one of them lacks;
        - `first_mean`, `first_sd`, `second_mean`, `second_sd`: over the datasets;
        - `change`, `change_low`, `change_high`: median paired relative change in percent, with its 95 % bootstrap
          interval;
        - `rank_biserial`: matched-pairs rank-biserial correlation, from 1 if the first is better on every dataset to
          -1;
        - `p`: two-sided Wilcoxon signed-rank test; `p_holm`: corrected for all tested primary measures together;
          `p_smallest`: the smallest `p_holm` that so many differing datasets can give; both NaN for other measures;
        - `verdict` on the first: "better" or "worse" if `p_holm` is below 0.05; "not significant", or "cannot be
          significant" if `p_smallest` is not below 0.05 either; "equal" on every dataset; "descriptive" for a measure
          that is not primary; "not tested" without a dataset;
        - `wins`, `ties`, `losses`, `fraction_better`: datasets where the first is better, equal or worse, and the
          fraction of wins.
    """
    import pandas as pd

    if first == second:
        raise InvalidParameterError(f"A comparison needs two different variants, got {first!r} twice.")
    names = shown_measures(results, measures, primary)
    rows = [_row(results, first, second, ensemble, measure) for measure in names]
    tests = pd.DataFrame(rows, index=pd.Index(names, name="measure"), columns=_COLUMNS)
    return with_family(tests, [name for name in primary if is_testable(name)])


def shown_measures(results: pd.DataFrame, measures: Sequence[str] | None, primary: Sequence[str]) -> list[str]:
    """The primary measures, then the others, as far as the results have them."""
    return list(measured(results, list(dict.fromkeys([*primary, *(FAMILY if measures is None else measures)]))))


def with_family(tests: pd.DataFrame, family: Sequence[str]) -> pd.DataFrame:
    """What `compare_pair` returns, with Holm's correction over another family of measures.

    Parameters
    ----------
    tests : DataFrame
    family : sequence of str
        Measures to test; those that are equal on every dataset are left out.
    """
    n_different = (tests["wins"] + tests["losses"]).to_numpy()
    is_tested = tests.index.isin(family) & (n_different > 0)
    smallest = int(is_tested.sum()) * np.array([smallest_p(n) for n in n_different])
    p_holm = holm(np.where(is_tested, tests["p"].to_numpy(dtype=np.float64), np.nan))
    p_smallest = np.where(is_tested, np.minimum(smallest, 1.0), np.nan)
    found = tests.assign(p_holm=p_holm, p_smallest=p_smallest)
    found["verdict"] = [
        _verdict(test, str(name) in family) for name, test in zip(found.index, found.to_dict("records"), strict=True)
    ]
    return found


def _verdict(test: Mapping[Any, Any], is_primary: bool) -> str:
    if not test["n_datasets"]:
        return "not tested"
    if not is_primary:
        return "descriptive"
    if not test["wins"] + test["losses"]:
        return "equal"
    return verdict(test["rank_biserial"], test["p_holm"], test["p_smallest"])


_COLUMNS = [
    *("n_datasets", "n_left_out", "n_shortened", "first_mean", "first_sd", "second_mean", "second_sd"),
    *("change", "change_low", "change_high", "rank_biserial", "p", "p_holm", "p_smallest"),
    *("wins", "ties", "losses", "fraction_better"),
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
        "rank_biserial": rank_biserial(values[:, 0], values[:, 1], measure),
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
        1 if the values are all equal; NaN without datasets.
    """
    from scipy.stats import wilcoxon

    gaps = differences(first, second)
    if not len(gaps):
        return math.nan
    return float(wilcoxon(gaps).pvalue) if gaps.any() else 1.0


def smallest_p(n_different: int) -> float:
    """The smallest p of a two-sided signed-rank test: that of differences which all have the same sign.

    Parameters
    ----------
    n_different : int
        Datasets on which the two are not equal; the test leaves the others out.

    Examples
    --------
    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - n_different))


def rank_biserial(first: FloatArray, second: FloatArray, measure: str) -> float:
    """Matched-pairs rank-biserial correlation: the ranks of datasets on which the first is better, less the others'.

    As a fraction of all ranks of datasets that differ: 1 if the first is better on all of them, -1 if on none; 0 if
    none differs, NaN without datasets.
    """
    from scipy.stats import rankdata

    gaps = outcome(measure).sign * differences(first, second)
    if not len(gaps):
        return math.nan
    gaps = gaps[gaps != 0]
    ranks = rankdata(np.abs(gaps))
    return float((np.sign(gaps) * ranks).sum() / ranks.sum()) if len(gaps) else 0.0


def verdict(effect: float, p: float, p_smallest: float) -> str:
    """The verdict on the first of two variants, from its `rank_biserial`, and its p beside the smallest one."""
    if math.isnan(p):
        return "not tested"
    if p_smallest >= SIGNIFICANT:
        return "cannot be significant"
    if p >= SIGNIFICANT:
        return "not significant"
    return "better" if effect > 0 else "worse"


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
