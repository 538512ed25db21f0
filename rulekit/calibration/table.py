"""Calibrated rules as a table, with the probabilities that they stated before."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rulekit.ruleset import table

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet

PLACE = table.HEADER.index("p")
HEADER = (*table.HEADER[:PLACE], "stated", "calibrated", *table.HEADER[PLACE + 1 :])


def rows(ruleset: CalibratedRuleSet) -> list[tuple[str, ...]]:
    """The cells of each rule; both probabilities are those of the class that the calibrated rule concludes."""
    cells = zip(table.rows(ruleset), stated_probabilities(ruleset), strict=True)
    return [(*row[:PLACE], f"{stated:.3f}", *row[PLACE:]) for row, stated in cells]


def stated_probabilities(ruleset: CalibratedRuleSet) -> list[float]:
    """What each rule stated before of the class that it concludes."""
    return [float(stated[rule.class_index]) for rule, stated in zip(ruleset, ruleset.stated, strict=True)]


def text(ruleset: CalibratedRuleSet) -> str:
    """An aligned plain-text table, conditions last because they are the longest."""
    cells = [HEADER, *rows(ruleset)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    rule = "  ".join("-" * min(width, 60) for width in widths)
    return "\n".join([_title(ruleset), lines[0], rule, *lines[1:]])


def html(ruleset: CalibratedRuleSet) -> str:
    """An HTML table for notebooks."""
    head = "".join(f"<th style='text-align:left'>{escape(cell)}</th>" for cell in HEADER)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows(ruleset)
    )
    caption = f"<caption style='text-align:left'>{escape(_title(ruleset))}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame(ruleset: CalibratedRuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    facts = table.frame(ruleset)
    facts.insert(list(facts.columns).index("probability"), "stated_probability", stated_probabilities(ruleset))
    return facts


def _title(ruleset: CalibratedRuleSet) -> str:
    return table.text(ruleset).partition("\n")[0]
