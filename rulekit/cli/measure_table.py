"""Held-out measures as tables: several models side by side, or one model with the meaning of each measure."""

import math
from collections.abc import Mapping, Sequence
from typing import Final, Self

import attrs
from rich.table import Table
from rich.text import Text

from rulekit.core.interfaces import Measure
from rulekit.evaluation.held_out import registered_measures
from rulekit.render.terminal import plain_table

MISSING = "-"
#: Headings wrap in a narrow terminal, but not within a word.
LONGEST_HEADING = 13


@attrs.frozen
class Shown:
    """How a value is shown.

    Attributes
    ----------
    heading : str
    column : str
        The heading of a narrow column, on several lines if necessary.
    decimals : int
    meaning : str
        One line of explanation.
    """

    heading: str
    column: str
    decimals: int
    meaning: str

    @classmethod
    def of(cls, measure: Measure) -> Self:
        """How a measure is shown."""
        column = measure.short_heading or measure.heading.replace(" ", "\n")
        return cls(measure.heading, column, measure.decimals, f"{measure.meaning}{BETTER[measure.is_higher_better]}")

    def value(self, value: float | None) -> str:
        """The value with its decimals, or a dash if it is missing."""
        return MISSING if value is None or math.isnan(value) else f"{value:.{self.decimals}f}"


BETTER: Final = {True: "; higher is better", False: "; lower is better", None: ""}
#: Times that are shown beside the measures.
TIMES: Final[dict[str, Shown]] = {
    "training_seconds": Shown("Training seconds", "train\n(s)", 2, "training time of the ensemble"),
    "extraction_seconds": Shown("Extraction seconds", "extract\n(s)", 2, "extraction time of the rules"),
}


def headlines() -> list[str]:
    """Names of the measures, and of the times, that a narrow table shows."""
    return [*(name for name, measure in registered_measures().items() if measure.is_headline), *TIMES]


def _shown() -> dict[str, Shown]:
    return {name: Shown.of(measure) for name, measure in registered_measures().items()} | TIMES


def measure_list(models: Mapping[str, Mapping[str, float]], title: str) -> Table:
    """One row per measure with its meaning, one column per model.

    Parameters
    ----------
    models : mapping of str to mapping of str to float
        The measures and times of each model by its name.
    title : str
    """
    table = plain_table(title)
    table.add_column("measure", min_width=LONGEST_HEADING)
    for model in models:
        table.add_column("value" if len(models) == 1 else Text(model), justify="right", no_wrap=True)
    table.add_column("meaning", style="dim", overflow="fold")
    shown = _shown()
    names = dict.fromkeys(name for values in models.values() for name in values)
    for name in sorted(names, key=list(shown).index):
        values = [shown[name].value(values.get(name)) for values in models.values()]
        table.add_row(Text(shown[name].heading), *values, Text(shown[name].meaning))
    return table


def comparison(rows: Sequence[tuple[str, Mapping[str, float]]], names: Sequence[str], title: str) -> Table:
    """One row per model, one column per measure.

    Parameters
    ----------
    rows : sequence of (str, mapping)
        What each model is called, and its measures.
    names : sequence of str
        The measures and times to show, in this order.
    title : str
    """
    table = plain_table(title)
    table.add_column("", overflow="fold")
    shown = _shown()
    for name in names:
        table.add_column(Text(shown[name].column), justify="right", vertical="bottom", no_wrap=True)
    for model, values in rows:
        table.add_row(Text(model), *(shown[name].value(values.get(name)) for name in names))
    return table
