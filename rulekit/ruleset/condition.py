"""One condition of a rule, and all conditions on one feature combined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

import attrs

from rulekit.core.conditions import Conditions
from rulekit.core.regions import Codes, Numbers, Region
from rulekit.render.escaping import visible
from rulekit.ruleset.numbers import LARGEST, readable, shortest

Operator = Literal["<=", ">", "in", "not in"]


@attrs.frozen
class Condition:
    """One condition of a rule.

    Attributes
    ----------
    feature : str
        Name of the feature.
    feature_index : int
    operator : {"<=", ">", "in", "not in"}
    threshold : float or None
        As given by the ensemble; None for sets.
    cutoff : float or None
        The exact float64 limit, which differs from the threshold by a rounding where an ensemble compares in float32.
    display : float or None
        The threshold as it is printed: rounded so that no training sample changes sides; None without rounding.
    labels : tuple
        Labels of the categories in the set.
    codes : frozenset of int
        Codes of the categories in the set.
    or_missing : bool
        Whether a missing value satisfies the condition.
    is_whole : bool
        Whether the feature held whole numbers only in training, so that `x <= 36.5` is printed as `x <= 36`, and
        `x > 36.5` as `x >= 37`, which means the same for whole numbers.
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
    is_whole: bool = False

    @classmethod
    def of(cls, conditions: Conditions, row: int) -> Condition:
        """The condition in one row of `conditions`."""
        key = conditions.key(row)
        name, operator = conditions.feature_names[key.feature], cast(Operator, key.operator)
        if key.codes is None:
            cutoff, display = float(conditions.cutoffs[row]), float(conditions.displays[row])
            shown = None if math.isnan(display) else display
            missing, is_whole = key.holds_missing, bool(conditions.is_whole[row])
            return cls(name, key.feature, operator, key.threshold, cutoff, shown, or_missing=missing, is_whole=is_whole)
        labels = tuple(conditions.categories.labels(key.feature, key.codes))
        return cls(name, key.feature, operator, None, None, None, labels, key.codes, key.holds_missing)

    @property
    def region(self) -> Region:
        """The values (for sets: codes of categories) that satisfy the condition."""
        if self.cutoff is None:
            return Codes(self.codes, self.operator == "in", self.or_missing)
        ends = (-math.inf, self.cutoff) if self.operator == "<=" else (self.cutoff, math.inf)
        return Numbers.between(*ends, self.or_missing)

    def holds(self, value: float) -> bool:
        """Whether a value (for sets: a category's code) satisfies the condition; NaN is a missing value."""
        return self.region.holds(value)

    def margin(self, value: float) -> float | None:
        """Signed distance from the limit, negative if the value fails; None for categories and missing values.

        It is a whole number for a whole number beside a limit in whole numbers, else the distance from the exact limit.
        """
        if self.cutoff is None or math.isnan(value):
            return None
        if self.is_whole and value.is_integer():
            limit = float(self._whole_limit)
            return limit - value if self.operator == "<=" else value - limit
        return self.cutoff - value if self.operator == "<=" else value - self.cutoff

    def shown_margin(self, value: float) -> float | None:
        """Distance of a value from the printed limit; None also where the limit is beyond all numbers."""
        limit = self.shown_limit
        return None if limit is None or math.isnan(value) else abs(limit - value)

    def as_shown_for(self, value: float) -> Condition:
        """The condition with its rounded limit, or with the exact one where rounding would change the outcome."""
        limit = self.shown_limit
        if limit is None or math.isnan(value):
            return self
        is_below = value < limit if self.shown_operator == ">=" else value <= limit
        if self.holds(value) == (is_below == (self.operator == "<=")):
            return self
        return attrs.evolve(self, display=self.cutoff, is_whole=False)

    @property
    def shown_limit(self) -> float | None:
        """The printed limit; None for categories, and for a limit beyond all numbers."""
        if self.threshold is None or self.is_endless:
            return None
        if self.is_whole:
            return float(self._whole_limit)
        return float(self.limit) if self.display is None else self.display

    @property
    def shown_operator(self) -> str:
        """The operator as it is printed: `>=` where a lower limit is rounded up to a whole number."""
        return ">=" if self.is_whole and self.operator == ">" and not _cutoff(self).is_integer() else self.operator

    @property
    def _whole_limit(self) -> int:
        """The printed limit of a condition in whole numbers."""
        return math.ceil(_cutoff(self)) if self.shown_operator == ">=" else math.floor(_cutoff(self))

    def facts(self) -> dict[str, Any]:
        """Everything that decides whether the condition holds, by name, in plain types."""
        if self.cutoff is None:
            limit: dict[str, Any] = {"categories": self.labels}
        else:
            limit = {"threshold": self.threshold, "cutoff": self.cutoff}
        tested = {"feature": self.feature, "position": self.feature_index, "operator": self.operator}
        return {**tested, **limit, "or_missing": self.or_missing}

    @property
    def limit(self) -> str:
        """The threshold as it is printed, or the categories."""
        if self.threshold is None:
            return f"{{{', '.join(visible(label) for label in self.labels)}}}"
        if self.is_whole:
            return str(self._whole_limit)
        return readable(self.threshold) if self.display is None else shortest(self.display)

    @property
    def is_endless(self) -> bool:
        """Whether the limit is beyond all numbers, which only tests whether a value is present."""
        return self.threshold is not None and abs(self.threshold) >= LARGEST

    def __str__(self) -> str:
        return str(Requirement((self,)))


