"""Each variant by each measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulekit.render.table import Table
from rulekit.study.statistics import ENSEMBLE, DatasetMeans, dataset_means, fold_values, mean_and_sd, outcome
from rulekit.study.statistics.averages import having
from rulekit.study.tables.counts import left_out_notes
from rulekit.study.tables.numbers import NOTHING, best, mean_sd

if TYPE_CHECKING:
    import pandas as pd


BOLD = "Bold: the best variant of each column."


def overview(
    results: pd.DataFrame, *, ensemble: str, variants: Sequence[str], measures: Sequence[str], name: str = "overview"
) -> Table:
    """Mean and standard deviation over the datasets, of each variant by each measure.

    Only datasets and folds that every variant with the measure has a value for; notes say which are left out.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    ensemble : str
    variants : sequence of str
        The rows.
    measures : sequence of str
        The columns.
    name : str, default="overview"
        What its files are called.
    """
    import pandas as pd

    means = {measure: _means(results, measure, ensemble, variants) for measure in measures}
    found = {
        (variant, measure): mean_and_sd(each.table[variant].to_numpy(dtype=np.float64))
        for variant in variants
        for measure, each in means.items()
        if variant in each.table
    }
    numbers = [(*key, *numbers, means[key[1]].n_datasets) for key, numbers in found.items()]
    shown = {key: mean_sd(*numbers, outcome(key[1]).decimals) for key, numbers in found.items()}
    bold = {
        (variants.index(rivals[position]), column)
        for column, measure in enumerate(measures, start=1)
        if outcome(measure).is_higher_better is not None
        for rivals in [[variant for variant in variants if variant != ENSEMBLE and (variant, measure) in found]]
        for position in best([found[variant, measure][0] for variant in rivals], outcome(measure).sign)
    }
    return Table(
        name,
        f"Mean ± standard deviation over the datasets, {ensemble}",
        ["Variant", *(outcome(measure).title for measure in measures)],
        [[variant, *(shown.get((variant, measure), NOTHING) for measure in measures)] for variant in variants],
        pd.DataFrame(numbers, columns=["variant", "measure", "mean", "sd", "n_datasets"]),
        [*left_out_notes(means), *([BOLD] if bold else [])],
        bold=frozenset(bold),
    )


def _means(results: pd.DataFrame, measure: str, ensemble: str, variants: Sequence[str]) -> DatasetMeans:
    shown = having(fold_values(results, measure, ensemble=ensemble), variants)
    return dataset_means(results, measure, ensemble=ensemble, variants=shown)
