"""Sets of values of one feature, and boxes made of them."""

from __future__ import annotations

import math
from typing import Self

import attrs

from rulekit.ruleset.condition import Condition


@attrs.frozen
class Numbers:
    """Numbers above `low` and up to `high`, and perhaps a missing value."""

    low: float = -math.inf
    high: float = math.inf
    missing: bool = True

    def where(self, condition: Condition, holds: bool) -> Numbers:
        """Those of them for which a condition holds, or does not."""
        assert condition.cutoff is not None
        missing = self.missing and condition.or_missing == holds
        if (condition.operator == "<=") == holds:
            return Numbers(self.low, min(self.high, condition.cutoff), missing)
        return Numbers(max(self.low, condition.cutoff), self.high, missing)

    def nearest(self, value: float) -> float | None:
        """The nearest of them to a value; None if there is none. Nothing is changed into a missing value."""
        if math.isnan(value) and self.missing:
            return value
        lowest = math.nextafter(self.low, math.inf)
        highest = self.high if self.high < math.inf else math.nextafter(math.inf, 0)
        lowest = max(lowest, math.nextafter(-math.inf, 0))
        if lowest > highest:
            return None
        # Of a missing value nobody knows how far anything is: 0, or what is nearest to it.
        return min(max(0.0 if math.isnan(value) else value, lowest), highest)


@attrs.frozen
class Codes:
    """Codes of categories, and perhaps a missing value."""

    codes: frozenset[int]
    missing: bool = True

    def where(self, condition: Condition, holds: bool) -> Codes:
        """Those of them for which a condition holds, or does not."""
        codes = frozenset(code for code in self.codes if condition.holds(code) == holds)
        return Codes(codes, self.missing and condition.or_missing == holds)

    def nearest(self, value: float) -> float | None:
        """The value if it is among them, else the first code; None if there is none."""
        if (math.isnan(value) and self.missing) or value in self.codes:
            return value
        known = [code for code in self.codes if code >= 0]
        return float(min(known)) if known else None


@attrs.frozen
class Box:
    """What is left of each feature; a feature that is not listed is as free as at the start.

    Attributes
    ----------
    start : tuple of Numbers or Codes
        All values of each feature.
    sides : mapping of int to Numbers or Codes
    """

    start: tuple[Numbers | Codes, ...]
    sides: dict[int, Numbers | Codes] = attrs.field(factory=dict)

    def where(self, condition: Condition, holds: bool = True) -> Self:
        """The part of the box in which a condition holds, or does not."""
        feature = condition.feature_index
        side = self.sides.get(feature, self.start[feature]).where(condition, holds)
        return attrs.evolve(self, sides={**self.sides, feature: side})

    @property
    def key(self) -> frozenset[tuple[int, Numbers | Codes]]:
        """What tells boxes apart."""
        return frozenset(self.sides.items())

    def nearest(self, sample: tuple[float, ...]) -> dict[int, float] | None:
        """What has to change so that a sample lies in the box, as little as possible; None if the box is empty."""
        changes = {}
        for feature, side in self.sides.items():
            value = side.nearest(sample[feature])
            if value is None:
                return None
            if value != sample[feature] and not (math.isnan(value) and math.isnan(sample[feature])):
                changes[feature] = value
        return changes
