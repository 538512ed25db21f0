"""Rows and comparisons as tables to read."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.table import Table

from benchmarks.comparison import Comparison
from benchmarks.measures import MEASURES
from benchmarks.rows import Row

_VERDICTS = {True: "yes", False: "NO", None: ""}


def tables(rows: Iterable[Row]) -> Iterator[Table]:
    """One table for each measure, titled with what its figures say."""
    in_order = sorted(rows, key=lambda row: list(MEASURES).index(row.measure))
    for name, group in groupby(in_order, key=lambda row: row.measure):
        yield _table(MEASURES[name].title, list(group))


def summary(rows: Iterable[Row]) -> str:
    """How many limits are met, in one sentence."""
    verdicts = [row.is_met for row in rows if row.is_met is not None]
    if not verdicts:
        return "No figure of this run has a limit."
    return f"{sum(verdicts)} of {len(verdicts)} limits met."


def comparison_table(comparison: Comparison) -> Table:
    """Old and new value of each figure."""
    table = Table(title="Compared with the earlier run", title_justify="left")
    for name in ("measure", "case", "engine"):
        table.add_column(name)
    for name in ("old", "new", "old / new"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for change in comparison.changes:
        row, measure = change.new, MEASURES[change.new.measure]
        table.add_row(
            row.measure,
            row.case,
            row.engine,
            measure.text(change.old_value),
            measure.text(change.new_value),
            f"{change.ratio:.2f}",
            {"worse": "WORSE", "better": "better", "same": ""}[change.verdict],
        )
    return table


def comparison_summary(comparison: Comparison) -> str:
    """How many figures got worse, and how many could not be compared."""
    worse = f"{comparison.n_worse} of {len(comparison.changes)} figures got worse."
    lone = [(len(comparison.only_new), "only this run has"), (len(comparison.only_old), "only the earlier run has")]
    return " ".join([worse, *(f"{count} {text}." for count, text in lone if count)])


def _table(title: str, rows: list[Row]) -> Table:
    measure = MEASURES[rows[0].measure]
    table = Table(title=f"{rows[0].benchmark}: {title}", title_justify="left")
    table.add_column("case")
    table.add_column("engine", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("limit", justify="right", no_wrap=True)
    table.add_column("met", no_wrap=True)
    table.add_column("detail", overflow="fold")
    for row in rows:
        table.add_row(
            row.case,
            row.engine,
            "–" if row.value is None else measure.text(row.value),
            "" if row.limit is None else measure.bound(row.limit),
            _VERDICTS[row.is_met],
            row.detail,
        )
    return table
