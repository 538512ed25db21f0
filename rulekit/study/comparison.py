"""One variant against another, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rulekit.study.statistics import compare_pair, names_of, outcome
from rulekit.study.tables.comparisons import paired_table
from rulekit.study.tables.numbers import listed, p_value, percent

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table

#: Columns that fit a terminal of 100 characters, and those of p-values among them.
_SHOWN, _P_VALUES = (0, 1, 2, 3, 5, 6, 7, 8), (5, 6)


def compare(
    results: pd.DataFrame,
    first: str,
    second: str,
    *,
    ensembles: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
) -> dict[str, pd.DataFrame]:
    """Compare two variants on each ensemble.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    first, second : str
        Variants. Changes are those of the first relative to the second.
    ensembles : sequence of str, optional
        None means all of the results.
    measures : sequence of str, optional
        The family of tests for Holm's correction. None means the twelve of `FAMILY`, if they were measured.

    Returns
    -------
    tests : dict of str to DataFrame
        By ensemble, what `rulekit.study.statistics.compare_pair` returns.
    """
    chosen = names_of(results, "ensemble") if ensembles is None else ensembles
    return {name: compare_pair(results, first, second, ensemble=name, measures=measures) for name in chosen}


def shown(tests: dict[str, pd.DataFrame], first: str, second: str) -> Iterator[RenderableType]:
    """A comparison as rich renderables: for each ensemble a table and a summary, then how to read it.

    Parameters
    ----------
    tests : dict of str to DataFrame
        What `compare` returned.
    first, second : str
        The variants.
    """
    from rich.text import Text

    notes: Sequence[str] = ()
    for ensemble, found in tests.items():
        table = paired_table(found, first, second, ensemble=ensemble)
        notes = table.notes
        yield comparison_table(found, first, second, ensemble)
        yield Text(f"\n{summary(found, first, second)}\n")
    yield Text(" ".join(notes), style="dim")


def comparison_table(tests: pd.DataFrame, first: str, second: str, ensemble: str) -> Table:
    """One row per measure, as a rich table."""
    from rich.text import Text

    from rulekit.render.terminal import plain_table

    content = paired_table(tests, first, second, ensemble=ensemble)
    table = plain_table(content.title)
    is_tested = (tests["verdict"] != "not tested").any()
    shown = [position for position in _SHOWN if is_tested or position not in _P_VALUES]
    for position in shown:
        # The names of the variants may be long, the rest of the headings is not.
        heading, is_name = Text(content.headings[position]), not position
        table.add_column(heading, justify="left" if is_name else "right", overflow="fold", no_wrap=is_name)
    for row, verdict in zip(content.rows, tests["verdict"], strict=True):
        style = {"better": "green", "worse": "red"}.get(str(verdict), "")
        table.add_row(*(Text(row[position]) for position in shown), style=style)
    return table


def summary(tests: pd.DataFrame, first: str, second: str) -> str:
    """Summary of the comparison: significant differences after Holm's correction, with their direction."""
    found = {
        kind: [outcome(str(name)).heading for name in tests.index[tests["verdict"] == kind]]
        for kind in ("better", "worse", "not significant", "not tested")
    }
    phrases = {
        "better": f"{first} is better than {second} in",
        "worse": f"{first} is worse than {second} in",
        "not significant": "No significant difference in",
        "not tested": "Not testable:",
    }
    sentences = [f"{phrases[kind]} {listed(names)}." for kind, names in found.items() if names]
    return " ".join([*_log_loss(tests, first), *sentences])


def _log_loss(tests: pd.DataFrame, first: str) -> list[str]:
    """The headline, if there is one."""
    if "log_loss" not in tests.index or not tests.loc["log_loss", "n_datasets"]:
        return []
    test = tests.loc["log_loss"].to_dict()
    return [
        f"Log-loss: {first} is better on {test['wins']:.0f} of {test['n_datasets']:.0f} datasets, median change "
        f"{percent(test['change'])} %, p {p_value(test['p_holm'])} after Holm's correction."
    ]
