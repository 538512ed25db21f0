"""A condition as a person looks at it, and all conditions on one feature as one statement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

import attrs

from rulekit.core.conditions import Conditions
from rulekit.core.regions import Codes, Numbers, Region
from rulekit.render.escaping import visible
from rulekit.ruleset.numbers import readable, shortest

Operator = Literal["<=", ">", "in", "not in"]
#: The largest number in single precision: ensembles draw lines there, or at infinity, to tell missing values apart.
LARGEST = 3.4028234663852886e38


@attrs.frozen
class Condition:
    """One condition of a rule.

    Attributes
    ----------
    feature : str
        Name of the column.
    feature_index : int
    operator : {"<=", ">", "in", "not in"}
    threshold : float or None
        As the ensemble states it; None for sets.
    cutoff : float or None
        The exact float64 limit: ensembles that compare in float32 draw the line within a rounding of the threshold.
    display : float or None
        The threshold as people read it: rounded so that no training sample changes sides. None if nobody has rounded.
    labels : tuple
        The categories of a set.
    codes : frozenset of int
        Their codes.
    or_missing : bool
        Whether the condition also holds where the value is missing.
    """

    feature: str
    feature_index: int
    operator: Operator
    threshold: float | None
    cutoff: float | None
    display: float | None = None
    labels: tuple[Any, ...] = ()
    codes: frozenset[int] = frozenset()
    or_missing: bool = False

    @classmethod
    def of(cls, conditions: Conditions, row: int) -> Condition:
        """One of several conditions."""
        key = conditions.key(row)
        name, operator = conditions.feature_names[key.feature], cast(Operator, key.operator)
        if key.codes is None:
            cutoff, display = float(conditions.cutoffs[row]), float(conditions.displays[row])
            shown = None if math.isnan(display) else display
            return cls(name, key.feature, operator, key.threshold, cutoff, shown, or_missing=key.holds_missing)
        labels = tuple(conditions.categories.labels(key.feature, key.codes))
        return cls(name, key.feature, operator, None, None, None, labels, key.codes, key.holds_missing)

    @property
    def region(self) -> Region:
        """The values (codes of categories, for sets) for which it holds."""
        if self.cutoff is None:
            return Codes(self.codes, self.operator == "in", self.or_missing)
        ends = (-math.inf, self.cutoff) if self.operator == "<=" else (self.cutoff, math.inf)
        return Numbers.between(*ends, self.or_missing)

    def holds(self, value: float) -> bool:
        """Whether a value (a category's code, for sets) satisfies the condition; NaN stands for a missing one."""
        return self.region.holds(value)

    def margin(self, value: float) -> float | None:
        """How far a value lies from the exact limit, negative if it fails; None for categories and missing values."""
        if self.cutoff is None or math.isnan(value):
            return None
        return self.cutoff - value if self.operator == "<=" else value - self.cutoff

    def shown_margin(self, value: float) -> float | None:
        """How far a value lies from the limit as it is printed; None also where the limit is beyond all numbers."""
        limit = self.shown_limit
        return None if limit is None or math.isnan(value) else abs(limit - value)

    def as_shown_for(self, value: float) -> Condition:
        """The condition with its rounded limit, or the exact one where the rounded one would decide otherwise."""
        limit = self.shown_limit
        if limit is None or math.isnan(value):
            return self
        assert self.cutoff is not None
        return self if (value <= limit) == (value <= self.cutoff) else attrs.evolve(self, display=self.cutoff)

    @property
    def shown_limit(self) -> float | None:
        """The limit as it is printed; None for categories, and for a limit beyond all numbers."""
        if self.threshold is None or self.is_endless:
            return None
        return float(self.limit) if self.display is None else self.display

    def exact_limit(self) -> dict[str, Any]:
        """What decides, by name: `threshold` and `cutoff`, or the labels of `categories`."""
        if self.cutoff is None:
            return {"categories": self.labels}
        return {"threshold": self.threshold, "cutoff": self.cutoff}

    @property
    def limit(self) -> str:
        """The threshold as people read it, or the categories."""
        if self.threshold is None:
            return f"{{{', '.join(visible(label) for label in self.labels)}}}"
        return readable(self.threshold) if self.display is None else shortest(self.display)

    @property
    def is_endless(self) -> bool:
        """Whether its limit is beyond all numbers, so that it only asks whether the value is there."""
        return self.threshold is not None and abs(self.threshold) >= LARGEST

    def __str__(self) -> str:
        return str(Requirement((self,)))


@attrs.frozen
class Requirement:
    """What a rule asks of one feature: `16.5 < age <= 50`, or `colour in {red}`.

    Attributes
    ----------
    conditions : tuple of Condition
        At least one; all of the same feature, and all thresholds or all sets.
    """

    conditions: tuple[Condition, ...]

    @property
    def feature(self) -> str:
        """Name of the column."""
        return self.conditions[0].feature

    @property
    def feature_index(self) -> int:
        """Place of the column, from 0."""
        return self.conditions[0].feature_index

    @property
    def or_missing(self) -> bool:
        """Whether a missing value will do."""
        return all(condition.or_missing for condition in self.conditions)

    @property
    def low(self) -> Condition | None:
        """The tightest `>`, if there is one."""
        return max(self._of(">"), key=_cutoff, default=None)

    @property
    def high(self) -> Condition | None:
        """The tightest `<=`, if there is one."""
        return min(self._of("<="), key=_cutoff, default=None)

    @property
    def members(self) -> Condition | None:
        """The sets as one; None for thresholds."""
        inside, outside = self._of("in"), self._of("not in")
        if not inside and not outside:
            return None
        label_of: dict[int, Any] = {}
        for each in self.conditions:
            label_of.update(zip(sorted(each.codes), each.labels, strict=True))
        excluded = frozenset[int]().union(*(each.codes for each in outside))
        codes = frozenset.intersection(*(each.codes for each in inside)) - excluded if inside else excluded
        return attrs.evolve(
            self.conditions[0],
            operator="in" if inside else "not in",
            codes=codes,
            labels=tuple(label_of[code] for code in sorted(codes)),
            or_missing=self.or_missing,
        )

    @property
    def says_or(self) -> bool:
        """Whether its text holds an "or", and belongs in brackets among others."""
        return self.or_missing and self._missing_only() is None

    def holds(self, value: float) -> bool:
        """Whether a value (a category's code, for sets) satisfies all conditions; NaN stands for a missing one."""
        return all(condition.holds(value) for condition in self.conditions)

    def __str__(self) -> str:
        about_missing = self._missing_only()
        if about_missing is not None:
            return f"{visible(self.feature)} {about_missing}"
        return f"{self._present()}{' or missing' if self.or_missing else ''}"

    def _of(self, operator: str) -> list[Condition]:
        return [condition for condition in self.conditions if condition.operator == operator]

    def _present(self) -> str:
        """What is asked of a value that is there."""
        members, name = self.members, visible(self.feature)
        if members is not None:
            return f"{name} {members.operator} {members.limit}"
        ends = [end for end in (self.low, self.high) if end is not None]
        low, *rest = [end for end in ends if not (end.is_endless and end.holds(0.0))] or ends[:1]
        if rest:
            return f"{low.limit} < {name} <= {rest[0].limit}"
        return f"{name} {low.operator} {low.limit}"

    def _missing_only(self) -> str | None:
        """Words for a requirement that only asks whether the value is there; ensembles draw such a line at infinity."""
        members = self.members
        if members is not None:
            none_will_do, all_will_do = (not members.codes and members.operator == word for word in ("in", "not in"))
        else:
            ends = [end for end in (self.low, self.high) if end is not None]
            none_will_do = any(end.is_endless and not end.holds(0.0) for end in ends)
            all_will_do = all(end.is_endless and end.holds(0.0) for end in ends)
        if none_will_do and self.or_missing:
            return "is missing"
        return "is not missing" if all_will_do and not self.or_missing else None


def requirements(conditions: Sequence[Condition]) -> tuple[Requirement, ...]:
    """The conditions by feature, in the order in which they first speak of it; thresholds and sets stay apart."""
    groups: dict[tuple[int, bool], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault((condition.feature_index, condition.cutoff is None), []).append(condition)
    return tuple(Requirement(tuple(group)) for group in groups.values())


def _cutoff(condition: Condition) -> float:
    assert condition.cutoff is not None
    return condition.cutoff
