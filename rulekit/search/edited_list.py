"""A list of rules of a pool, and what every deletion, insertion and replacement of a rule would gain."""

from collections.abc import Sequence
from functools import cached_property

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray
from rulekit.core.context import SearchContext
from rulekit.core.statistics import row_sums
from rulekit.search.list_objective import ListObjective, Votes
from rulekit.search.pool import Pool

# Numbers of one block of work on candidates: 8 MB.
BLOCK = 2**20
# Gains are compared to this many decimals: lists of equal value tie, however their sums were rounded.
DECIMALS = 9


@attrs.frozen
class Edit:
    """The best change of one kind: put the rule `row` of the pool at `position`; the gain of J."""

    gain: float
    position: int
    row: int


NO_EDIT = Edit(-np.inf, 0, 0)


@attrs.frozen(eq=False, slots=False)
class EditedList:
    """An ordered list of rules of a pool; each answers at least one sample.

    Attributes
    ----------
    pool : Pool
    objective : ListObjective
    context : SearchContext
    rows : tuple of int
        The rules, by their rows in the pool.
    """

    pool: Pool
    objective: ListObjective
    context: SearchContext
    rows: tuple[int, ...]

    @classmethod
    def of(cls, pool: Pool, objective: ListObjective, context: SearchContext, rows: Sequence[int]) -> "EditedList":
        """The list of these rules, without those that answer no sample."""
        made = cls(pool, objective, context, tuple(rows))
        alive = row_sums(made.counts)[:-1] > 0
        return made if alive.all() else made.with_rows([row for row, lives in zip(rows, alive, strict=True) if lives])

    def __len__(self) -> int:
        return len(self.rows)

    def with_rows(self, rows: Sequence[int]) -> "EditedList":
        """Another list of rules of the same pool."""
        return EditedList.of(self.pool, self.objective, self.context, rows)

    def without(self, *positions: int) -> "EditedList":
        """The list without the rules at these positions."""
        return self.with_rows([row for position, row in enumerate(self.rows) if position not in positions])

    def inserted(self, edit: Edit) -> "EditedList":
        """The list with one more rule."""
        return self.with_rows([*self.rows[: edit.position], edit.row, *self.rows[edit.position :]])

    def replaced(self, edit: Edit) -> "EditedList":
        """The list with another rule at a position."""
        return self.with_rows([*self.rows[: edit.position], edit.row, *self.rows[edit.position + 1 :]])

    @cached_property
    def bits(self) -> BitArray:
        """Samples that each rule covers, of shape (n_rules, n_words)."""
        return np.asarray(self.pool.bits[list(self.rows)])

    @cached_property
    def parts(self) -> BitArray:
        """Samples that each rule and the default rule answer, of shape (n_rules + 1, n_words)."""
        parts = np.vstack([self.bits, self.context.index.all_samples])
        left = self.context.index.all_samples.copy()
        for part in parts:
            part &= left
            left ^= part
        return parts

    @cached_property
    def counts(self) -> IntArray:
        """Class counts of the parts, of shape (n_rules + 1, n_classes)."""
        return self.context.index.count(self.parts)

    @cached_property
    def value(self) -> float:
        """The objective J."""
        return self.objective.value(self.counts)

    @cached_property
    def deletion_gains(self) -> FloatArray:
        """What J gains from each rule's deletion, of shape (n_rules,)."""
        n_parts, n_classes = self.counts.shape
        at_once = self.context.budget.largest_block(max(1, BLOCK // (n_parts * n_classes)), 8 * n_parts * n_classes)
        gains = np.empty(len(self))
        for start in range(0, len(self), at_once):
            self.context.budget.check_time()
            gains[start : start + at_once] = self._deletion_gains(start, min(start + at_once, len(self)))
        return gains.round(DECIMALS)

    def _deletion_gains(self, start: int, stop: int) -> FloatArray:
        """The gains of the rules from `start` up to `stop`: later rules answer the samples of a deleted one."""
        objective, counts = self.objective, self.counts
        moved = self.context.index.engine.moved_counts(self.parts[start:stop], self.bits, start)
        deleted, takers = np.nonzero(moved.any(axis=2))
        before = counts[takers]
        after = before + moved[deleted, takers]
        changes = objective.log_likelihoods(after) - objective.log_likelihoods(before)
        gains = np.asarray(np.bincount(deleted, changes, minlength=stop - start), dtype=np.float64)
        gains = gains + objective.rule_cost - objective.log_likelihoods(counts[start:stop])
        now, old, new = objective.votes(counts), objective.votes(before), objective.votes(after)
        totals = []
        for of_parts, lost, won in ((now.predicted, old.predicted, new.predicted), (now.right, old.right, new.right)):
            of_lists = of_parts.sum(axis=0) - of_parts[start:stop]
            np.add.at(of_lists, deleted, won - lost)
            totals.append(of_lists)
        everything = Votes(now.predicted.sum(axis=0), now.right.sum(axis=0))
        return np.asarray(gains + objective.f1_worth(Votes(*totals)) - objective.f1_worth(everything))

    @cached_property
    def best_insertion(self) -> Edit:
        """The insertion that gains most, without the price of a rule; at the first position, then of the first rule."""
        return self._best(0, len(self) + 1)

    def best_replacement(self, position: int) -> Edit:
        """The replacement at a position that gains most; of the first rule of the pool if several tie."""
        if position not in self._replacements:
            rest = self.without(position)
            best = rest._best(position, position + 1)
            gain = best.gain + rest.value - self.objective.rule_cost - self.value
            self._replacements[position] = attrs.evolve(best, gain=round(gain, DECIMALS))
        return self._replacements[position]

    @cached_property
    def _replacements(self) -> dict[int, Edit]:
        """The best replacements that are known: a sweep that edits nothing asks for them again."""
        return {}

    def _best(self, first: int, stop: int) -> Edit:
        """The best rule to insert at the positions from `first` up to `stop`."""
        n_parts = len(self) + 1 - first
        each = 8 * n_parts * len(self.objective.class_counts)
        at_once = self.context.budget.largest_block(max(1, BLOCK * 8 // each), 8 * each)
        best = NO_EDIT
        for start in range(0, len(self.pool), at_once):
            self.context.budget.check_time()
            gains = self._insertion_gains(self.pool.bits[start : start + at_once], first, stop - first)
            position, row = divmod(int(gains.T.argmax()), len(gains))
            found = Edit(float(gains[row, position]), first + position, start + row)
            if found.gain > best.gain or (found.gain == best.gain and found.position < best.position):
                best = found
        return best

    def _insertion_gains(self, candidates: BitArray, first: int, n_positions: int) -> FloatArray:
        """What rules gain at the positions from `first` on, of shape (n_candidates, n_positions).

        A rule takes from a part what both have in common, whatever its position: only the parts behind it differ. So
        everything is cumulated from the end of the list.
        """
        objective, counts = self.objective, self.counts[first:]
        common = self.context.index.engine.pair_counts(candidates, self.parts[first:])
        left, taken = counts - common, _from_end(common, n_positions)
        losses = objective.log_likelihoods(left) - objective.log_likelihoods(counts)
        gains = _from_end(losses, n_positions) + objective.log_likelihoods(taken)
        now, behind, own = objective.votes(self.counts), objective.votes(left), objective.votes(taken)
        positions = slice(first, first + n_positions)
        votes = Votes(
            *(
                (np.cumsum(before, axis=0) - before)[positions] + _from_end(after, n_positions) + new
                for before, after, new in (
                    (now.predicted, behind.predicted, own.predicted),
                    (now.right, behind.right, own.right),
                )
            )
        )
        all_now = Votes(now.predicted.sum(axis=0), now.right.sum(axis=0))
        gains += objective.f1_worth(votes) - objective.f1_worth(all_now)
        gains[row_sums(taken) == 0] = -np.inf
        return np.asarray(gains.round(DECIMALS))


def _from_end(parts: IntArray | FloatArray, n_positions: int) -> np.ndarray:
    """Sums over a part and all later ones, along the second axis; for the first positions."""
    if n_positions == 1:
        return np.asarray(parts.sum(axis=1, keepdims=True))
    return np.asarray(np.cumsum(parts[:, ::-1], axis=1)[:, ::-1][:, :n_positions])
