"""Our side of the comparison, and what both sides share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from rulekit.study.statistics import DatasetMeans, RuleFacts, dataset_means, mean_and_sd
from rulekit.study.tables import listed
from rulekit_paper_study.published import Published

if TYPE_CHECKING:
    import pandas as pd

RCPROB, RC_PLUS = "rcprob", "rc+"


@attrs.frozen(eq=False)
class Sides:
    """The published figures and ours.

    Attributes
    ----------
    published : Published
    results : DataFrame
        Our cells, without the datasets that are apart.
    everything : DataFrame
        All our cells.
    facts : RuleFacts
        Our rules, without the datasets that are apart.
    apart : mapping of str to str
        Datasets that only tables by dataset show, each with the reason.
    """

    published: Published
    results: pd.DataFrame
    everything: pd.DataFrame
    facts: RuleFacts
    apart: Mapping[str, str]

    def ensembles(self) -> list[str]:
        """Those that both sides have."""
        ours = set(self.results["ensemble"])
        return [str(name) for name in self.published.main["ensemble"].unique() if name in ours]

    def present(self, names: Sequence[str], ensemble: str, measure: str = "log_loss") -> list[str]:
        """Those of the variants that we have a value of the measure for."""
        if measure not in self.results.columns:
            return []
        cells = self.results[(self.results["ensemble"] == ensemble) & (self.results["status"] == "done")]
        having = set(cells.loc[cells[measure].notna(), "variant"])
        return [name for name in names if name in having]

    def means(self, measure: str, ensemble: str, variants: Sequence[str]) -> DatasetMeans:
        """Our means by dataset, over what these variants share."""
        return dataset_means(self.results, measure, ensemble=ensemble, variants=variants)

    def published_means(self, measure: str, ensemble: str, datasets: Sequence[str]) -> pd.DataFrame:
        """Published means of RC+ and RCProb on these datasets, empty if the measure is not published by dataset."""
        rows = self.published.per_dataset
        rows = rows[(rows["ensemble"] == ensemble) & (rows["measure"] == measure) & rows["dataset"].isin(datasets)]
        means = rows.pivot_table(index="dataset", columns="variant", values="value")
        return means.reindex(columns=[RC_PLUS, RCPROB])


def at(frame: pd.DataFrame, row: Any, column: Any) -> float:
    """One number of a frame."""
    value: Any = frame.loc[row, column]
    return float(value)


def mean_of(table: pd.DataFrame, variant: str) -> tuple[float, float]:
    """Mean and standard deviation of a column, not a number if there is none."""
    values = table[variant].to_numpy(dtype=np.float64) if variant in table else np.array([])
    return mean_and_sd(values)


def missing(what: str, names: Sequence[str]) -> str:
    """A line that says what our side lacks."""
    return f"{what}: the results have no {listed(list(names))}."
