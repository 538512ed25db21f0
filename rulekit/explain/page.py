"""An explanation as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rulekit.explain.check import shown_value
from rulekit.explain.text import conditions, lines
from rulekit.render.table import Table
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    from rulekit.explain.counterfactual import Counterfactual
    from rulekit.explain.explanation import Explanation


def one(explanation: Explanation) -> str:
    """The same as the text, with the conditions of the rules that answer as tables."""
    rules = (explanation.rule, *explanation.together)
    tables = iter([_table(explanation, rule) for rule in rules if not rule.is_default])
    parts, is_in_table = [], False
    for position, line in enumerate(lines(explanation)):
        # Lines that are indented are conditions; the first of a rule's stands for its table.
        if line.startswith("  "):
            parts += [] if is_in_table else [next(tables)]
        else:
            text = escape(line)
            parts.append(f"<p style='margin:0.3em 0'>{f'<strong>{text}</strong>' if position == 0 else text}</p>")
        is_in_table = line.startswith("  ")
    return f"<div>{''.join(parts)}</div>"


def changed(counterfactual: Counterfactual) -> str:
    """The same as the text, with the changes as a table."""
    first, *_, last = counterfactual.lines()
    rows = [
        [change.feature, shown_value(change.before), shown_value(change.after)] for change in counterfactual.changes
    ]
    table = Table("changes", "", ("feature", "before", "after"), rows).to_html()
    return f"<div><p><strong>{escape(first)}</strong></p>{table}<p>{escape(last)}</p></div>"


def _table(explanation: Explanation, rule: Rule) -> str:
    return Table("conditions", "", ("", ""), conditions(explanation, rule)).to_html()
