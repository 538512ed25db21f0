"""Results of tests as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rulekit.render.table import Table
from rulekit.study.statistics import outcome
from rulekit.study.tables.numbers import (
    NOTHING,
    balance,
    counted,
    effect,
    interval,
    mean_sd,
    number,
    p_value,
    percent,
    verdict_text,
)

if TYPE_CHECKING:
    import pandas as pd


def paired_table(tests: pd.DataFrame, first: str, second: str, *, ensemble: str, name: str = "paired") -> Table:
    """What `compare_pair` returned, one row per measure.

    Parameters
    ----------
    tests : DataFrame
    first, second, ensemble : str
        What was compared.
    name : str, default="paired"
        What its files are called.
    """
    rows = [
        [
            outcome(str(measure)).title,
            mean_sd(test["first_mean"], test["first_sd"], outcome(str(measure)).decimals),
            mean_sd(test["second_mean"], test["second_sd"], outcome(str(measure)).decimals),
            percent(test["change"]),
            interval(test["change_low"], test["change_high"]),
            effect(test["rank_biserial"]),
            balance(test["wins"], test["ties"], test["losses"]),
            _datasets(test),
            p_value(test["p"]),
            p_value(test["p_holm"]),
            p_value(test["p_smallest"]),
            verdict_sentence(test),
        ]
        for measure, test in tests.iterrows()
    ]
    headings = ["Measure", first, second, "Change (%)", "95 % interval", "Effect", "W/T/L", "Datasets"]
    headings += ["p", "p (Holm)", "Smallest p", "Verdict"]
    return Table(name, f"{first} against {second}, {ensemble}", headings, rows, tests.reset_index(), [PAIR_NOTE])


PAIR_NOTE = (
    "Change: median over the datasets of the relative change from the second to the first, with a bootstrap interval. "
    "Effect: matched-pairs rank-biserial correlation, 1 if the first is better on every dataset, -1 if on none. W/T/L: "
    "datasets on which the first is better, equal, worse. p: two-sided Wilcoxon signed-rank test; Holm's correction is "
    "over the primary measures, the others are descriptive. Smallest p: what Holm's correction leaves at best with so "
    "many differing datasets and primary measures."
)


def verdict_sentence(test: pd.Series) -> str:
    """The verdict on the first variant, with the number of datasets where these are too few for any other."""
    found = str(test["verdict"])
    return f"{found} with {counted(int(test['n_datasets']), 'dataset')}" if found == "cannot be significant" else found


def _datasets(test: pd.Series) -> str:
    """How many datasets are compared, and how many could not be or lack folds."""
    left_out = f" ({test['n_left_out']:.0f} left out)" if test["n_left_out"] else ""
    shortened = f" ({test['n_shortened']:.0f} without some folds)" if test["n_shortened"] else ""
    return f"{test['n_datasets']:.0f}{left_out}{shortened}"


def friedman_table(
    tests: pd.DataFrame, post_hoc: pd.DataFrame, reference: str, *, ensemble: str, name: str = "friedman"
) -> Table:
    """What `friedman_tests` and `post_hoc_tests` returned, one row per measure.

    Parameters
    ----------
    tests, post_hoc : DataFrame
    reference, ensemble : str
        What the others were compared with.
    name : str, default="friedman"
        What its files are called.
    """
    others = list(dict.fromkeys(post_hoc["other"]))
    found = {
        (test["measure"], test["other"]): verdict_text(test["verdict"], test["p_holm"])
        for _, test in post_hoc.iterrows()
    }
    rows = [
        [
            outcome(str(measure)).title,
            p_value(test["p"]),
            *(found.get((measure, other), NOTHING) for other in others),
            _datasets(test),
        ]
        for measure, test in tests.iterrows()
    ]
    numbers = post_hoc.merge(tests.add_prefix("friedman_").reset_index(), on="measure", how="right")
    return Table(
        name,
        f"Friedman's test, and {reference} against each other variant, {ensemble}",
        ["Measure", "Friedman p", *others, "Datasets"],
        rows,
        numbers,
        [
            f"B: {reference} is better, W: worse, n.s.: no significant difference, too few datasets: none could be "
            "significant. By Wilcoxon signed-rank tests with Holm's correction over all tests of this table, the "
            "primary measures only; where Friedman's p is below 0.05. Friedman's test takes three variants and six "
            "datasets."
        ],
    )


def rank_table(ranks: pd.DataFrame, *, ensemble: str, name: str = "ranks") -> Table:
    """What `average_ranks` returned, one row per measure."""
    return Table(
        name,
        f"Average ranks, {ensemble}",
        ["Measure", *(str(variant) for variant in ranks.columns)],
        _measure_rows(ranks, lambda value: number(value, 2)),
        ranks.reset_index(),
        ["1 is best; equal variants share their ranks."],
    )


def change_table(changes: pd.DataFrame, reference: str, *, ensemble: str, name: str = "changes") -> Table:
    """What `median_changes` returned, one row per measure."""
    return Table(
        name,
        f"Median paired relative change of {reference} in percent, {ensemble}",
        ["Measure", *(f"against {other}" for other in changes.columns)],
        _measure_rows(changes, percent),
        changes.reset_index(),
    )


def _measure_rows(frame: pd.DataFrame, shown: Callable[[float], str]) -> list[Sequence[str]]:
    return [[outcome(str(measure)).title, *map(shown, row)] for measure, row in frame.iterrows()]
