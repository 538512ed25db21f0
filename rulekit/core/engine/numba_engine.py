"""The engine that runs compiled loops; needs numba."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.engine import kernels
from rulekit.core.engine.interface import Blocks, Choices, CodeArray, HashArray, Pairs
from rulekit.core.engine.numpy_engine import NumpyEngine
from rulekit.core.statistics import RULE_ORDERS, Limits, RuleOrder

# Without threads, one call does all the work; threads divide it.
BLOCK_WORDS = 2**62


class NumbaEngine(NumpyEngine):
    """Compiled loops: result arrays are allocated here and filled by the kernels."""

    name: ClassVar[str] = "numba"

    def __init__(self, blocks: Blocks, n_jobs: int | None = None) -> None:
        super().__init__(blocks, n_jobs)
        self._blocks = blocks.table

    def pack(
        self, codes: CodeArray, rows: IntArray, low: IntArray, high: IntArray, outside: BoolArray, bits: BitArray
    ) -> None:
        if codes.dtype != np.uint16:  # features with 65,000 thresholds are too rare for a second kernel
            super().pack(codes, rows, low, high, outside, bits)
            return

        def work(start: int, stop: int) -> None:
            kernels.pack(start, stop, codes, rows, low, high, outside, bits)

        self.spread(work, len(rows), codes.shape[1], BLOCK_WORDS)

    def count(self, bits: BitArray) -> CountArray:
        rows = np.ascontiguousarray(bits).reshape(-1, self.n_words)
        counts = np.zeros((len(rows), self.n_classes), dtype=np.int64)
        self.spread(
            lambda start, stop: kernels.count(start, stop, rows, self._blocks, counts),
            len(rows),
            self.n_words,
            BLOCK_WORDS,
        )
        return self.weighed(counts.reshape(*bits.shape[:-1], self.n_classes))

    def conjoin(self, store: BitArray, rows: IntArray) -> BitArray:
        bits = np.empty((len(rows), self.n_words), dtype=np.uint64)
        rows = np.ascontiguousarray(rows)
        self.spread(
            lambda start, stop: kernels.conjoin(start, stop, store, rows, bits),
            len(rows),
            rows.shape[1] * self.n_words,
            BLOCK_WORDS,
        )
        return bits

    def pair_counts(self, left: BitArray, right: BitArray) -> CountArray:
        counts = np.zeros((len(left), len(right), self.n_classes), dtype=np.int64)
        self.spread(
            lambda start, stop: kernels.pair_counts(start, stop, left, right, self._blocks, counts),
            len(left),
            len(right) * self.n_words,
            BLOCK_WORDS,
        )
        return self.weighed(counts)

    def moved_counts(self, parts: BitArray, bits: BitArray, first: int) -> CountArray:
        counts = np.zeros((len(parts), len(bits) + 1, self.n_classes), dtype=np.int64)
        parts, bits = np.ascontiguousarray(parts), np.ascontiguousarray(bits)
        self.spread(
            lambda start, stop: kernels.moved_counts(start, stop, parts, bits, first, self._blocks, counts),
            len(parts),
            self.n_words,
            BLOCK_WORDS,
        )
        return self.weighed(counts)

    def removal_counts(self, store: BitArray, rows: IntArray) -> CountArray:
        rows = np.ascontiguousarray(rows)
        first = kernels.removals_before(rows)
        counts = np.zeros((first[-1], self.n_classes), dtype=np.int64)
        self.spread(
            lambda start, stop: kernels.removal_counts(start, stop, store, rows, first, self._blocks, counts),
            len(rows),
            2 * rows.shape[1] * self.n_words,
            BLOCK_WORDS,
        )
        return self.weighed(counts)

    def unite(self, left: IntArray, right: IntArray, pad: int, words: HashArray) -> tuple[IntArray, HashArray]:
        united = np.empty((len(left), left.shape[1] + right.shape[1]), dtype=np.int64)
        hashes, lengths = np.empty(len(left), dtype=np.uint64), np.empty(len(left), dtype=np.int64)
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        kernels.unite(0, len(left), left, right, pad, words, united, hashes, lengths)
        return united[:, : lengths.max(initial=0)], hashes

    def drop_redundant(self, antecedents: IntArray, conditions: Conditions) -> IntArray:
        antecedents = np.ascontiguousarray(antecedents)
        shorter = np.empty_like(antecedents)
        width = kernels.drop_redundant(
            antecedents, conditions.bounds, conditions.tightness, conditions.lets_in, len(conditions), shorter
        )
        return shorter[:, :width]

    def sums(self, table: FloatArray, conditions: IntArray) -> FloatArray:
        totals = np.empty((len(table), len(conditions)))
        kernels.sums(np.ascontiguousarray(table), np.ascontiguousarray(conditions), totals)
        return totals

    def removal_sums(self, table: FloatArray, conditions: IntArray, pad: int) -> FloatArray:
        totals = np.empty((len(table), np.count_nonzero(conditions != pad)))
        kernels.removal_sums(np.ascontiguousarray(table), np.ascontiguousarray(conditions), pad, totals)
        return totals

    def shorten(
        self,
        antecedents: IntArray,
        errors: FloatArray,
        active: IntArray,
        classes: IntArray,
        probabilities: FloatArray,
        support: FloatArray,
        of_class: FloatArray,
        z: float,
        pad: int,
    ) -> tuple[IntArray, int]:
        still_active = np.empty_like(active)
        probabilities = np.ascontiguousarray(probabilities, dtype=np.float64)
        support = np.ascontiguousarray(support, dtype=np.float64)
        n_active, longest = kernels.shorten(
            antecedents, errors, active, classes, probabilities, support, of_class, z, pad, still_active
        )
        return still_active[:n_active], longest

    def choose(
        self,
        pairs: Pairs,
        counts: CountArray,
        classes: IntArray,
        groups: IntArray,
        limits: Limits,
        order: RuleOrder,
        check_time: Callable[[], None],
    ) -> Choices:
        n_groups = int(groups[-1]) + 1 if len(groups) else 0
        first = np.searchsorted(groups, np.arange(n_groups + 1))
        chosen, n_chosen = np.empty(len(groups), dtype=np.int64), np.empty(n_groups, dtype=np.int64)
        primary, secondary = np.empty(len(groups)), np.empty(len(groups))
        units = self._units(counts)

        def work(start: int, stop: int) -> None:
            check_time()
            kernels.choose(
                start,
                stop,
                pairs.left,
                pairs.left_rows,
                pairs.right,
                pairs.right_rows,
                units,
                classes,
                first,
                self._blocks,
                self.blocks.unit,
                *self._in_units(limits),
                self._of_classes(limits),
                RULE_ORDERS.index(order),
                n_chosen,
                chosen,
                primary,
                secondary,
            )

        self.spread(work, n_groups, len(groups) * self.n_words // max(n_groups, 1), BLOCK_WORDS)
        made = np.arange(len(groups)) - first[groups] < n_chosen[groups]
        return Choices(chosen[made], groups[made], primary[made], secondary[made])

    def _units(self, counts: CountArray) -> IntArray:
        """A copy of counts as whole numbers of units."""
        return (counts / self.blocks.unit).astype(np.int64) if self.blocks.unit != 1 else counts.astype(np.int64)

    def _in_units(self, limits: Limits) -> tuple[float, float, float, float]:
        """The same limits for counts in units; whatever is divided by a power of two has the same quotients."""
        return limits.n_samples / self.blocks.unit, limits.min_coverage, limits.min_precision, limits.min_class_coverage

    def _of_classes(self, limits: Limits) -> FloatArray:
        return limits.of_classes(self.n_classes) / self.blocks.unit

    def bytes_to_choose(self, groups: IntArray) -> int:
        return 0

    def sequence(
        self, bits: BitArray, classes: IntArray, uncovered: BitArray, limits: Limits
    ) -> tuple[BoolArray, CountArray]:
        kept = np.empty(len(bits), dtype=bool)
        counts = np.zeros((len(bits), self.n_classes), dtype=np.int64)
        least = (*self._in_units(limits), self._of_classes(limits))
        kernels.sequence(bits, classes, self._blocks, uncovered, *least, kept, counts)
        return kept, self.weighed(counts)
