"""Factorials as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.render.table import Table
from rulekit.study.statistics import outcome
from rulekit.study.tables.comparisons import verdict_sentence
from rulekit.study.tables.numbers import effect, number, p_value

if TYPE_CHECKING:
    import pandas as pd


def effect_table(effects: pd.DataFrame, *, ensemble: str, name: str = "effects") -> Table:
    """What `factor_effects` returned."""
    rows = [
        [
            outcome(str(row["measure"])).title,
            str(row["effect"]),
            number(row["difference"], outcome(str(row["measure"])).decimals),
            effect(row["rank_biserial"]),
            f"{row['n_datasets']}",
            *(p_value(row[column]) for column in ("p", "p_holm", "p_smallest")),
            verdict_sentence(row),
        ]
        for _, row in effects.iterrows()
    ]
    headings = ["Measure", "Effect of", "Difference", "Effect", "Datasets", "p", "p (Holm)", "Smallest p", "Verdict"]
    return Table(name, f"Main effects and interactions, {ensemble}", headings, rows, effects, [_NOTE])


_NOTE = (
    "Each factor is averaged over all others. Difference: median over the datasets of the mean of the level that is "
    "named first less that of the other one; of an interaction (×), half of what the effect of one factor changes by "
    "with the other. Effect: rank-biserial correlation, positive if the first is better. p: two-sided Wilcoxon "
    "signed-rank test, with Holm's correction over all rows."
)


def level_table(means: pd.DataFrame, measure: str, *, ensemble: str, name: str = "levels") -> Table:
    """What `level_means` returned."""
    rows = [
        [str(row["factor"]), str(row["level"]), number(row["mean"], outcome(measure).decimals), number(row["rank"], 2)]
        for _, row in means.iterrows()
    ]
    title = f"{outcome(measure).title} by level of each factor, {ensemble}"
    note = (
        "Means over the datasets, averaged over all other factors; ranks are among the levels of a factor, 1 is best."
    )
    return Table(name, title, ["Factor", "Level", "Mean", "Rank"], rows, means, [note])
