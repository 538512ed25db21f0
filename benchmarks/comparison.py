"""Two runs side by side: what got better and what got worse."""

from collections.abc import Iterable
from typing import Literal

import attrs

from benchmarks.measures import MEASURES
from benchmarks.rows import Row

Verdict = Literal["better", "worse", "same"]


@attrs.frozen
class Change:
    """One figure in two runs.

    Attributes
    ----------
    new : Row
    old_value, new_value : float
    tolerance : float
        How much worse, as a share, still counts as the same.
    """

    new: Row
    old_value: float
    new_value: float
    tolerance: float

    @property
    def ratio(self) -> float:
        """Old value / new value."""
        if self.new_value:
            return self.old_value / self.new_value
        return 1.0 if self.old_value == self.new_value else float("inf")

    @property
    def verdict(self) -> Verdict:
        """Whether the figure changed by more than the tolerance, and in which direction."""
        better = MEASURES[self.new.measure].better
        low, high = sorted((self.old_value, self.new_value))
        if better == "neither" or high <= low * (1 + self.tolerance):
            return "same"
        is_lower = self.new_value < self.old_value
        return "better" if is_lower == (better == "lower") else "worse"


@attrs.frozen
class Comparison:
    """All figures of two runs.

    Attributes
    ----------
    changes : tuple of Change
        Figures that both runs have.
    only_new, only_old : tuple of Row
        Figures that one of them lacks, or could not measure.
    """

    changes: tuple[Change, ...]
    only_new: tuple[Row, ...]
    only_old: tuple[Row, ...]

    @property
    def n_worse(self) -> int:
        """Number of figures that got worse."""
        return sum(change.verdict == "worse" for change in self.changes)


def compare(old: Iterable[Row], new: Iterable[Row], tolerance: float) -> Comparison:
    """Match the figures of two runs by benchmark, engine, case and measure.

    Figures of benchmarks that did not run again are left out: nobody asked for them.
    """
    news = {row.key: row for row in new if row.value is not None}
    ran = {row.benchmark for row in news.values()}
    olds = {row.key: row for row in old if row.value is not None and row.benchmark in ran}
    changes = tuple(
        Change(row, olds[key].value, row.value, tolerance)  # type: ignore[arg-type]  # rows without values are left out
        for key, row in news.items()
        if key in olds
    )
    return Comparison(
        changes,
        only_new=tuple(row for key, row in news.items() if key not in olds),
        only_old=tuple(row for key, row in olds.items() if key not in news),
    )
