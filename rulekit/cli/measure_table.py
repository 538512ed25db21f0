"""Held-out measures as tables: several models side by side, or one model with what each measure means."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import attrs
from rich.table import Table
from rich.text import Text

from rulekit.render.terminal import plain_table

MISSING = "-"


@attrs.frozen
class Measure:
    """How a measure is shown.

    Attributes
    ----------
    heading : str
    column : str
        The heading of a narrow column, in two lines if need be.
    decimals : int
    meaning : str
        One line for a reader who does not know it.
    """

    heading: str
    column: str
    decimals: int
    meaning: str

    def shown(self, value: float | None) -> str:
        """The value with its decimals, or a sign that there is none."""
        return MISSING if value is None or math.isnan(value) else f"{value:.{self.decimals}f}"


MEASURES: Final[dict[str, Measure]] = {
    "log_loss": Measure("log-loss", "log\nloss", 3, "surprise at the true class; lower is better, 0 is best"),
    "brier": Measure("Brier", "Brier", 3, "squared error of the probabilities; lower is better, 0 is best"),
    "confidence_ece": Measure("ECE", "ECE", 3, "gap between stated and observed confidence; lower is better"),
    "classwise_ece": Measure("classwise ECE", "class\nECE", 3, "the same for every class's probability"),
    "macro_f1": Measure("macro-F1", "macro\nF1", 3, "quality of the predicted classes; higher is better, 1 is best"),
    "fidelity": Measure("fidelity", "fidelity", 3, "share of samples where the ensemble predicts the same class"),
    "n_rules": Measure("rules", "rules", 0, "the default rule included"),
    "n_conditions": Measure("conditions", "condi-\ntions", 0, "of all rules together"),
    "n_distinct_conditions": Measure("distinct conditions", "distinct", 0, "what there is to look up for a sample"),
    "conditions_per_rule": Measure("conditions per rule", "per\nrule", 1, "without the default rule"),
    "uniqueness": Measure("uniqueness", "unique", 3, "distinct conditions among all"),
    "training_seconds": Measure("training seconds", "train\n(s)", 2, "of the ensemble"),
    "extraction_seconds": Measure("extraction seconds", "extract\n(s)", 2, "of the rules"),
}


def measure_list(values: Mapping[str, float], title: str) -> Table:
    """One row per measure of one model, with its meaning."""
    table = plain_table(title)
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("meaning", style="dim", overflow="fold")
    for name, value in values.items():
        measure = MEASURES[name]
        table.add_row(measure.heading, measure.shown(value), measure.meaning)
    return table


def comparison(rows: Sequence[tuple[str, Mapping[str, float]]], names: Sequence[str], title: str) -> Table:
    """One row per model, one column per measure.

    Parameters
    ----------
    rows : sequence of (str, mapping)
        What each model is called, and its measures.
    names : sequence of str
        The measures to show, in this order.
    title : str
    """
    table = plain_table(title)
    table.add_column("", overflow="fold")
    for name in names:
        table.add_column(MEASURES[name].column, justify="right", vertical="bottom", no_wrap=True)
    for model, values in rows:
        table.add_row(Text(model), *(MEASURES[name].shown(values.get(name)) for name in names))
    return table
