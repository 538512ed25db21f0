"""Several variants at once: ranks, Friedman's test, and each variant against a reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.study.statistics.averages import DatasetMeans, dataset_means, fold_values, having, known_variant
from rulekit.study.statistics.outcomes import PRIMARY, is_testable, measured, outcome
from rulekit.study.statistics.paired import (
    FEWEST_DATASETS,
    SIGNIFICANT,
    differences,
    holm,
    median,
    rank_biserial,
    relative_changes,
    signed_rank_p,
    smallest_p,
    verdict,
)

if TYPE_CHECKING:
    import pandas as pd

FEWEST_VARIANTS = 3


def dataset_ranks(means: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Rank of each variant on each dataset: 1 is best, ties share their mean rank.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_variants)
    measure : str
        Says which way is better.

    Returns
    -------
    ranks : DataFrame of shape (n_datasets, n_variants)
    """
    return means.round(12).rank(axis=1, ascending=outcome(measure).sign < 0)


def average_ranks(
    results: pd.DataFrame,
    *,
    ensemble: str,
    variants: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Mean rank of each variant over the datasets.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    ensemble : str
    variants : sequence of str, optional
        None means all but the ensemble itself.
    measures : sequence of str, optional
        None means the twelve of `FAMILY`, as far as they were measured.

    Returns
    -------
    ranks : DataFrame of shape (n_measures, n_variants)
        Not a number for a variant that does not have the measure; the others are ranked among themselves.
    """
    import pandas as pd

    rows = {}
    for measure in measured(results) if measures is None else measures:
        means = _means(results, measure, ensemble, variants).table
        rows[measure] = dataset_ranks(means, measure).mean() if len(means) else pd.Series(dtype=float)
    ranks = pd.DataFrame(rows).T.rename_axis(index="measure", columns="variant")
    return ranks[[name for name in variants if name in ranks]] if variants is not None else ranks


def friedman_tests(
    results: pd.DataFrame,
    *,
    ensemble: str,
    variants: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Friedman's test of each measure, whether the variants differ at all.

    Parameters
    ----------
    results, ensemble, variants, measures
        As for `average_ranks`.

    Returns
    -------
    tests : DataFrame
        One row per measure: `n_datasets`, `n_left_out` and `n_shortened` as for `compare_pair`; `n_variants` that have
        the measure; `statistic` and `p`, not a number with fewer than three variants or six datasets.
    """
    import pandas as pd

    names = measured(results) if measures is None else measures
    rows = [_friedman_row(_means(results, measure, ensemble, variants)) for measure in names]
    columns = ["n_datasets", "n_left_out", "n_shortened", "n_variants", "statistic", "p"]
    return pd.DataFrame(rows, index=pd.Index(names, name="measure"), columns=columns)


def post_hoc_tests(
    results: pd.DataFrame,
    reference: str,
    *,
    ensemble: str,
    variants: Sequence[str] | None = None,
    measures: Sequence[str] = PRIMARY,
) -> pd.DataFrame:
    """Test the reference against each other variant, where Friedman's test found a difference at 0.05.

    Parameters
    ----------
    results, ensemble, variants
        As for `average_ranks`.
    reference : str
        One of the variants.
    measures : sequence of str, default=PRIMARY
        The measures to test; durations are left out.

    Returns
    -------
    tests : DataFrame
        One row per measure and other variant, with columns `measure` and `other`:

        - `p`: two-sided Wilcoxon signed-rank test; `p_holm`: corrected for all tests of this table together;
        - `p_smallest`: the smallest `p_holm` that so many differing datasets can give;
        - `verdict` on the reference: "better", "worse", "not significant", "cannot be significant", or "not tested"
          where Friedman's test found nothing or could not be made, where a variant does not have the measure, and
          where the two are equal on every dataset.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for measure in measured(results, [name for name in measures if is_testable(name)]):
        means = _means(results, measure, ensemble, variants)
        others = [name for name in variants or means.table.columns if name != reference]
        rows += _post_hoc_rows(means, measure, reference, others)
    tests = pd.DataFrame(rows, columns=["measure", "other", "p", "p_smallest", "effect"])
    p_values = tests["p"].to_numpy(dtype=np.float64)
    n_tests = int((~np.isnan(p_values)).sum())
    tests["p_holm"] = holm(p_values)
    tests["p_smallest"] = np.minimum(1.0, n_tests * tests["p_smallest"])
    columns = (tests[name] for name in ("effect", "p_holm", "p_smallest"))
    tests["verdict"] = [verdict(*row) for row in zip(*columns, strict=True)]
    return tests[["measure", "other", "p", "p_holm", "p_smallest", "verdict"]]


def median_changes(
    results: pd.DataFrame,
    reference: str,
    *,
    ensemble: str,
    variants: Sequence[str],
    measures: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Median paired relative change of the reference, in percent, against each other variant.

    Parameters
    ----------
    results, ensemble, measures
        As for `average_ranks`.
    reference : str
    variants : sequence of str

    Returns
    -------
    changes : DataFrame of shape (n_measures, n_others)
        Not a number where the two share no dataset.
    """
    import pandas as pd

    rows: dict[str, dict[str, float]] = {}
    for measure in measured(results) if measures is None else measures:
        rows[measure] = {}
        for other in variants:
            if other != reference:
                pair = dataset_means(results, measure, ensemble=ensemble, variants=[reference, other])
                ours, theirs = _columns(pair.table, [reference, other])
                rows[measure][other] = median(relative_changes(ours, theirs))
    return pd.DataFrame(rows).T.rename_axis(index="measure", columns="other")


def friedman_p(means: pd.DataFrame) -> tuple[float, float]:
    """Friedman's statistic and its p-value for means of shape (n_datasets, n_variants).

    Both are not a number with fewer than three variants or six datasets. Where all variants are equal on every dataset
    the statistic is 0 and p is 1.
    """
    from scipy.stats import friedmanchisquare

    if means.shape[1] < FEWEST_VARIANTS or len(means) < FEWEST_DATASETS:
        return math.nan, math.nan
    values = means.round(12)
    if bool((values.max(axis=1) == values.min(axis=1)).all()):
        return 0.0, 1.0
    found = friedmanchisquare(*(values[name] for name in values))
    return float(found.statistic), float(found.pvalue)


def _friedman_row(means: DatasetMeans) -> dict[str, float]:
    statistic, p = friedman_p(means.table)
    return {**means.counts, "n_variants": means.table.shape[1], "statistic": statistic, "p": p}


def _post_hoc_rows(means: DatasetMeans, measure: str, reference: str, others: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    # A comparison with a p that is not a number is not smaller than 0.05 either.
    is_tested = reference in means.table and friedman_p(means.table)[1] < SIGNIFICANT
    for other in others:
        row: dict[str, Any] = {"measure": measure, "other": other}
        if is_tested and other in means.table:
            ours, theirs = _columns(means.table, [reference, other])
            n_different = int((differences(ours, theirs) != 0).sum())
            if n_different:
                effect = rank_biserial(ours, theirs, measure)
                row |= {"p": signed_rank_p(ours, theirs), "p_smallest": smallest_p(n_different), "effect": effect}
        rows.append(row)
    return rows


def _means(results: pd.DataFrame, measure: str, ensemble: str, variants: Sequence[str] | None) -> DatasetMeans:
    """Means of the variants that have the measure at all: one without it must not leave out every dataset."""
    if variants is not None:
        known = [known_variant(results, name) for name in variants]
        variants = having(fold_values(results, measure, ensemble=ensemble), known)
    return dataset_means(results, measure, ensemble=ensemble, variants=variants)


def _columns(means: pd.DataFrame, names: Sequence[str]) -> list[FloatArray]:
    return [means[name].to_numpy(dtype=np.float64) for name in names]
