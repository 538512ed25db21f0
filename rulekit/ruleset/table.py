"""A ruleset as a table: rows first, then text, HTML or a data frame made of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.ruleset.ruleset import RuleSet

HEADER = ("rule", "class", "p", "precision", "coverage", "records", "if")


def rows(ruleset: RuleSet) -> list[tuple[str, ...]]:
    """The cells of each rule, as people read them."""
    return [_cells(rule) for rule in ruleset]


def text(ruleset: RuleSet) -> str:
    """An aligned plain-text table, conditions last because they are the longest."""
    return aligned(title(ruleset), HEADER, rows(ruleset))


def html(ruleset: RuleSet) -> str:
    """An HTML table for notebooks."""
    return marked_up(title(ruleset), HEADER, rows(ruleset))


def aligned(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Cells in columns of plain text, below a title."""
    table = [header, *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    rule = "  ".join("-" * min(width, 60) for width in widths)
    return "\n".join([title, lines[0], rule, *lines[1:]])


def marked_up(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Cells as an HTML table with a title."""
    head = "".join(f"<th style='text-align:left'>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    caption = f"<caption style='text-align:left'>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame(ruleset: RuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    import pandas as pd

    records = [
        {
            "rule": rule.position,
            "class": rule.label,
            "probability": rule.probability,
            "precision": rule.precision,
            "coverage": rule.coverage,
            "support": rule.support,
            "n_covered": rule.n_covered,
            "counts": rule.counts.tolist(),
            "n_conditions": len(rule.conditions),
            "conditions": _antecedent(rule),
        }
        for rule in ruleset
    ]
    return pd.DataFrame.from_records(records).set_index("rule")


def title(ruleset: RuleSet) -> str:
    """Sizes, and what the counts of records mean."""
    classes = ", ".join(str(label) for label in ruleset.classes)
    sizes = f"{_number(len(ruleset), 'rule')}, {_number(ruleset.n_conditions, 'condition')}"
    return f"{sizes}, from {ruleset.n_records} records; records are counted by class: {classes}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _cells(rule: Rule) -> tuple[str, ...]:
    return (
        str(rule.position),
        " ".join(str(rule.label).splitlines()),
        f"{rule.probability:.3f}",
        f"{rule.precision:.3f}",
        f"{rule.coverage:.3f}",
        str(rule.counts.tolist()),
        _antecedent(rule),
    )


def _antecedent(rule: Rule) -> str:
    return " ".join(rule.antecedent.splitlines()) or "(otherwise)"
