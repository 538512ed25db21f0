"""A ruleset as a table, and as a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.render.table import Table
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.ruleset.ruleset import RuleSet

HEADER = ("rule", "class", "p", "precision", "coverage", "samples", "if")
#: Columns of numbers, which Markdown and LaTeX align to the right.
NUMERIC = frozenset({"rule", "p", "precision", "coverage"})


def rule_table(ruleset: RuleSet) -> Table:
    """One row per rule; the conditions come last because they are the longest."""
    rows = [_cells(rule) for rule in ruleset]
    return Table("rules", title(ruleset), HEADER, rows, numeric=NUMERIC, wraps_last=True)


def frame(ruleset: RuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    import pandas as pd

    rows = [
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
    return pd.DataFrame.from_records(rows).set_index("rule")


def title(ruleset: RuleSet) -> str:
    """Sizes, and the meaning of the sample counts."""
    classes = ", ".join(str(label) for label in ruleset.classes)
    sizes = f"{_number(len(ruleset), 'rule')}, {_number(ruleset.n_conditions, 'condition')}"
    return f"{sizes}, from {ruleset.n_samples} samples; samples are counted by class: {classes}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _cells(rule: Rule) -> tuple[str, ...]:
    return (
        str(rule.position),
        str(rule.label),
        f"{rule.probability:.3f}",
        f"{rule.precision:.3f}",
        f"{rule.coverage:.3f}",
        str(rule.counts.tolist()),
        _antecedent(rule),
    )


def _antecedent(rule: Rule) -> str:
    return rule.antecedent or "(otherwise)"
