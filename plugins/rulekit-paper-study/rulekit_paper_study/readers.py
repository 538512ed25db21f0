"""One function for each kind of published table: from a CSV file to a tidy frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulekit_paper_study.cells import (
    mean_and_sd,
    measure,
    number,
    p_value,
    rows_of,
    variant,
    verdict_and_p,
)
from rulekit_paper_study.names import DIAGNOSTICS, ENSEMBLES, USE, VERDICTS

if TYPE_CHECKING:
    import pandas as pd


def _frame(rows: Iterator[Sequence[Any]], *columns: str) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns))


def read_main(folder: Path) -> pd.DataFrame:
    """`ensemble`, `variant`, `measure`, `mean`, `sd`: the main tables."""

    def rows() -> Iterator[Sequence[Any]]:
        for ensemble in ENSEMBLES.values():
            headings: list[str] = []
            for row in rows_of(folder / f"main_{ensemble}.csv"):
                if row[0] == "Method":
                    headings = row[1:]
                elif len(row) > 1:
                    for heading, text in zip(headings, row[1:], strict=True):
                        yield ensemble, variant(row[0]), measure(heading), *mean_and_sd(text)

    return _frame(rows(), "ensemble", "variant", "measure", "mean", "sd").dropna(subset="mean", ignore_index=True)


def read_per_dataset(folder: Path) -> pd.DataFrame:
    """`ensemble`, `dataset`, `variant`, `measure`, `value`: means over the folds."""

    def rows() -> Iterator[Sequence[Any]]:
        for ensemble in ENSEMBLES.values():
            headings, variants, *lines = rows_of(folder / f"per_dataset_{ensemble}.csv")
            # Each measure has one column for each variant.
            n_variants = (len(variants) - 1) // (len(headings) - 1)
            measures = [measure(heading) for heading in headings[1:] for _ in range(n_variants)]
            for dataset, *values in lines:
                for name, heading, value in zip(measures, variants[1:], values, strict=True):
                    yield ensemble, dataset, variant(heading), name, number(value)

    return _frame(rows(), "ensemble", "dataset", "variant", "measure", "value")


def read_primary(folder: Path) -> pd.DataFrame:
    """`ensemble`, `measure`, `change`, `p`, `p_holm`: RCProb against RC+, changes in percent."""
    return _frame(
        (
            (ensemble, measure(heading), number(change), p_value(p), p_value(p_holm))
            for ensemble, heading, (change, p, p_holm) in _by_ensemble(folder / "primary_tests.csv", n_labels=1)
        ),
        *("ensemble", "measure", "change", "p", "p_holm"),
    )


def read_secondary(folder: Path) -> pd.DataFrame:
    """`ensemble`, `measure`, `friedman_p`, `other`, `verdict`, `p_holm`: RCProb against each other method."""

    def rows() -> Iterator[Sequence[Any]]:
        for ensemble in ENSEMBLES.values():
            headings, *lines = rows_of(folder / f"secondary_{ensemble}.csv")
            for heading, friedman, *cells in lines:
                for other, cell in zip(headings[2:], cells, strict=True):
                    letter, p = verdict_and_p(cell)
                    yield ensemble, measure(heading), p_value(friedman), variant(other), VERDICTS[letter], p

    return _frame(rows(), "ensemble", "measure", "friedman_p", "other", "verdict", "p_holm")


def read_ranks(folder: Path) -> pd.DataFrame:
    """`ensemble`, `measure`, `variant`, `rank`."""

    def rows() -> Iterator[Sequence[Any]]:
        for ensemble in ENSEMBLES.values():
            headings, *lines = rows_of(folder / f"ranks_{ensemble}.csv")
            for heading, *ranks in lines:
                for name, rank in zip(headings[1:], ranks, strict=True):
                    yield ensemble, measure(heading), variant(name), number(rank)

    return _frame(rows(), "ensemble", "measure", "variant", "rank")


def read_aggregate(folder: Path) -> pd.DataFrame:
    """`ensemble`, `measure`, `rc+ aggregate`, `rcprob aggregate` (means) and `p_holm`."""
    return _frame(
        (
            (ensemble, measure(heading), number(second), number(first), p_value(p))
            for ensemble, heading, (second, first, p) in _by_ensemble(folder / "aggregate.csv", n_labels=1)
        ),
        *("ensemble", "measure", "rc+ aggregate", "rcprob aggregate", "p_holm"),
    )


def read_identical(folder: Path) -> pd.DataFrame:
    """`ensemble`, `variant`, `n_cells`, then log-loss and macro-F1 by decision list and by aggregate inference."""
    return _frame(
        (
            (ensemble, variant(method), *(number(cell) for cell in cells))
            for ensemble, method, *cells in _filled(rows_of(folder / "identical_inference.csv")[1:])
        ),
        *("ensemble", "variant", "n_cells", "log_loss", "log_loss_aggregate", "macro_f1", "macro_f1_aggregate"),
    )


def read_diagnostics(folder: Path) -> pd.DataFrame:
    """`ensemble`, `variant`, `fact`, `value`: facts are named as in `summarise_diagnostics`, shares are up to 1."""

    def rows() -> Iterator[Sequence[Any]]:
        headings, *lines = rows_of(folder / "rule_diagnostics.csv")
        for ensemble, fact, *values in _filled(lines):
            if values:  # a line that is no heading
                name, factor = DIAGNOSTICS[fact]
                for heading, value in zip(headings[2:], values, strict=True):
                    yield ensemble, variant(heading), name, number(value) / factor

    return _frame(rows(), "ensemble", "variant", "fact", "value")


def read_use(folder: Path) -> pd.DataFrame:
    """`ensemble`, `variant`, `fact`, `value`: facts are named as in `rule_use`, shares are up to 1."""

    def rows() -> Iterator[Sequence[Any]]:
        headings, *lines = rows_of(folder / "rule_use.csv")
        for ensemble, method, *values in _filled(lines):
            for heading, value in zip(headings[2:], values, strict=True):
                name, factor = USE[heading]
                yield ensemble, variant(method), name, number(value) / factor

    return _frame(rows(), "ensemble", "variant", "fact", "value")


def read_calibration(folder: Path) -> pd.DataFrame:
    """`ensemble`, `variant`, `measure`, `mean`, `sd`; calibrated variants are called `rc+ temperature` and the like."""

    def rows() -> Iterator[Sequence[Any]]:
        ensemble, headings = "", list[str]()
        for row in rows_of(folder / "calibration.csv"):
            if len(row) == 1:
                ensemble = ENSEMBLES[row[0]]
            elif row[0] == "Measure":
                headings = row[1:]
            else:
                for heading, text in zip(headings, row[1:], strict=True):
                    yield ensemble, variant(heading), measure(row[0]), *mean_and_sd(text)

    return _frame(rows(), "ensemble", "variant", "measure", "mean", "sd")


def read_sensitivity(folder: Path) -> pd.DataFrame:
    """`ensemble`, `parameter` ("n0" or "tau"), `value`, `measure`, `mean`."""

    def rows() -> Iterator[Sequence[Any]]:
        path = folder / "sensitivity.csv"
        measures = [measure(heading) for heading in rows_of(path)[1][2:]][: len(rows_of(path)[1][2:]) // len(ENSEMBLES)]
        for ensemble, parameter, value, means in _by_ensemble(path, n_labels=2):
            for name, mean in zip(measures, means, strict=True):
                yield ensemble, parameter.replace("_", ""), number(value), name, number(mean)

    return _frame(rows(), "ensemble", "parameter", "value", "measure", "mean")


def read_search_spaces(folder: Path) -> pd.DataFrame:
    """`method`, `space`, `n_configurations`: as published."""
    rows = ((method, space, int(count)) for method, space, count in rows_of(folder / "search_spaces.csv")[1:])
    return _frame(rows, "method", "space", "n_configurations")


def read_datasets(folder: Path) -> pd.DataFrame:
    """`dataset`, `n_classes`, `ratio`, `n_samples`, `n_features`."""
    return _frame(
        (
            (name, int(classes), number(ratio), int(number(samples)), int(features))
            for name, _, classes, ratio, samples, features in (
                row for row in rows_of(folder / "datasets.csv")[1:] if len(row) > 1
            )
        ),
        *("dataset", "n_classes", "ratio", "n_samples", "n_features"),
    )


def _by_ensemble(path: Path, n_labels: int) -> Iterator[tuple[Any, ...]]:
    """Ensemble, labels and cells of a table whose columns are repeated for each ensemble; sub-headings are left out."""
    first, _, *lines = rows_of(path)
    ensembles = [ENSEMBLES[name] for name in first if name]
    for row in lines:
        labels, values = row[:n_labels], row[n_labels:]
        width = len(values) // len(ensembles)
        for position, ensemble in enumerate(ensembles if values else []):
            yield ensemble, *labels, values[position * width : (position + 1) * width]


def _filled(lines: list[list[str]]) -> Iterator[list[str]]:
    """Rows with the ensemble's name, which the tables give once."""
    ensemble = ""
    for name, *cells in lines:
        ensemble = ENSEMBLES[name] if name else ensemble
        yield [ensemble, *cells]