@attrs.frozen
class Requirement:
    """What a rule requires of one feature: `16.5 < size <= 50`, `17 <= age <= 50`, or `colour in {red}`.

    Attributes
    ----------
    conditions : tuple of Condition
        At least one; all on the same feature, and either all thresholds or all sets.
    """

    conditions: tuple[Condition, ...]

    @property
    def feature(self) -> str:
        """Name of the feature."""
        return self.conditions[0].feature

    @property
    def feature_index(self) -> int:
        """Index of the feature, from 0."""
        return self.conditions[0].feature_index

    @property
    def or_missing(self) -> bool:
        """Whether a missing value satisfies all conditions."""
        return all(condition.or_missing for condition in self.conditions)

    @property
    def low(self) -> Condition | None:
        """The tightest `>` condition, if there is one."""
        return max(self._of(">"), key=_cutoff, default=None)

    @property
    def high(self) -> Condition | None:
        """The tightest `<=` condition, if there is one."""
        return min(self._of("<="), key=_cutoff, default=None)

    @property
    def members(self) -> Condition | None:
        """All sets combined into one; None for thresholds."""
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
    def contains_or(self) -> bool:
        """Whether it prints with an "or", and needs parentheses next to others."""
        return self.or_missing and self._missing_only() is None

    def holds(self, value: float) -> bool:
        """Whether a value (for sets: a category's code) satisfies all conditions; NaN is a missing value."""
        return all(condition.holds(value) for condition in self.conditions)

    def __str__(self) -> str:
        about_missing = self._missing_only()
        if about_missing is not None:
            return f"{visible(self.feature)} {about_missing}"
        return f"{self._present()}{' or missing' if self.or_missing else ''}"

    def _of(self, operator: str) -> list[Condition]:
        return [condition for condition in self.conditions if condition.operator == operator]

    def _present(self) -> str:
        """What is required of a value that is not missing."""
        members, name = self.members, visible(self.feature)
        if members is not None:
            return f"{name} {members.operator} {members.limit}"
        ends = [end for end in (self.low, self.high) if end is not None]
        low, *rest = [end for end in ends if not (end.is_endless and end.holds(0.0))] or ends[:1]
        if not rest:
            return f"{name} {low.shown_operator} {low.limit}"
        is_at_least, high = low.shown_operator == ">=", rest[0]
        if is_at_least and high.is_whole and low.limit == high.limit:
            return f"{name} = {low.limit}"
        return f"{low.limit} {'<=' if is_at_least else '<'} {name} <= {high.limit}"

    def _missing_only(self) -> str | None:
        """How to print a requirement that only tests for missing values; ensembles write it as a split at infinity."""
        members = self.members
        if members is not None:
            accepts_none, accepts_all = (not members.codes and members.operator == word for word in ("in", "not in"))
        else:
            ends = [end for end in (self.low, self.high) if end is not None]
            accepts_none = any(end.is_endless and not end.holds(0.0) for end in ends)
            accepts_all = all(end.is_endless and end.holds(0.0) for end in ends)
        if accepts_none and self.or_missing:
            return "is missing"
        return "is not missing" if accepts_all and not self.or_missing else None


def requirements(conditions: Sequence[Condition]) -> tuple[Requirement, ...]:
    """The conditions grouped by feature, in the order of first use; thresholds and sets stay apart."""
    groups: dict[tuple[int, bool], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault((condition.feature_index, condition.cutoff is None), []).append(condition)
    return tuple(Requirement(tuple(group)) for group in groups.values())


def _cutoff(condition: Condition) -> float:
    assert condition.cutoff is not None
    return condition.cutoff
