"""Splits of a tree on transformed columns, as questions about the table's columns."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import attrs

from rulekit.core.forest import CategorySplit


class Interval(NamedTuple):
    """The values of a number that reach a node: above `low` and up to `high`, and perhaps a missing value."""

    low: float
    high: float
    missing: bool


#: What reaches a node: an interval, or categories as bits.
Reach: TypeAlias = Interval | int


class Question(NamedTuple):
    """A node of a tree on the table's columns, and what reaches its children.

    Attributes
    ----------
    threshold : float
    missing_left : bool
    categories : CategorySplit or None
    left, right : Reach
    """

    threshold: float
    missing_left: bool
    categories: CategorySplit | None
    left: Reach
    right: Reach


@attrs.frozen(eq=False)
class NumberSplit:
    """A split of numbers at several cuts.

    Attributes
    ----------
    feature : int
    cuts : list of float
        Ascending.
    goes_left : list of bool
        For each interval up to a cut, and for that above the last one: which way its numbers go.
    missing_left : bool
    may_be_missing : bool
        Whether the feature has missing values at all.
    """

    feature: int
    cuts: list[float]
    goes_left: list[bool]
    missing_left: bool
    may_be_missing: bool

    @property
    def everything(self) -> Interval:
        """What reaches the root."""
        return Interval(float("-inf"), float("inf"), self.may_be_missing)

    def decide(self, reach: Interval) -> bool | None:
        """Which way everything goes that reaches a node; None if not everything goes the same way."""
        low, high, missing = reach
        if low >= high:
            return self.missing_left
        first, last = bisect_right(self.cuts, low), bisect_left(self.cuts, high)
        sides = set(self.goes_left[first : last + 1])
        if missing:
            sides.add(self.missing_left)
        return sides.pop() if len(sides) == 1 else None

    def ask(self, reach: Interval) -> Question:
        """Split what reaches a node such that at least one side is decided."""
        low, high, missing = reach
        first, last = bisect_right(self.cuts, low), bisect_left(self.cuts, high)
        if first == last:
            # Only missing values go another way: they are told apart by a threshold that no number exceeds.
            beyond = float("inf")
            return Question(beyond, False, None, Interval(low, high, False), Interval(beyond, beyond, True))
        cut = self.cuts[first]
        joins_left = self.missing_left == self.goes_left[first]
        left = Interval(low, cut, missing and joins_left)
        return Question(cut, joins_left, None, left, Interval(cut, high, missing and not joins_left))


@attrs.frozen(eq=False)
class LabelSplit:
    """A split of categories, as bits: one for each label, then one for all others, then one for missing values.

    Attributes
    ----------
    feature : int
    n_labels : int
    goes_left : int
        Bits of what goes left.
    may_be_missing : bool
        Whether the feature has missing values at all.
    """

    feature: int
    n_labels: int
    goes_left: int
    may_be_missing: bool

    @classmethod
    def of(
        cls,
        feature: int,
        goes_left: Sequence[bool],
        unknown_left: bool | None,
        missing_left: bool,
        may_be_missing: bool,
    ) -> "LabelSplit":
        """The split that sends labels these ways; unknown categories that are rejected go with most labels."""
        if unknown_left is None:
            unknown_left = 2 * sum(goes_left) > len(goes_left)
        bits = sum(
            1 << position for position, is_left in enumerate((*goes_left, unknown_left, missing_left)) if is_left
        )
        return cls(feature, len(goes_left), bits, may_be_missing)

    @property
    def everything(self) -> int:
        """What reaches the root."""
        return (1 << (self.n_labels + 1 + self.may_be_missing)) - 1

    def decide(self, reach: int) -> bool | None:
        """Which way everything goes that reaches a node; None if not everything goes the same way."""
        left = reach & self.goes_left
        return None if left and left != reach else bool(left)

    def ask(self, reach: int) -> Question:
        """Split what reaches a node into the two sides."""
        unknown, missing = 1 << self.n_labels, 2 << self.n_labels
        lists_left = not self.goes_left & unknown
        listed = self.goes_left if lists_left else ~self.goes_left
        codes = frozenset(code for code in range(self.n_labels) if listed >> code & 1)
        left, right = reach & self.goes_left, reach & ~self.goes_left
        return Question(0.0, bool(self.goes_left & missing), CategorySplit(codes, lists_left), left, right)


Split: TypeAlias = NumberSplit | LabelSplit
