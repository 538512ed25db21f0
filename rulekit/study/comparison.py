"""One variant against another, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rulekit.study.statistics import PRIMARY, compare_pair, names_of, outcome
from rulekit.study.tables.comparisons import paired_table
from rulekit.study.tables.numbers import counted, listed, p_value, percent

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table

#: Columns that fit a terminal of 100 characters.
_SHOWN = (0, 1, 2, 3, 5, 6, 7, 8, 9)


def compare(
    results: pd.DataFrame,
    first: str,
    second: str,
    *,
    ensembles: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    primary: Sequence[str] = PRIMARY,
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
        Measures to describe, beside the primary ones. None means the twelve of `FAMILY`.
    primary : sequence of str, default=PRIMARY
        The family of tests for Holm's correction.

    Returns
    -------
    tests : dict of str to DataFrame
        By ensemble, what `rulekit.study.statistics.compare_pair` returns.
    """
    chosen = names_of(results, "ensemble") if ensembles is None else ensembles
    return {
        name: compare_pair(results, first, second, ensemble=name, measures=measures, primary=primary) for name in chosen
    }


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
    for position in _SHOWN:
        # The names of the variants may be long, the rest of the headings is not.
        heading, is_name = Text(content.headings[position]), not position
        table.add_column(heading, justify="left" if is_name else "right", overflow="fold", no_wrap=is_name)
    for row, verdict in zip(content.rows, tests["verdict"], strict=True):
        style = {"better": "green", "worse": "red"}.get(str(verdict), "")
        table.add_row(*(Text(row[position]) for position in _SHOWN), style=style)
    return table


def summary(tests: pd.DataFrame, first: str, second: str) -> str:
    """Summary of the comparison: what the tests of the primary measures say, and what describes the others."""
    phrases = {
        "better": f"{first} is better than {second} in",
        "worse": f"{first} is worse than {second} in",
        "not significant": "No significant difference in",
        "equal": "Equal on every dataset:",
        "not tested": "Without a dataset that has both:",
        "descriptive": "Descriptive only:",
    }
    sentences = [f"{phrase} {_headings(tests, kind)}." for kind, phrase in phrases.items() if _headings(tests, kind)]
    return " ".join([*_log_loss(tests, first), *_too_few(tests), *sentences])


def _headings(tests: pd.DataFrame, kind: str) -> str:
    return listed([outcome(str(name)).heading for name in tests.index[tests["verdict"] == kind]])


def _too_few(tests: pd.DataFrame) -> list[str]:
    """Primary measures that so few datasets cannot tell apart, whatever their values."""
    found = tests[tests["verdict"] == "cannot be significant"]
    return [
        f"{outcome(str(name)).heading} cannot be significant with {counted(int(test['n_datasets']), 'dataset')}: the "
        f"smallest attainable p is {p_value(test['p_smallest'])}."
        for name, test in found.iterrows()
    ]


def _log_loss(tests: pd.DataFrame, first: str) -> list[str]:
    """The headline, if there is one."""
    if "log_loss" not in tests.index or not tests.loc["log_loss", "n_datasets"]:
        return []
    test = tests.loc["log_loss"].to_dict()
    corrected = f", p {p_value(test['p_holm'])} after Holm's correction" if test["p_holm"] == test["p_holm"] else ""
    return [
        f"Log-loss: {first} is better on {test['wins']:.0f} of {test['n_datasets']:.0f} datasets, median change "
        f"{percent(test['change'])} %{corrected}."
    ]
