"""A condition checked against a sample's value."""

import math
from collections.abc import Iterator
from typing import Any

import attrs

from rulekit.render.escaping import visible
from rulekit.ruleset.condition import Condition, Requirement
from rulekit.ruleset.numbers import readable


@attrs.frozen
class Check:
    """Whether a sample satisfies a condition, and by how much. Unpacks to the condition and the value.

    Attributes
    ----------
    condition : Condition
    value
        The sample's value: a number, a category's label, NaN or None for a missing value.
    number : float
        The value as the rules compare it: a category's code, NaN for a missing value.
    """

    condition: Condition
    value: Any
    number: float

    def __iter__(self) -> Iterator[Any]:
        return iter((self.condition, self.value))

    @property
    def holds(self) -> bool:
        """Whether the condition holds."""
        return self.condition.holds(self.number)

    @property
    def is_missing(self) -> bool:
        """Whether the value counts as missing."""
        return math.isnan(self.number)

    @property
    def margin(self) -> float | None:
        """How far the value lies from the exact limit, negative if it fails; None for categories and missing values."""
        return self.condition.margin(self.number)

    @property
    def shown(self) -> Condition:
        """The condition with its rounded limit, or with the exact one where rounding would change the outcome."""
        return self.condition.as_shown_for(self.number)

    @property
    def comment(self) -> str:
        """The value, and by how much the condition holds or fails, for display."""
        distance = self.shown.shown_margin(self.number)
        if distance is None:
            return f"value {shown_value(self.value)}"
        return f"value {shown_value(self.value)}, {'holds' if self.holds else 'fails'} by {readable(distance)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain types, for JSON."""
        margin = self.margin
        return {
            "feature": self.condition.feature,
            "condition": str(self.condition),
            "value": plain(self.value),
            "holds": self.holds,
            "margin": margin if margin is not None and math.isfinite(margin) else None,
        }


def checked(requirement: Requirement, value: Any, number: float) -> tuple[str, str]:
    """A requirement that holds, and the value with its smallest margin, for display."""
    checks = [Check(condition, value, number) for condition in requirement.conditions]
    required = Requirement(tuple(check.shown for check in checks))
    return str(required), min(checks, key=_margin).comment


def shown_value(value: Any) -> str:
    """A value of the sample for display: a number, a label, or `missing`."""
    if value is None:
        return "missing"
    if not isinstance(value, float):
        return visible(value)
    return "missing" if math.isnan(value) else readable(value)


def plain(value: Any) -> Any:
    """A value in a type that JSON has; None for a missing value."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or value != value:
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)


def _margin(check: Check) -> float:
    return math.inf if check.margin is None else check.margin
