"""Which of several variants differ from one another: Nemenyi's test after Friedman's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rulekit.study.statistics.libraries import library
from rulekit.study.statistics.paired import SIGNIFICANT
from rulekit.study.statistics.several import friedman_p

if TYPE_CHECKING:
    import pandas as pd


def nemenyi_p(means: pd.DataFrame) -> pd.DataFrame:
    """P-value of Nemenyi's test for each pair of variants.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_variants)

    Returns
    -------
    p : DataFrame of shape (n_variants, n_variants)
        All 1 unless Friedman's test is significant at 0.05: without it, single pairs must not be looked at.
    """
    import pandas as pd

    names = [str(name) for name in means.columns]
    if not friedman_p(means)[1] < SIGNIFICANT:
        return pd.DataFrame(1.0, index=names, columns=names)
    found = library("scikit_posthocs").posthoc_nemenyi_friedman(means.round(12).to_numpy())
    return pd.DataFrame(found.to_numpy(), index=names, columns=names)


def critical_difference(n_variants: int, n_datasets: int) -> float:
    """Difference of average ranks from which Nemenyi's test is significant at 0.05.

    Examples
    --------
    >>> round(critical_difference(5, 23), 3)
    1.272
    """
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - SIGNIFICANT, n_variants, math.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(n_variants * (n_variants + 1) / (6 * n_datasets)))
