"""Each variant on each dataset, by one measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulekit.render.table import Table
from rulekit.study.statistics import ENSEMBLE, fold_values, mean_and_sd, outcome
from rulekit.study.statistics.averages import having
from rulekit.study.tables.numbers import NOTHING, best, mean_sd

if TYPE_CHECKING:
    import pandas as pd


def per_dataset(
    results: pd.DataFrame, measure: str, *, ensemble: str, variants: Sequence[str], name: str = "per_dataset"
) -> Table:
    """Mean and standard deviation over the folds, of each variant on each dataset.

    Every variant over all the folds that it has, and the number of folds where some are lacking.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    measure, ensemble : str
    variants : sequence of str
    name : str, default="per_dataset"
        What its files are called.
    """
    import pandas as pd

    values = fold_values(results, measure, ensemble=ensemble)
    shown = having(values, variants)
    rows: list[list[str]] = []
    numbers, bold = [], set[tuple[int, int]]()
    rivals = [position for position, variant in enumerate(shown) if variant != ENSEMBLE]
    for dataset, folds in values.groupby(level="dataset"):
        cells = [_cell(folds[variant].dropna().to_numpy(dtype=np.float64)) for variant in shown]
        numbers += [(dataset, variant, mean, sd, n) for variant, (mean, sd, n) in zip(shown, cells, strict=True)]
        # A variant without some of the folds is not compared with one that has them.
        complete = [position for position in rivals if cells[position][2] == len(folds)]
        if outcome(measure).is_higher_better is not None:
            winners = best([cells[position][0] for position in complete], outcome(measure).sign)
            bold |= {(len(rows), 1 + complete[position]) for position in winners}
        rows.append([str(dataset), *(_text(cell, len(folds), outcome(measure).decimals) for cell in cells)])
    return Table(
        name,
        f"{outcome(measure).title} by dataset, mean ± standard deviation over the folds, {ensemble}",
        ["Dataset", *shown],
        rows,
        pd.DataFrame(numbers, columns=["dataset", "variant", "mean", "sd", "n_folds"]),
        ["Bold: the best variant of each dataset."] if bold else [],
        bold=frozenset(bold),
    )


def _cell(values: np.ndarray) -> tuple[float, float, int]:
    return *mean_and_sd(values), len(values)


def _text(cell: tuple[float, float, int], n_folds: int, decimals: int) -> str:
    mean, sd, n = cell
    if not n:
        return NOTHING
    return mean_sd(mean, sd, decimals) + ("" if n == n_folds else f" ({n} of {n_folds} folds)")
