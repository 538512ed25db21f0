"""A ruleset as a table, and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulekit.render.table import Table
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.ruleset.ruleset import RuleSet

#: Columns of numbers, which Markdown and LaTeX align to the right.
NUMERIC = frozenset({"rule", "p", "answered", "precision", "coverage"})
#: What stands in place of the number of answered samples, and why.
NONE, NEVER = "none", "never"
MARKS = {
    NONE: "earlier rules answer all training samples that the rule covers",
    NEVER: "the rule lies inside an earlier one, so it cannot answer any sample",
}


def rule_table(ruleset: RuleSet) -> Table:
    """One row per rule; the conditions come last because they are the longest."""
    rows = [_cells(rule) for rule in ruleset]
    headings = tuple(rows[0])
    cells = [tuple(row.values()) for row in rows]
    return Table("rules", title(ruleset), headings, cells, notes=notes(ruleset), numeric=NUMERIC, wraps_last=True)


def notes(ruleset: RuleSet) -> tuple[str, ...]:
    """What the columns count, and what the marks mean that some rule has; nothing without answered samples."""
    if not ruleset.knows_answered:
        return ()
    return (
        "answered: samples of the rule's class, of all that it answers; precision, coverage, samples: of all that it "
        "covers.",
        *marks_of(ruleset),
    )


def marks_of(ruleset: RuleSet) -> list[str]:
    """What the marks mean that some rule has instead of answered samples."""
    marks = {answered(rule) for rule in ruleset} if ruleset.knows_answered else set()
    return [f"{mark}: {meaning}." for mark, meaning in MARKS.items() if mark in marks]


def answered(rule: Rule) -> str:
    """How many of the training samples that a rule answers are of its class, or the mark of one that answers none."""
    if rule.inside is not None:
        return NEVER
    return f"{rule.n_right} of {rule.n_answered}" if rule.n_answered else NONE


def frame(ruleset: RuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    import pandas as pd

    facts = pd.DataFrame.from_records([dict(_facts(rule)) for rule in ruleset]).set_index("rule")
    return facts.astype({"inside": "Int64"}) if ruleset.knows_answered else facts


def title(ruleset: RuleSet) -> str:
    """Sizes, and the meaning of the sample counts."""
    classes = ", ".join(str(label) for label in ruleset.classes)
    sizes = f"{_number(len(ruleset), 'rule')}, {_number(ruleset.n_conditions, 'condition')}"
    return f"{sizes}, from {ruleset.n_samples} samples; samples are counted by class: {classes}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _cells(rule: Rule) -> dict[str, str]:
    return {
        "rule": str(rule.position),
        "class": str(rule.label),
        "p": f"{rule.probability:.3f}",
        **({} if rule.answered_counts is None else {"answered": answered(rule)}),
        "precision": f"{rule.precision:.3f}",
        "coverage": f"{rule.coverage:.3f}",
        "samples": str(rule.counts.tolist()),
        "if": _antecedent(rule),
    }


def _facts(rule: Rule) -> Iterator[tuple[str, Any]]:
    yield "rule", rule.position
    yield "class", rule.label
    yield "probability", rule.probability
    if rule.answered_counts is not None:
        yield "n_answered", rule.n_answered
        yield "n_right", rule.n_right
        yield "inside", rule.inside
    yield "precision", rule.precision
    yield "coverage", rule.coverage
    yield "support", rule.support
    yield "n_covered", rule.n_covered
    yield "counts", rule.counts.tolist()
    if rule.answered_counts is not None:
        yield "answered_counts", rule.answered_counts.tolist()
    yield "n_conditions", len(rule.conditions)
    yield "conditions", _antecedent(rule)


def _antecedent(rule: Rule) -> str:
    return rule.antecedent or "(otherwise)"
