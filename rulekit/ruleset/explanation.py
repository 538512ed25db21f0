"""Why a record gets its answer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.ruleset.condition import Condition
from rulekit.ruleset.numbers import readable
from rulekit.ruleset.record import one_record
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    from rulekit.ruleset.ruleset import RuleSet


@attrs.frozen(eq=False)
class Explanation:
    """The answer for one record and where it comes from.

    Attributes
    ----------
    label
        Predicted class.
    probabilities : ndarray of shape (n_classes,)
        What the ruleset's inference mode answers.
    rule : Rule
        The first rule that the record satisfies, or the default rule.
    record : tuple
        The record's values: numbers, and labels of categories.
    feature_names : tuple of str
    others : tuple of Rule
        Later rules that the record satisfies too.
    """

    label: Any
    probabilities: FloatArray
    rule: Rule
    record: tuple[Any, ...]
    feature_names: tuple[str, ...]
    others: tuple[Rule, ...]

    @property
    def values(self) -> dict[str, Any]:
        """The record's values by name."""
        return dict(zip(self.feature_names, self.record, strict=True))

    @property
    def checks(self) -> tuple[tuple[Condition, Any], ...]:
        """Each condition of the rule with the record's value."""
        return tuple((condition, self.record[condition.feature_index]) for condition in self.rule.conditions)

    def __str__(self) -> str:
        rule = self.rule
        lines = [f"class {self.label}, probability {self.probabilities.max():.3f}"]
        if rule.is_default:
            lines.append(f"No rule matches; the default (rule {rule.position}) answers.")
        else:
            lines.append(f"Rule {rule.position} fired:")
            lines += [f"  {condition}   (value {_shown(value)})" for condition, value in self.checks]
        lines.append(
            f"It covers {rule.n_covered} of {rule.n_records} training records (precision {rule.precision:.3f}) "
            f"and states {rule.label} with {rule.probability:.3f}."
        )
        lines += [f"Also matches: rule {other.position}: {other}" for other in self.others]
        return "\n".join(lines)


def explain(ruleset: RuleSet, x: Any) -> Explanation:
    """Explain the ruleset's answer for one record; see `RuleSet.explain`."""
    labels = ruleset.conditions.categories.by_feature
    record = one_record(x, ruleset.feature_names, numbers_only=not labels)
    fired = np.flatnonzero(ruleset.matches(record)[:, 0]).tolist()
    probabilities = ruleset.predict_proba(record)[0]
    return Explanation(
        label=ruleset.classes.tolist()[probabilities.argmax()],
        probabilities=probabilities,
        rule=ruleset[fired[0]] if fired else ruleset[-1],
        record=tuple(record[0].tolist()),
        feature_names=ruleset.feature_names,
        others=tuple(ruleset[place] for place in fired[1:]),
    )


def _shown(value: Any) -> str:
    """A value of the record as people read it: a number, a label, or that there is none."""
    if not isinstance(value, float):
        return str(value)
    return "missing" if math.isnan(value) else readable(value)
