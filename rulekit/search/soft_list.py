"""A list that grows by the rules of a pool, for real and virtual samples."""

from functools import cached_property

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

    def best_insertion(self) -> Edit | None:
        """The insertion that gains most, at the first position, then of the first rule, if several tie."""
        best = None
        at_once = self.pool.budget.largest_block(
            max(1, BLOCK // self.pool.data.n_samples), 9 * self.pool.data.n_samples
        )
        for start in range(0, len(self.pool), at_once):
            self.pool.budget.check_time()
            gains = self._gains(self.pool.conditions[start : start + at_once])
            position, row = divmod(int(gains.T.argmax()), len(gains))
            found = Edit(float(gains[row, position]), position, start + row)
            if best is None or (found.gain, -found.position) > (best.gain, -best.position):
                best = found
        return best

    def _gains(self, candidates: IntArray) -> FloatArray:
        """What J gains from rules at all positions, of shape (n_candidates, n_rules + 1).

        As in `EditedList`: a rule takes from a part what both have in common, so all is cumulated from the end.
        """
        value = self.pool.objective.value
        common = self._common(candidates)
        losses = value(self.parts - common) - value(self.parts)
        taken = _from_end(common)
        gains = _from_end(losses) + value(taken)
        gains[row_sums(taken[..., self.pool.data.n_classes :]) == 0] = -np.inf
        return gains.round(DECIMALS)

    def _common(self, candidates: IntArray) -> FloatArray:
        """What rules have in common with the parts, of shape (n_candidates, n_rules + 1, 2 * n_classes)."""
        data, masses = self.pool.data, self.pool.masses
        covered = data.samples(data.cover(candidates))
        common = np.empty((len(candidates), *self.parts.shape))
        for part in range(len(self) + 1):
            members = np.flatnonzero(self.answering == part)
            # Sums of whole numbers are exact, whatever the order in which a library adds them up.
            common[:, part] = covered[:, members].astype(np.float64) @ masses[members]
        return common


def _from_end(parts: FloatArray) -> FloatArray:
    """Sums over this part and all later ones, along the second axis."""
    return np.asarray(np.cumsum(parts[:, ::-1], axis=1)[:, ::-1])
