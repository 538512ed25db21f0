"""From cells to datasets: the dataset is the unit of every test, so the values of its folds are averaged first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import attrs

from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics.outcomes import outcome, outcomes

if TYPE_CHECKING:
    import pandas as pd

#: The reserved variant: the ensemble itself, as a reference without rules.
ENSEMBLE = "ensemble"
#: What names a cell.
KEYS = ["dataset", "ensemble", "variant", "repeat", "fold"]
_FOLD = ["dataset", "repeat", "fold"]


@attrs.frozen(eq=False)
class DatasetMeans:
    """One value per dataset and variant, over folds that all the variants have.

    Attributes
    ----------
    table : DataFrame of shape (n_datasets, n_variants)
        Complete: nothing in it is missing, and nothing was filled in.
    left_out : tuple of str
        Datasets without a single fold that every variant has a value for.
    shortened : tuple of str
        Datasets that are here, but without the folds that some variant has no value for.
    """

    table: pd.DataFrame
    left_out: tuple[str, ...]
    shortened: tuple[str, ...]

    @property
    def n_datasets(self) -> int:
        """Datasets that can be compared."""
        return len(self.table)

    @property
    def counts(self) -> dict[str, int]:
        """How many datasets are here, left out and shortened."""
        return {"n_datasets": self.n_datasets, "n_left_out": len(self.left_out), "n_shortened": len(self.shortened)}


def names_of(results: pd.DataFrame, kind: str) -> tuple[str, ...]:
    """Datasets, ensembles or variants of the results, in order of appearance.

    Parameters
    ----------
    results : DataFrame
    kind : {"dataset", "ensemble", "variant"}
    """
    return tuple(str(name) for name in results[kind].unique())


def rule_variants(results: pd.DataFrame) -> tuple[str, ...]:
    """The variants without the reserved one, in order of appearance."""
    return tuple(name for name in names_of(results, "variant") if name != ENSEMBLE)


def fold_values(results: pd.DataFrame, measure: str, *, ensemble: str) -> pd.DataFrame:
    """Values of one measure by fold and variant.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    measure : str
    ensemble : str

    Returns
    -------
    values : DataFrame
        One row for each (dataset, repeat, fold), one column for each variant; NaN where a cell failed, is
        missing, or has no such value.
    """
    outcome(measure)
    if measure not in results.columns:
        known = ", ".join(name for name in outcomes() if name in results.columns)
        raise InvalidParameterError(f"The results have no measure {measure!r}. They have: {known}.")
    cells = results[results["ensemble"] == _known(ensemble, names_of(results, "ensemble"), "ensemble")]
    twice = cells[cells.duplicated(KEYS)]
    if len(twice):
        raise InvalidParameterError(f"The results contain a cell twice: {twice[KEYS].iloc[0].to_dict()}.")
    cells = cells.assign(value=cells[measure].where(cells["status"] == "done").astype(float))
    # Not the table that ruff prefers: that would average cells, and leave out folds without a value.
    return cells.pivot(index=_FOLD, columns="variant", values="value")  # noqa: PD010


def dataset_means(
    results: pd.DataFrame, measure: str, *, ensemble: str, variants: Sequence[str] | None = None
) -> DatasetMeans:
    """Average the folds of each dataset that all the variants have.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    measure : str
    ensemble : str
    variants : sequence of str, optional
        Those that are compared. None means all that have the measure at all, apart from the ensemble itself.

    Returns
    -------
    means : DatasetMeans
    """
    values = fold_values(results, measure, ensemble=ensemble)
    if variants is None:
        variants = having(values, rule_variants(results))
    values = values.reindex(columns=[known_variant(results, name) for name in variants])
    shared = values.dropna() if len(variants) else values.iloc[:0]
    n_folds, n_shared = values.groupby(level="dataset").size(), shared.groupby(level="dataset").size()
    kept = set(n_shared.index)
    return DatasetMeans(
        shared.groupby(level="dataset").agg(exact_mean),
        tuple(str(name) for name in n_folds.index if name not in kept),
        tuple(str(name) for name in n_shared.index if n_shared[name] < n_folds[name]),
    )


def having(values: pd.DataFrame, variants: Sequence[str]) -> list[str]:
    """Those of the variants that have a value in some fold."""
    return [name for name in variants if name in values and bool(values[name].notna().any())]


def exact_mean(values: pd.Series) -> float:
    """Mean that does not depend on the order of the values: a tie must not be broken by rounding."""
    return math.fsum(values) / len(values) if len(values) else math.nan


def known_variant(results: pd.DataFrame, name: str) -> str:
    """The name, if the results have such a variant; raise otherwise."""
    return _known(name, names_of(results, "variant"), "variant")


def _known(name: str, known: Sequence[str], kind: str) -> str:
    if name in known:
        return name
    nearest = get_close_matches(name, known, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise InvalidParameterError(f"The results have no {kind} {name!r}.{hint} They have: {', '.join(known)}.")
