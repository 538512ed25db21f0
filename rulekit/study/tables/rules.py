"""Rules as tables: predicted probabilities, held-out precision and use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.render.table import Table
from rulekit.study.statistics import RuleFacts, diagnostics_summary, use_summary
from rulekit.study.tables.numbers import number

if TYPE_CHECKING:
    import pandas as pd

#: Heading, factor and decimals of each number of `summarise_diagnostics` that is shown.
DIAGNOSTICS = {
    "n_non_default_rules": ("Non-default rules", 1, 0),
    "predicts_1": ("Predict 1 (%)", 100, 1),
    "predicts_at_least_0.999": ("Predict >= 0.999 (%)", 100, 1),
    "never_fired": ("Never fired (%)", 100, 1),
    "gap_1-9": ("Gap, 1-9 samples", 1, 4),
    "gap_10-29": ("Gap, 10-29", 1, 4),
    "gap_30-99": ("Gap, 30-99", 1, 4),
    "gap_>=100": ("Gap, >= 100", 1, 4),
}
#: The same for `rule_use`.
USE = {
    "n_non_default_rules": ("Non-default rules", 1, 2),
    "matches_per_covered": ("Matches/covered sample", 1, 2),
    "selected": ("Selected at least once (%)", 100, 1),
    "matched_never_selected": ("Match, never selected (%)", 100, 1),
}


def diagnostics_table(facts: RuleFacts, name: str = "rule_diagnostics") -> Table:
    """Predicted probabilities against held-out precision, pooled over all rules of each ensemble and variant."""
    return _table(
        diagnostics_summary(facts),
        DIAGNOSTICS,
        name,
        "Rules on held-out samples",
        "Gap: predicted probability minus held-out precision, mean over rules that answer that many held-out samples.",
    )


def use_table(facts: RuleFacts, name: str = "rule_use") -> Table:
    """How the rules of each ensemble and variant are used, mean over the datasets."""
    return _table(
        use_summary(facts), USE, name, "Use of the rules", "Means over the datasets; without the default rule."
    )


def _table(summary: pd.DataFrame, shown: dict[str, tuple[str, int, int]], name: str, title: str, note: str) -> Table:
    rows = [
        [*map(str, key), *(number(row[column] * factor, decimals) for column, (_, factor, decimals) in shown.items())]
        for key, row in zip(summary.index.tolist(), summary.to_dict("records"), strict=True)
    ]
    headings = ["Ensemble", "Variant", *(heading for heading, _, _ in shown.values())]
    return Table(name, title, headings, rows, summary.reset_index(), [note])
