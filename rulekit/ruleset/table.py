"""A ruleset as a table, and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

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

BY_WEIGHT = "precision, coverage: fractions by weight; answered, samples: numbers of samples."
REASON = "earlier rules answer the others"


def rule_table(ruleset: RuleSet) -> Table:
    """One row per rule; the conditions come last because they are the longest."""
    rows = [_cells(rule) for rule in ruleset]
    headings = tuple(rows[0])
    cells = [tuple(row.values()) for row in rows]
    return Table("rules", title(ruleset), headings, cells, notes=notes(ruleset), numeric=NUMERIC, wraps_last=True)


def notes(ruleset: RuleSet) -> tuple[str, ...]:
    """What the columns count, and remarks on some rules; nothing without answered samples or weights."""
    by_weight = () if ruleset.weighted is None else (BY_WEIGHT,)
    if not ruleset.knows_answered:
        return by_weight
    return (
        "answered: samples of the rule's class, of all that it answers; precision, coverage, samples: of all that it "
        "covers.",
        *by_weight,
        *remarks(ruleset),
    )


def remarks(ruleset: RuleSet) -> list[str]:
    """What the marks mean that stand for answered samples, and which rules answer another class than their region's.

    There are none where the answered samples are unknown.
    """
    if not ruleset.knows_answered:
        return []
    rules = list(ruleset)
    marks = {answered(rule) for rule in rules}
    against = [rule.position for rule in rules if _is_against_region(rule)]
    return [
        *(f"{mark}: {meaning}." for mark, meaning in MARKS.items() if mark in marks),
        *([_against_region(against)] if against else []),
    ]


def _is_against_region(rule: Rule) -> bool:
    """Whether another class is more frequent than the rule's among the covered samples, and none among the answered."""
    counted, own = rule.weights or rule, rule.class_index
    covered, answers = counted.counts, counted.answered_counts
    return answers is not None and bool(
        covered[own] < covered.max() and np.delete(answers, own).max(initial=0) < answers[own]
    )


def _against_region(positions: list[int]) -> str:
    *others, last = map(str, positions)
    if not others:
        return f"Rule {last} covers more samples of another class than of its own, but answers fewer: {REASON}."
    names = f"{', '.join(others)} and {last}"
    return f"Rules {names} cover more samples of another class than of their own, but answer fewer: {REASON}."


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
