"""Explanations and counterfactuals as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rulekit.explain.check import shown_value
from rulekit.explain.sentences import conditions, lines
from rulekit.render.table import Table
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    from rulekit.explain.counterfactual import Counterfactual
    from rulekit.explain.explanation import Explanation


def explanation_html(explanation: Explanation) -> str:
    """The sentences of an explanation, with the conditions of the rules that answer as tables."""
    rules = (explanation.rule, *explanation.together)
    tables = iter([_table(explanation, rule) for rule in rules if not rule.is_default])
    parts, is_in_table = [], False
    for position, line in enumerate(lines(explanation)):
        # Indented lines are conditions; the first condition of a rule is replaced by the rule's table.
        if line.startswith("  "):
            parts += [] if is_in_table else [next(tables)]
        else:
            sentence = escape(line)
            shown = f"<strong>{sentence}</strong>" if position == 0 else sentence
            parts.append(f"<p style='margin:0.3em 0'>{shown}</p>")
        is_in_table = line.startswith("  ")
    return f"<div>{''.join(parts)}</div>"


def counterfactual_html(counterfactual: Counterfactual) -> str:
    """The sentences of a counterfactual, with the changes as a table."""
    first, *others = counterfactual.lines()
    rest = [line for line in others if not line.startswith("  ")]
    rows = [
        [change.feature, shown_value(change.before), shown_value(change.after)] for change in counterfactual.changes
    ]
    table = Table("changes", "", ("feature", "before", "after"), rows).to_html()
    below = "".join(f"<p>{escape(line)}</p>" for line in rest)
    return f"<div><p><strong>{escape(first)}</strong></p>{table}{below}</div>"


def _table(explanation: Explanation, rule: Rule) -> str:
    return Table("conditions", "", ("", ""), conditions(explanation, rule)).to_html()
