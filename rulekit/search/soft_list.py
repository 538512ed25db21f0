"""A list that grows by the rules of a pool, for real and virtual samples."""

from collections.abc import Iterator
from functools import cached_property
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.context import Budget
from rulekit.core.rules import RuleList
from rulekit.core.statistics import row_sums
from rulekit.core.training_data import TrainingData
from rulekit.search.edited_list import DECIMALS, Edit
from rulekit.search.soft_objective import SoftObjective

# Numbers of one block of work on candidates: 32 MB.
BLOCK = 2**22


@attrs.frozen(eq=False)
class SoftPool:
    """The candidates, and the samples that show what a list of them is worth.

    Attributes
    ----------
    data : TrainingData
        The training samples, then the virtual ones.
    conditions : ndarray of shape (n_rules, width)
    masses : ndarray of shape (n_samples, 2 * n_classes)
        Whole numbers: see `rulekit.search.soft_objective.masses`.
    objective : SoftObjective
    budget : Budget
    """

    data: TrainingData
    conditions: IntArray
    masses: FloatArray
    objective: SoftObjective
    budget: Budget

    def __len__(self) -> int:
        return len(self.conditions)

    def blocks(self, n_numbers: int) -> Iterator[slice]:
        """Blocks of candidates for which `n_numbers` numbers each are held at once; checks the time before each."""
        at_once = self.budget.largest_block(max(1, BLOCK // max(1, n_numbers)), 9 * n_numbers)
        for start in range(0, len(self), at_once):
            self.budget.check_time()
            yield slice(start, min(start + at_once, len(self)))

    def masses_within(self, rows: slice, samples: IntArray) -> FloatArray:
        """Masses of the samples that candidates cover among these, of shape (n_candidates, 2 * n_classes)."""
        covered = self.data.samples(self.data.cover(self.conditions[rows]))[:, samples]
        # Sums of whole numbers are exact, whatever the order in which a library adds them up.
        return np.asarray(covered.astype(np.float64) @ self.masses[samples])


@attrs.frozen(eq=False, slots=False)
class SoftList:
    """An ordered list of rules of a pool.

    Attributes
    ----------
    pool : SoftPool
    rows : tuple of int
        The rules, by their rows in the pool.
    """

    pool: SoftPool
    rows: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def answering(self) -> IntArray:
        """The part that answers each sample, the default rule's being the last; shape (n_samples,)."""
        return RuleList(self.pool.data, self.pool.conditions[list(self.rows)]).answering

    @cached_property
    def parts(self) -> FloatArray:
        """What the parts hold, of shape (n_rules + 1, 2 * n_classes)."""
        parts = np.zeros((len(self) + 1, self.pool.masses.shape[1]))
        np.add.at(parts, self.answering, self.pool.masses)
        return parts

    @cached_property
    def value(self) -> float:
        """The objective J."""
        return round(float(self.pool.objective.value(self.parts).sum()), DECIMALS)

    @property
    def labels(self) -> FloatArray:
        """Training samples of each class in the parts, of shape (n_rules + 1, n_classes)."""
        return self.parts[:, self.pool.data.n_classes :]

    def inserted(self, edit: Edit) -> "SoftList":
        """The list with one more rule, without those that no longer answer any training sample."""
        longer = attrs.evolve(self, rows=(*self.rows[: edit.position], edit.row, *self.rows[edit.position :]))
        alive = row_sums(longer.labels)[:-1] > 0
        return attrs.evolve(self, rows=tuple(row for row, lives in zip(longer.rows, alive, strict=True) if lives))


@attrs.frozen(eq=False)
class Overlap:
    """What every rule of the pool has in common with the parts of a list, and so what its insertion would gain.

    Attributes
    ----------
    of_list : SoftList
    common : ndarray of shape (n_candidates, n_rules + 1, 2 * n_classes)
    """

    of_list: SoftList
    common: FloatArray

    @classmethod
    def of(cls, found: SoftList) -> Self:
        """The overlap with a list of no rules: whatever a candidate covers."""
        assert not found.rows, "with more parts, masses would have to be added up by part"
        pool, everything = found.pool, np.arange(found.pool.data.n_samples)
        common = np.empty((len(pool), 1, pool.masses.shape[1]))
        for rows in pool.blocks(len(everything)):
            common[rows, 0] = pool.masses_within(rows, everything)
        return cls(found, common)

    def best_insertion(self) -> Edit | None:
        """The insertion that gains most, at the first position, then of the first rule, if several tie."""
        best = None
        for rows in self.of_list.pool.blocks(self.common[0].size):
            gains = self._gains(rows)
            position, row = divmod(int(gains.T.argmax()), len(gains))
            found = Edit(float(gains[row, position]), position, rows.start + row)
            if best is None or (found.gain, -found.position) > (best.gain, -best.position):
                best = found
        return best

    def after(self, longer: SoftList) -> Self:
        """The overlap with a list that was made from this one by an insertion.

        Only samples that another part answers now are looked at: their masses move from one part to the other.
        """
        pool, before, now = longer.pool, self.of_list.answering, longer.answering
        common = np.zeros((len(pool), len(longer) + 1, pool.masses.shape[1]))
        position_of = {row: position for position, row in enumerate((*longer.rows, None))}
        for position, row in enumerate((*self.of_list.rows, None)):
            if row in position_of:
                common[:, position_of[row]] = self.common[:, position]
        # The part of a rule that is no longer in the list has no position: all its samples have moved.
        kept = np.array([position_of.get(row, -1) for row in (*self.of_list.rows, None)])
        moved = np.flatnonzero(kept[before] != now)
        for left, entered in {*zip(kept[before[moved]].tolist(), now[moved].tolist(), strict=True)}:
            samples = moved[(kept[before[moved]] == left) & (now[moved] == entered)]
            for rows in pool.blocks(len(samples)):
                masses = pool.masses_within(rows, samples)
                common[rows, entered] += masses
                if left >= 0:
                    common[rows, left] -= masses
        return type(self)(longer, common)

    def _gains(self, rows: slice) -> FloatArray:
        """What J gains from candidates at all positions, of shape (n_candidates, n_rules + 1).

        As in `EditedList`: a rule takes from a part what both have in common, so all is cumulated from the end.
        """
        pool, common, parts = self.of_list.pool, self.common[rows], self.of_list.parts
        value = pool.objective.value
        losses = value(parts - common) - value(parts)
        taken = _from_end(common)
        gains = _from_end(losses) + value(taken)
        gains[row_sums(taken[..., pool.data.n_classes :]) == 0] = -np.inf
        return gains.round(DECIMALS)


def _from_end(parts: FloatArray) -> FloatArray:
    """Sums over this part and all later ones, along the second axis."""
    return np.asarray(np.cumsum(parts[:, ::-1], axis=1)[:, ::-1])
