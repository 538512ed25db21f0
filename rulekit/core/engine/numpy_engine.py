"""The engine that is always available: whole arrays at a time, in blocks that limit its memory."""

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions, drop_redundant
from rulekit.core.engine.interface import Blocks, Choices, CodeArray, Engine, HashArray, Pairs
from rulekit.core.statistics import EVERY_RULE, Limits, RuleOrder, hits, merits_of, pessimistic_error, row_sums

# Blocks of bits that are worked on at once, in words: small enough to stay in the cache, and 2 MB of memory.
BLOCK_WORDS = 2**18
# Rules tried in sequence at once: more rules save calls, but more are repeated after a rule is dropped.
SEQUENCE_ROWS = 64
# Counts up to 2**24 are exact in float32, whose matrix product is the fastest way to sum popcounts.
EXACT_IN_FLOAT32 = 2**24


class NumpyEngine(Engine):
    """Array operations of NumPy."""

    name: ClassVar[str] = "numpy"

    def __init__(self, blocks: Blocks, n_jobs: int | None = None) -> None:
        super().__init__(blocks, n_jobs)
        n_words_of_block = np.diff(blocks.bounds)
        self._of_class = np.array(
            [np.gcd.reduce(blocks.multipliers[blocks.classes == c]) for c in range(self.n_classes)]
        )
        multipliers = blocks.multipliers // self._of_class[blocks.classes]
        most = 64 * int(n_words_of_block @ multipliers)
        dtype = np.float32 if most < EXACT_IN_FLOAT32 else np.float64
        of_block = np.eye(self.n_classes, dtype=dtype)[blocks.classes] * multipliers[:, None].astype(dtype)
        self._units_of_word = np.repeat(of_block, n_words_of_block, axis=0)
        self._is_plain = bool((self._of_class == 1).all())

    @property
    def _count_type(self) -> type[np.int64] | type[np.float64]:
        """The type of counts in samples."""
        return np.int64 if self.blocks.unit == 1 else np.float64

    def pack(
        self, codes: CodeArray, rows: IntArray, low: IntArray, high: IntArray, outside: BoolArray, bits: BitArray
    ) -> None:
        # Unsigned numbers below `low` wrap around to large ones: one comparison checks both ends.
        first, span = low.astype(codes.dtype)[:, None], (high - low).astype(codes.dtype)[:, None]

        def work(start: int, stop: int) -> None:
            block = slice(start, stop)
            holds = (codes[rows[block]] - first[block] <= span[block]) != outside[block, None]
            bits[block] = np.packbits(holds, axis=1, bitorder="little").view(np.uint64)

        self.spread(work, len(rows), codes.shape[1], min(8 * BLOCK_WORDS, self.max_block_words))

    def count(self, bits: BitArray) -> CountArray:
        ones = np.bitwise_count(bits).astype(self._units_of_word.dtype)
        units = (ones @ self._units_of_word).astype(np.int64)
        # A common factor of a class, as class weights are, is left out of the sums, whose terms stay small.
        return self.weighed(units if self._is_plain else units * self._of_class)

    def conjoin(self, store: BitArray, rows: IntArray) -> BitArray:
        bits = np.empty((len(rows), self.n_words), dtype=np.uint64)

        def work(start: int, stop: int) -> None:
            block = bits[start:stop]
            block[:] = store[0]
            for column in rows[start:stop].T:
                block &= store[column]

        self.spread(work, len(rows), self.n_words, min(BLOCK_WORDS, self.max_block_words))
        return bits

    def pair_counts(self, left: BitArray, right: BitArray) -> CountArray:
        counts = np.empty((len(left), len(right), self.n_classes), dtype=self._count_type)

        def work(start: int, stop: int) -> None:
            counts[start:stop] = self.count(left[start:stop, None] & right)

        self.spread(work, len(left), max(1, len(right)) * self.n_words, min(BLOCK_WORDS, self.max_block_words))
        return counts

    def moved_counts(self, parts: BitArray, bits: BitArray, first: int) -> CountArray:
        counts = np.zeros((len(parts), len(bits) + 1, self.n_classes), dtype=self._count_type)
        for row, part in enumerate(parts):
            left, later = part.copy(), bits[first + row + 1 :]
            _, moved = self.sequence(later, np.zeros(len(later), dtype=np.int64), left, EVERY_RULE)
            counts[row, first + row + 1 : -1] = moved
            counts[row, -1] = self.count(left)
        return counts

    def removal_counts(self, store: BitArray, rows: IntArray) -> CountArray:
        counts = np.empty((*rows.shape, self.n_classes), dtype=self._count_type)
        width = rows.shape[1]

        def work(start: int, stop: int) -> None:
            holds = store[rows[start:stop].T]
            # Samples for which all conditions before a position hold, then also all conditions after it.
            others = np.empty_like(holds)
            others[:1] = store[0]
            for position in range(1, width):
                np.bitwise_and(others[position - 1], holds[position - 1], out=others[position])
            for position in range(width - 2, -1, -1):
                others[position] &= holds[position + 1]
                holds[position] &= holds[position + 1]
            counts[start:stop] = self.count(others).swapaxes(0, 1)

        self.spread(work, len(rows), width * self.n_words, min(BLOCK_WORDS, self.max_block_words))
        return counts[rows != 0]

    def unite(self, left: IntArray, right: IntArray, pad: int, words: HashArray) -> tuple[IntArray, HashArray]:
        rows = np.sort(np.hstack([left, right]), axis=1)
        repeated = rows[:, 1:] == rows[:, :-1]
        rows[:, 1:][repeated] = pad
        rows.sort(axis=1)
        width = int((rows < pad).sum(axis=1).max(initial=0))
        united = rows[:, :width]
        return united, words[united].sum(axis=1, dtype=np.uint64)

    def drop_redundant(self, antecedents: IntArray, conditions: Conditions) -> IntArray:
        return drop_redundant(antecedents, conditions)

    def sums(self, table: FloatArray, conditions: IntArray) -> FloatArray:
        total = np.zeros((len(table), len(conditions)))
        for column in conditions.T:
            total += table[:, column]
        return total

    def removal_sums(self, table: FloatArray, conditions: IntArray, pad: int) -> FloatArray:
        parts = table[:, conditions]
        whole = np.zeros(parts.shape[:2])
        for position in range(conditions.shape[1]):
            whole += parts[..., position]
        with np.errstate(invalid="ignore"):  # infinite sums are recomputed below
            rest: FloatArray = whole[..., None] - parts
        for column, row in np.argwhere(~np.isfinite(whole)):
            for position in range(conditions.shape[1]):
                rest[column, row, position] = np.delete(parts[column, row], position).sum()
        return rest[:, conditions != pad]

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
        some, class_of = antecedents[active], classes[active]
        is_real = some != pad
        lengths = is_real.sum(axis=1)
        of_own_class = probabilities[np.arange(len(support)), np.repeat(class_of, lengths)]
        after = np.full(some.shape, np.inf)
        after[is_real] = pessimistic_error(support, 1.0 - of_own_class, z)
        last = lengths == 1
        after[last] = np.where(is_real[last], of_class[class_of[last], None], np.inf)
        weakest = after.argmin(axis=1)
        least = after[np.arange(len(active)), weakest]
        gains = least <= errors[active]
        active, least, lengths = active[gains], least[gains], lengths[gains] - 1
        antecedents[active, weakest[gains]] = pad
        antecedents[active] = np.sort(antecedents[active], axis=1)
        errors[active] = least
        go_on = (least > 0) & (lengths > 0)
        return active[go_on], int(lengths[go_on].max(initial=0))

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
        _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        most = int(sizes.max(initial=1))
        parts: list[list[tuple[IntArray, FloatArray, FloatArray]]] = [[] for _ in first]

        def work(start: int, stop: int) -> None:
            rows = first[start:stop, None] + np.arange(most)
            is_real = np.arange(most) < sizes[start:stop, None]
            rows = np.where(is_real, rows, -1)
            rounds = self._rounds_of_choices(pairs, rows, counts, classes, limits, order)
            for round_ in rounds:
                check_time()
                parts[start].append(round_)

        self.spread(work, len(first), most * self.n_words, min(16 * BLOCK_WORDS, self.max_block_words))
        rounds = [round_ for part in parts for round_ in part]
        if not rounds:
            nothing = np.empty(0, dtype=np.int64)
            return Choices(nothing, nothing, nothing.astype(float), nothing.astype(float))
        rows, primary, secondary = (np.concatenate(columns) for columns in zip(*rounds, strict=True))
        return Choices(rows, groups[rows], primary, secondary)

    def bytes_to_choose(self, groups: IntArray) -> int:
        # Bits, the bits of the remaining samples, and their popcounts.
        return 3 * 8 * self.n_words * int(np.bincount(groups, minlength=1).max())

    def _rounds_of_choices(
        self, pairs: Pairs, rows: IntArray, counts: CountArray, classes: IntArray, limits: Limits, order: RuleOrder
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """One choice in each group per round: chosen rows and their merits.

        `rows` holds the rows of each group, padded with -1; shape (n_groups, largest_group).
        """
        bits = pairs.take(rows.ravel()).bits().reshape(*rows.shape, -1)
        bits[rows < 0] = 0
        left, class_of = np.where(rows[..., None] >= 0, counts[rows], 0), classes[rows.ravel()]
        while len(rows):
            own, covered = hits(left.reshape(-1, self.n_classes), class_of), row_sums(left).ravel()
            primary, secondary = merits_of(own, covered, order)
            # NumPy orders complex numbers by their real, then their imaginary part: the two as one, to the last bit.
            exceeds = limits.exceeded(own, covered, class_of)
            merit = (np.where(exceeds, primary, -1.0) + 1j * secondary).reshape(rows.shape)
            best = merit.argmax(axis=1)
            chosen = merit[np.arange(len(best)), best]
            goes_on = chosen.real >= 0
            if not goes_on.all():
                rows, bits, best, chosen = rows[goes_on], bits[goes_on], best[goes_on], chosen[goes_on]
                class_of = classes[rows.ravel()]
            every_row = np.arange(len(rows))
            yield rows[every_row, best], chosen.real, chosen.imag
            bits &= ~bits[every_row, best][:, None]
            left = self.count(bits)

    def sequence(
        self, bits: BitArray, classes: IntArray, uncovered: BitArray, limits: Limits
    ) -> tuple[BoolArray, CountArray]:
        kept = np.empty(len(bits), dtype=bool)
        counts = np.empty((len(bits), self.n_classes), dtype=self._count_type)
        start = 0
        while start < len(bits):
            block = slice(start, start + SEQUENCE_ROWS)
            # Assume that every rule of the block is kept. That is right up to the first rule that is dropped although
            # it has samples, which are then left to later rules; dropping a rule without samples changes nothing.
            taken = np.bitwise_or.accumulate(bits[block], axis=0)
            fresh = bits[block] & uncovered
            fresh[1:] &= ~taken[:-1]
            counts[block] = self.count(fresh)
            kept[block] = limits.exceeded_by(counts[block], classes[block])
            disturbing = np.flatnonzero(~kept[block] & counts[block].any(axis=1))
            n_right = int(disturbing[0]) if disturbing.size else len(taken)
            if n_right:
                uncovered &= ~taken[n_right - 1]
            start += n_right + 1 if disturbing.size else n_right
        return kept, counts
