"""Boxes: a set of values for each feature."""

from __future__ import annotations

from typing import Self

import attrs

from rulekit.core.regions import Codes, Numbers, Region
from rulekit.ruleset.condition import Condition


@attrs.frozen
class Box:
    """The values that are left of each feature; a feature that is not listed may have all of its values.

    Attributes
    ----------
    start : tuple of Region
        The values that each feature may have.
    sides : mapping of int to Region
    """

    start: tuple[Region, ...]
    sides: dict[int, Region] = attrs.field(factory=dict)

    def where(self, condition: Condition, holds: bool = True) -> Self:
        """The part of the box in which a condition holds, or does not."""
        return self.within(condition.feature_index, condition.region if holds else condition.region.complement())

    def within(self, feature: int, region: Region) -> Self:
        """The part of the box in which a feature's value belongs to a region."""
        return attrs.evolve(self, sides={**self.sides, feature: _intersection(self.side(feature), region)})

    def side(self, feature: int) -> Region:
        """The values that are left of a feature."""
        return self.sides.get(feature, self.start[feature])

    @property
    def key(self) -> frozenset[tuple[int, Region]]:
        """Equal for equal boxes, and hashable."""
        return frozenset(self.sides.items())


def _intersection(side: Region, region: Region) -> Region:
    """What belongs to both; a condition on numbers keeps the codes of the side that satisfy it."""
    if isinstance(side, Numbers) and isinstance(region, Numbers):
        return side.intersect(region)
    if isinstance(side, Codes) and isinstance(region, Codes):
        return side.intersect(region)
    assert isinstance(side, Codes)
    codes = frozenset(code for code in side.codes if region.holds(code))
    return Codes(codes, side.is_inside, side.missing and region.missing)
