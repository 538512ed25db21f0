"""What would have to change for another answer."""

from __future__ import annotations

from typing import Any

import attrs

from rulekit.core.arrays import FloatArray
from rulekit.explain.check import plain, shown_value
from rulekit.explain.explanation import describe
from rulekit.render.escaping import visible
from rulekit.ruleset.rule import Rule


@attrs.frozen
class Change:
    """Another value of one feature.

    Attributes
    ----------
    feature : str
    feature_index : int
    before
        The sample's value: a number, a category's label, NaN or None for a missing one.
    after
        A value that does, with as few digits as possible.
    nearest
        The nearest value that does: for numbers just across the rule's limit.
    """

    feature: str
    feature_index: int
    before: Any
    after: Any
    nearest: Any


@attrs.frozen(eq=False)
class Counterfactual:
    """The smallest change of a sample that gets another answer.

    Attributes
    ----------
    before
        The sample's class.
    label
        The class after the changes.
    probabilities : ndarray of shape (n_classes,)
        The answer after the changes.
    changes : tuple of Change
    rule : Rule
        The rule that answers for the changed sample, the first of them if there are several.
    sample : tuple
        The changed sample: each `after` in its place.
    nearest : tuple
        The same with each `nearest`.
    feature_names : tuple of str
    distance : float
        Changes of the nearest values in units of their scales, added up.
    is_smallest : bool
        Whether it is certain that nothing smaller does.
    """

    before: Any
    label: Any
    probabilities: FloatArray
    changes: tuple[Change, ...]
    rule: Rule
    sample: tuple[Any, ...]
    nearest: tuple[Any, ...]
    feature_names: tuple[str, ...]
    distance: float
    is_smallest: bool

    @property
    def values(self) -> dict[str, Any]:
        """The changed sample's values by name."""
        return dict(zip(self.feature_names, self.sample, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types, for JSON; missing values become None."""
        return {
            "before": plain(self.before),
            "label": plain(self.label),
            "probabilities": self.probabilities.tolist(),
            "changes": [
                {
                    "feature": change.feature,
                    "before": plain(change.before),
                    "after": plain(change.after),
                    "nearest": plain(change.nearest),
                }
                for change in self.changes
            ],
            "rule": describe(self.rule),
            "sample": [
                {"feature": name, "value": plain(value)}
                for name, value in zip(self.feature_names, self.sample, strict=True)
            ],
            "distance": self.distance,
            "is_smallest": self.is_smallest,
        }

    def lines(self) -> list[str]:
        """What is to be read, line by line."""
        number = "1 value" if len(self.changes) == 1 else f"{len(self.changes)} values"
        found = "" if self.is_smallest else "; there may be a smaller change"
        width = max(len(visible(change.feature)) for change in self.changes)
        return [
            f"class {visible(self.label)} instead of {visible(self.before)}, "
            f"probability {self.probabilities.max():.3f}, with {number} changed{found}:",
            *(
                f"  {visible(change.feature).ljust(width)}   {shown_value(change.before)} -> "
                f"{shown_value(change.after)}"
                for change in self.changes
            ),
            f"Then rule {self.rule.position} is the first that answers: {self.rule}",
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        from rulekit.explain.page import changed

        return changed(self)
