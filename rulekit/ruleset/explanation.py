"""Why a record gets its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.ruleset.numbers import readable
from rulekit.ruleset.rule import Condition, Rule

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
    values : dict of str to float
        The record.
    others : tuple of Rule
        Later rules that the record satisfies too.
    """

    label: Any
    probabilities: FloatArray
    rule: Rule
    values: dict[str, float]
    others: tuple[Rule, ...]

    @property
    def checks(self) -> tuple[tuple[Condition, float], ...]:
        """Each condition of the rule with the record's value."""
        return tuple((condition, self.values[condition.feature]) for condition in self.rule.conditions)

    def __str__(self) -> str:
        rule = self.rule
        lines = [f"class {self.label}, probability {self.probabilities.max():.3f}"]
        if rule.is_default:
            lines.append(f"No rule matches; the default (rule {rule.position}) answers.")
        else:
            lines.append(f"Rule {rule.position} fired:")
            lines += [f"  {condition}   (value {readable(value)})" for condition, value in self.checks]
        lines.append(
            f"It covers {rule.n_covered} of {rule.n_records} training records (precision {rule.precision:.3f}) "
            f"and states {rule.label} with {rule.probability:.3f}."
        )
        lines += [f"Also matches: rule {other.position}: {other}" for other in self.others]
        return "\n".join(lines)


def explain(ruleset: RuleSet, x: Any) -> Explanation:
    """Explain the ruleset's answer for one record; see `RuleSet.explain`."""
    record = _record(x, ruleset.feature_names)
    fired = np.flatnonzero(ruleset.matches(record)[:, 0]).tolist()
    probabilities = ruleset.predict_proba(record)[0]
    return Explanation(
        label=ruleset.classes[probabilities.argmax()],
        probabilities=probabilities,
        rule=ruleset[fired[0]] if fired else ruleset[-1],
        values=dict(zip(ruleset.feature_names, record[0].tolist(), strict=True)),
        others=tuple(ruleset[place] for place in fired[1:]),
    )


def _record(x: Any, feature_names: tuple[str, ...]) -> FloatArray:
    """One record as an array of shape (1, n_features)."""
    named = dict(x) if isinstance(x, Mapping) or (hasattr(x, "index") and hasattr(x, "items")) else None
    if named is not None and set(named) >= set(feature_names):
        x = [named[name] for name in feature_names]
    elif isinstance(x, Mapping):
        missing = [name for name in feature_names if name not in x]
        raise ValueError(f"The record lacks a value for {', '.join(map(repr, missing))}.")
    record = np.asarray(x, dtype=np.float64)
    record = record.reshape(1, -1) if record.ndim == 1 else record
    if record.ndim != 2 or record.shape != (1, len(feature_names)):
        raise ValueError(
            f"explain takes one record with {len(feature_names)} values, got an array of shape {np.shape(x)}. "
            "Pass one row, such as X.iloc[0]."
        )
    return record
