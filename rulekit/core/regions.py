"""Regions: the sets of values of one feature for which a condition, of any kind, holds.

Most of rulekit needs to know no more about a condition than its region. There are two forms, numbers in intervals and
codes of categories; each defines whether a missing value belongs to it. Intersections and complements are regions too.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import attrs


@attrs.frozen
class Numbers:
    """Numbers in intervals, and perhaps a missing value; without arguments, everything.

    Attributes
    ----------
    intervals : tuple of pairs of float
        `(low, high)` stands for the finite numbers above `low` and up to `high`. They ascend, and none is empty.
    missing : bool
    """

    intervals: tuple[tuple[float, float], ...] = ((-math.inf, math.inf),)
    missing: bool = True

    @classmethod
    def between(cls, low: float, high: float, missing: bool) -> Numbers:
        """Numbers above `low` and up to `high`."""
        return cls(((low, high),) if low < high else (), missing)

    def holds(self, value: float) -> bool:
        """Whether a value belongs; NaN stands for a missing one."""
        if math.isnan(value):
            return self.missing
        return any(low < value <= high for low, high in self.intervals)

    def intersect(self, other: Numbers) -> Numbers:
        """What belongs to both."""
        both = [
            (max(low, other_low), min(high, other_high))
            for low, high in self.intervals
            for other_low, other_high in other.intervals
        ]
        return Numbers(tuple((low, high) for low, high in both if low < high), self.missing and other.missing)

    def complement(self) -> Numbers:
        """What does not belong."""
        lows = [-math.inf, *(high for _, high in self.intervals)]
        highs = [*(low for low, _ in self.intervals), math.inf]
        gaps = zip(lows, highs, strict=True)
        return Numbers(tuple((low, high) for low, high in gaps if low < high), not self.missing)

    def implies(self, other: Numbers) -> bool:
        """Whether everything that belongs here belongs there."""
        return self.intersect(other) == self

    def nearest(self, value: float) -> float | None:
        """The nearest number to a value; None if there is none. Nothing is changed into a missing value."""
        if math.isnan(value) and self.missing:
            return value
        # Distances from a missing value are unknown: take 0, or the number nearest to 0.
        own = 0.0 if math.isnan(value) else value
        largest = math.nextafter(math.inf, 0)
        ends = [(max(math.nextafter(low, math.inf), -largest), min(high, largest)) for low, high in self.intervals]
        found = [min(max(own, low), high) for low, high in ends if low <= high]
        return min(found, key=lambda number: abs(number - own), default=None)

    def nearest_whole(self, value: float) -> float | None:
        """The value if it belongs, else the nearest whole number that does; None if there is none."""
        if self.holds(value):
            return value
        own = 0.0 if math.isnan(value) else value
        ends = [(_next_whole(low), high if math.isinf(high) else math.floor(high)) for low, high in self.intervals]
        found = [min(max(own, low), high) for low, high in ends if low <= high]
        return min(map(float, found), key=lambda number: abs(number - own), default=None)

    def moved(self, amount: float) -> Numbers:
        """The same numbers, each with an amount added."""
        # The smallest number is moved, not the one below it, which rounding may carry to the same place.
        first = (math.nextafter(low, math.inf) + amount for low, _ in self.intervals)
        ends = (
            (math.nextafter(low, -math.inf), high + amount)
            for low, (_, high) in zip(first, self.intervals, strict=True)
        )
        return Numbers(tuple(ends), self.missing)

    def around(self, value: float) -> tuple[float, float]:
        """The interval that a number belongs to."""
        return next((low, high) for low, high in self.intervals if low < value <= high)


@attrs.frozen
class Codes:
    """Codes of categories, or all codes except these, and perhaps a missing value.

    Attributes
    ----------
    codes : frozenset of int
    is_inside : bool
        Whether the codes belong; otherwise everything else does, including unseen categories.
    missing : bool
    """

    codes: frozenset[int]
    is_inside: bool = True
    missing: bool = True

    def holds(self, value: float) -> bool:
        """Whether a code belongs; NaN stands for a missing value."""
        return self.missing if math.isnan(value) else (value in self.codes) == self.is_inside

    def intersect(self, other: Codes) -> Codes:
        """What belongs to both."""
        missing = self.missing and other.missing
        if self.is_inside and other.is_inside:
            return Codes(self.codes & other.codes, True, missing)
        if not self.is_inside and not other.is_inside:
            return Codes(self.codes | other.codes, False, missing)
        inside, outside = (self, other) if self.is_inside else (other, self)
        return Codes(inside.codes - outside.codes, True, missing)

    def complement(self) -> Codes:
        """What does not belong."""
        return Codes(self.codes, not self.is_inside, not self.missing)

    def implies(self, other: Codes) -> bool:
        """Whether everything that belongs here belongs there."""
        return self.intersect(other) == self

    def nearest(self, value: float) -> float | None:
        """The value if it belongs, else the first code that does; None if no code is listed."""
        if self.holds(value):
            return value
        known = [code for code in self.codes if code >= 0] if self.is_inside else []
        return float(min(known)) if known else None


def _next_whole(value: float) -> float:
    """The smallest whole number above a value."""
    return value if math.isinf(value) else math.floor(value) + 1


Region: TypeAlias = Numbers | Codes
