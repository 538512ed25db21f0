"""The engine of samples in parts: the greedy choices are made here, on counts that the parts add up."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.engine import new_engine
from rulekit.core.engine.interface import Blocks, Choices, CodeArray, Engine, HashArray, Pairs
from rulekit.core.errors import NotInMemoryError
from rulekit.core.parts import counting
from rulekit.core.parts.counting import Parts
from rulekit.core.statistics import Limits, RuleOrder, merits


class PartitionedEngine(Engine):
    """The same operations on `SampleSets` instead of bits.

    What works on antecedents alone is done by the active engine.

    Parameters
    ----------
    parts : Parts
    n_classes : int
    """

    name: ClassVar[str] = "parts"

    def __init__(self, parts: Parts, n_classes: int) -> None:
        no_words = Blocks.of_classes(np.zeros(n_classes + 1, dtype=np.int64))
        super().__init__(no_words)
        self.parts = parts
        self._without_samples = new_engine(no_words, None)

    def pack(
        self, codes: CodeArray, rows: IntArray, low: IntArray, high: IntArray, outside: BoolArray, bits: BitArray
    ) -> None:
        """Not supported: the index of each part does it."""
        raise NotInMemoryError("The bits of conditions are made by the index of each part.")

    def conjoin(self, store: BitArray, rows: IntArray) -> BitArray:
        """Not supported: the index of each part does it."""
        raise NotInMemoryError("The bits of antecedents are made by the index of each part.")

    def moved_counts(self, parts: BitArray, bits: BitArray, first: int) -> IntArray:
        """Not supported: refine stages edit lists sample by sample."""
        raise NotInMemoryError("Lists cannot be edited while the samples are in parts. Use refine=None.")

    def count(self, bits: Any) -> IntArray:
        """See `Engine`."""
        return self.parts.total(counting.covered_counts, bits.antecedents)

    def pair_counts(self, left: Any, right: Any) -> IntArray:
        """See `Engine`."""
        return self.parts.total(counting.pair_counts, left.antecedents, right.antecedents)

    def removal_counts(self, store: BitArray, rows: IntArray) -> IntArray:
        """See `Engine`."""
        return self.parts.total(counting.removal_counts, rows)

    def unite(self, left: IntArray, right: IntArray, pad: int, words: HashArray) -> tuple[IntArray, HashArray]:
        """See `Engine`."""
        return self._without_samples.unite(left, right, pad, words)

    def drop_redundant(self, antecedents: IntArray, conditions: Conditions) -> IntArray:
        """See `Engine`."""
        return self._without_samples.drop_redundant(antecedents, conditions)

    def sums(self, table: FloatArray, conditions: IntArray) -> FloatArray:
        """See `Engine`."""
        return self._without_samples.sums(table, conditions)

    def removal_sums(self, table: FloatArray, conditions: IntArray, pad: int) -> FloatArray:
        """See `Engine`."""
        return self._without_samples.removal_sums(table, conditions, pad)

    def shorten(self, *arguments: Any) -> tuple[IntArray, int]:
        """See `Engine`."""
        return self._without_samples.shorten(*arguments)

    def choose(
        self,
        pairs: Pairs,
        counts: IntArray,
        classes: IntArray,
        groups: IntArray,
        limits: Limits,
        order: RuleOrder,
        check_time: Callable[[], None],
    ) -> Choices:
        """One choice in each group per round; after it, the parts count what is left of the candidates.

        Groups share no sample, so what is chosen in one leaves the others as they are, and one round serves them all.
        """
        left: Any = pairs.left
        right: Any = pairs.right
        rows, rounds = np.arange(len(groups)), []
        while len(rows):
            check_time()
            primary, secondary = merits(counts, classes[rows], order)
            best = _best_of_groups(primary, secondary, groups[rows], limits.exceeded_by(counts, classes[rows]))
            if not len(best):
                break
            rounds.append((rows[best], primary[best], secondary[best]))
            # A group without a choice is finished. Counts never grow: what covers too few samples now always will.
            goes_on = groups[rows[best]]
            remains = limits.may_be_general(counts) & np.isin(groups[rows], goes_on)
            remains[best] = False
            rows = rows[remains]
            if len(rows):
                chosen = np.concatenate([made for made, _, _ in rounds])
                chosen = chosen[np.isin(groups[chosen], goes_on)]
                chosen_pairs = np.column_stack([pairs.left_rows[chosen], pairs.right_rows[chosen]])
                candidates = left.antecedents, pairs.left_rows[rows], right.antecedents, pairs.right_rows[rows]
                counts = self.parts.total(counting.uncovered_counts, *candidates, chosen_pairs)
        if not rounds:
            nothing = np.empty(0, dtype=np.int64)
            return Choices(nothing, nothing, nothing.astype(float), nothing.astype(float))
        made, primary, secondary = (np.concatenate(columns) for columns in zip(*rounds, strict=True))
        return Choices(made, groups[made], primary, secondary)

    def sequence(self, bits: Any, classes: IntArray, uncovered: Any, limits: Limits) -> tuple[BoolArray, IntArray]:
        """Assume that every rule is kept, count, drop those below the limits, and count again until nothing changes.

        Counts of a rule depend on the rules before it alone, so each round decides at least one more rule for good.
        """
        n_before = len(uncovered.antecedents)
        everything = type(bits).joined([uncovered, bits]).antecedents
        takes = np.ones(len(everything), dtype=bool)
        while True:
            counts = self.parts.total(counting.sequence_counts, everything, takes)[n_before:]
            kept = limits.exceeded_by(counts, classes)
            changes = (kept != takes[n_before:]) & counts.any(axis=1)
            takes[n_before:] = kept
            if not changes.any():
                break
        uncovered.remove(bits[np.flatnonzero(kept)])
        return kept, counts


def _best_of_groups(primary: FloatArray, secondary: FloatArray, groups: IntArray, qualifies: BoolArray) -> IntArray:
    """Rows of the best qualified candidate of each group, the first one if they tie; groups ascend."""
    rows = np.flatnonzero(qualifies)
    ranked = rows[np.lexsort((rows, -secondary[rows], -primary[rows], groups[rows]))]
    _, first = np.unique(groups[ranked], return_index=True)
    return np.asarray(ranked[first])
