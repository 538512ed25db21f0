"""The training samples as bits: which samples satisfy a condition, and how many of each class.

The layout of the bits is explained in `rulekit.core.engine.interface`. All counts of single conditions come from one
histogram per feature; the bits of a condition are made when they are first needed and kept while they fit into
`max_cache_bytes`.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import WORD, BitArray, BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.engine import new_engine
from rulekit.core.engine.interface import CodeArray, Layout
from rulekit.core.true_counts import TrueCounts
from rulekit.core.validation import UNKNOWN
from rulekit.core.weights import Weights

#: The code of a missing value; other codes start above it.
MISSING = 0
#: Fewest conditions whose bits are stored at once, however little memory there is.
FEWEST_ROWS = 64
#: Words of the bits of all conditions that are made at once: 8 MB.
FEW_WORDS = 2**20
#: Default memory for the bits of conditions: 256 MB.
MAX_CACHE_BYTES = 2**28
#: Most values of a categorical feature that have bits of their own while the bits of its sets are made.
FEW_VALUES = 64
#: Values of sets that are looked at at once.
VALUES_AT_ONCE = 2**20
#: Arrays of one number per sample that exist at once while samples are laid out and a feature is encoded.
WORK_ARRAYS = 6


class TrainingIndex:
    """Which training samples satisfy which conditions.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class indices.
    conditions : Conditions
    n_classes : int
    weights : Weights, optional
        What each sample counts as; by default, each counts as one.
    max_cache_bytes : int, default=256 MB
        Memory for the bits of conditions; what does not fit is computed again when it is needed.
    n_jobs : int or None, default=None
        Threads for large sets of samples, as in joblib.
    allocate : callable, default=numpy.zeros
        Makes the arrays that hold a number for each sample, from shape and type; `Scratch` makes them in a file.

    Attributes
    ----------
    n_samples, n_classes, n_conditions, n_words : int
    weights : Weights or None
    total : int or float
        What all samples count as together; `n_samples` without weights.
    n_jobs : int or None
    max_cache_bytes : int
    pad : int
        The id that fills up rows of condition ids: it stands for no condition, and every sample satisfies it.
    class_counts : ndarray of shape (n_classes,)
        What the samples of each class count as together.
    condition_counts : ndarray of shape (n_conditions + 1, n_classes)
        Samples of each class that satisfy each condition; the last row is that of `pad`.
    engine : Engine
        Implements the operations on bits.
    all_samples : ndarray of shape (n_words,)
        Bits of all samples.
    """

    def __init__(
        self,
        X: FloatArray,
        y: IntArray,
        conditions: Conditions,
        n_classes: int,
        *,
        weights: Weights | None = None,
        max_cache_bytes: int = MAX_CACHE_BYTES,
        n_jobs: int | None = None,
        allocate: Callable[..., Any] = np.zeros,
    ) -> None:
        self.conditions = conditions
        self.n_samples = len(y)
        self.n_classes = n_classes
        self.n_jobs = n_jobs
        self.n_conditions = self.pad = len(conditions)
        self.weights = weights
        self.class_counts = self._weighed(np.bincount(y, self._units, minlength=n_classes))
        self._lay_out_samples(y, allocate)
        self._encode(X, y, allocate)
        self.set_cache(max_cache_bytes)

    def set_cache(self, max_cache_bytes: int) -> None:
        """Set the memory for the bits of conditions, and forget those that have been made."""
        self.max_cache_bytes = max_cache_bytes
        # A quarter for all threads together, since operations on bits copy them.
        self.engine.max_block_words = max_cache_bytes // (4 * 8 * self.engine.n_threads)
        self._capacity = max(FEWEST_ROWS, max_cache_bytes // (8 * max(self.n_words, 1)))
        self._store = np.empty((FEWEST_ROWS, self.n_words), dtype=np.uint64)
        self._store[0] = self.all_samples
        self._forget_bits()

    def classes(self) -> IntArray:
        """Class index of each sample, of shape (n_samples,)."""
        blocks = self.engine.blocks
        return blocks.classes[np.searchsorted(blocks.bounds[1:], self._slots // WORD, side="right")]

    @property
    def n_bytes(self) -> int:
        """Memory that the index takes once its store of conditions is full."""
        rows = min(self._capacity, self.n_conditions + 1)
        return int(self._codes.nbytes + self._slots.nbytes + 8 * max(rows, FEWEST_ROWS) * self.n_words)

    def bits(self, ids: IntArray) -> BitArray:
        """Samples that satisfy conditions, of shape `ids.shape + (n_words,)`."""
        store, rows = self._stored(ids)
        return store[rows]

    def cover(self, conditions: IntArray) -> BitArray:
        """Samples that satisfy every condition of a row.

        Parameters
        ----------
        conditions : ndarray of shape (n_rules, width)
            Condition ids, padded with `pad`.

        Returns
        -------
        bits : ndarray of shape (n_rules, n_words)
        """
        parts = [self.engine.conjoin(*self._stored(some)) for some in self._within_capacity(conditions)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def narrowed(self, bits: BitArray, ids: IntArray) -> BitArray:
        """Those of some samples that satisfy a condition, row by row.

        Parameters
        ----------
        bits : ndarray of shape (n_rows, n_words)
        ids : ndarray of shape (n_rows,)
            One condition for each row.

        Returns
        -------
        bits : ndarray of shape (n_rows, n_words)
        """
        narrow, first = np.empty_like(bits), 0
        for some in self._within_capacity(ids[:, None]):
            block = slice(first, first + len(some))
            store, rows = self._stored(some[:, 0])
            np.take(store, rows, axis=0, out=narrow[block])
            narrow[block] &= bits[block]
            first = block.stop
        return narrow

    @property
    def total(self) -> Any:
        """What all samples count as together: an int, or a float where samples have fractional weights."""
        return self.class_counts.sum().item()

    @property
    def class_factors(self) -> FloatArray:
        """What a sample of each class counts as, weights of samples aside; shape (n_classes,)."""
        return np.ones(self.n_classes) if self.weights is None else self.weights.class_factors

    def weights_of(self, y: IntArray) -> FloatArray:
        """What each sample counts as, from their class indices; shape (n_samples,)."""
        return np.ones(len(y)) if self.weights is None else self.weights.of_samples(y)

    def count(self, bits: BitArray) -> CountArray:
        """Samples of each class among `bits`, or their weights: from (..., n_words) to (..., n_classes)."""
        return self.engine.count(bits)

    @cached_property
    def true_counts(self) -> TrueCounts:
        """Counts samples as one each, whatever their weights."""
        is_counted = self.all_samples
        if self._owners is not None:
            slots = np.zeros(self.n_words * WORD, dtype=bool)
            slots[self._slots] = True
            is_counted = np.packbits(slots, bitorder="little").view(np.uint64)
        return TrueCounts(self.engine, is_counted)

    def removal_counts(self, conditions: IntArray) -> CountArray:
        """Samples of each class that satisfy all conditions of a row but one.

        Parameters
        ----------
        conditions : ndarray of shape (n_rules, width)
            Condition ids; pads may be at any position.

        Returns
        -------
        counts : ndarray of shape (n_removals, n_classes)
            Without each of the conditions, row by row.
        """
        parts = [self.engine.removal_counts(*self._stored(some)) for some in self._within_capacity(conditions)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def sample_bits(self, samples: npt.NDArray[np.bool_]) -> BitArray:
        """Bits of a set of samples given as booleans of shape (..., n_samples) in the order of `X`."""
        slots = np.zeros((*samples.shape[:-1], self.n_words * WORD), dtype=bool)
        slots[..., self._every_slot] = samples if self._owners is None else samples[..., self._owners]
        return np.packbits(slots, axis=-1, bitorder="little").view(np.uint64)

    def samples(self, bits: BitArray) -> npt.NDArray[np.bool_]:
        """The inverse of `sample_bits`."""
        slots = np.unpackbits(bits.view(np.uint8), axis=-1, bitorder="little")
        return slots[..., self._slots].astype(bool)

    def representatives(self, rows: IntArray | slice) -> FloatArray:
        """Samples that the ensemble and its rules cannot tell from some samples of `X`; shape (n_rows, n_features).

        Each satisfies the same conditions; features without conditions are 0.
        """
        codes = self._codes[:, self._slots[rows]]
        X = np.zeros((codes.shape[1], len(self.conditions.feature_names)))
        for feature, of_feature in zip(np.unique(self.conditions.features).tolist(), codes, strict=True):
            X[:, feature] = self._values_of_codes(feature)[of_feature]
        return X

    def _lay_out_samples(self, y: IntArray, allocate: Callable[..., Any]) -> None:
        layout = Layout.of(y, self.n_classes, self.weights)
        self.engine = new_engine(layout.blocks, self.n_jobs)
        self.n_words = self.engine.n_words
        self._slots: IntArray = allocate(len(y), np.int64)
        self._slots[:] = layout.first
        # A sample with a weight of its own may have several slots.
        self._owners = layout.owners
        self._every_slot = self._slots if layout.owners is None else layout.slots
        self.all_samples = self.sample_bits(np.ones(self.n_samples, dtype=bool))

    def _encode(self, X: FloatArray, y: IntArray, allocate: Callable[..., Any]) -> None:
        conditions = self.conditions
        used = np.unique(conditions.features)
        self._code_row = np.searchsorted(used, conditions.features)
        # A condition holds inside an interval of codes or outside of it; a set condition for some values.
        self._low = np.zeros(len(conditions), dtype=np.int64)
        self._high = np.zeros(len(conditions), dtype=np.int64)
        self._outside = np.zeros(len(conditions), dtype=bool)
        self.condition_counts = np.tile(self.class_counts, (len(conditions) + 1, 1))
        ids_of = [np.flatnonzero(self._code_row == row) for row in range(len(used))]
        most = max((len(ids) for ids in ids_of), default=0)
        most = max(most, conditions.set_bits.most_values) if conditions.sets else most
        dtype = np.uint16 if most < 2**16 - 2 else np.uint32
        self._codes: CodeArray = allocate((len(used), self.n_words * WORD), dtype)

        def work(start: int, stop: int) -> None:
            for row in range(start, stop):
                ids = ids_of[row]
                encode = self._encode_sets if conditions.is_set[ids[0]] else self._encode_thresholds
                codes = encode(ids, X[:, used[row]], y)
                self._codes[row, self._every_slot] = codes if self._owners is None else codes[self._owners]

        self.engine.spread(work, len(used), self.n_samples, self.n_samples)

    def _encode_thresholds(self, ids: IntArray, column: FloatArray, y: IntArray) -> IntArray:
        """Codes of a feature with thresholds: one more than the number of cutoffs below the value."""
        values = np.unique(self.conditions.cutoffs[ids])
        codes = np.searchsorted(values, column, side="left") + 1
        codes[np.isnan(column)] = MISSING
        last = len(values) + 1
        cells = self._cells(codes, y, last + 1)
        at_most = np.cumsum(cells, axis=0)
        level = np.searchsorted(values, self.conditions.cutoffs[ids]) + 1
        upper, holds_missing = self.conditions.is_upper[ids], self.conditions.holds_missing[ids]
        self._outside[ids] = ~upper & holds_missing
        self._low[ids] = np.where(upper, np.where(holds_missing, MISSING, 1), np.where(holds_missing, 1, level + 1))
        self._high[ids] = np.where(upper | holds_missing, level, last)
        within = np.where(upper[:, None], at_most[level] - cells[MISSING], at_most[last] - at_most[level])
        self.condition_counts[ids] = within + holds_missing[:, None] * cells[MISSING]
        return codes

    def _values_of_codes(self, feature: int) -> FloatArray:
        """A value for each code of a feature, which has that code; shape (n_codes,)."""
        conditions = self.conditions
        if conditions.sets and feature in conditions.set_bits.codes:
            return np.concatenate([[np.nan, UNKNOWN], conditions.set_bits.codes[feature]])
        cutoffs = conditions.cutoffs_by_feature[feature]
        return np.concatenate([[np.nan], cutoffs, np.nextafter(cutoffs[-1:], np.inf)])

    def _encode_sets(self, ids: IntArray, column: FloatArray, y: IntArray) -> IntArray:
        """Codes of a categorical feature: the positions of its values in the bits of its sets."""
        feature, bits = int(self.conditions.features[ids[0]]), self.conditions.set_bits
        codes, n_values = bits.positions(feature, column), bits.n_values(feature)
        cells = self._cells(codes, y, n_values).astype(np.float64)  # whose products are quicker, and exact
        at_once = max(1, VALUES_AT_ONCE // n_values)
        for start in range(0, len(ids), at_once):
            block = ids[start : start + at_once]
            self.condition_counts[block] = self._holds(block, n_values) @ cells
        return codes

    def _holds(self, ids: IntArray, n_values: int) -> BoolArray:
        """Whether set conditions of one feature hold for each of its values, of shape (n_ids, n_values)."""
        return self.conditions.set_bits.holds(self.conditions.set_order.ranks[ids], n_values)

    def _cells(self, codes: IntArray, y: IntArray, n_codes: int) -> CountArray:
        """Samples of each code and class, or their weights, of shape (n_codes, n_classes)."""
        cells = np.bincount(codes * self.n_classes + y, self._units, minlength=n_codes * self.n_classes)
        return self._weighed(cells.reshape(-1, self.n_classes))

    @property
    def _units(self) -> IntArray | None:
        """Weight of each sample in whole numbers; None if they are equal."""
        return None if self.weights is None else self.weights.units

    def _weighed(self, units: npt.NDArray[Any]) -> CountArray:
        """Counts by class, of shape (..., n_classes), from their sums of `_units`."""
        whole = units.astype(np.int64)
        return whole if self.weights is None else self.weights.weighed(whole)

    def _within_capacity(self, conditions: IntArray) -> list[IntArray]:
        """Blocks of antecedents whose conditions fit into the store together; at least one block."""
        at_once = max(1, (self._capacity - 1) // max(1, conditions.shape[1]))
        return [conditions[start : start + at_once] for start in range(0, max(len(conditions), 1), at_once)]

    def _stored(self, ids: IntArray) -> tuple[BitArray, IntArray]:
        """The store, and the rows in it that hold the bits of conditions; of the shape of `ids`."""
        rows = self._row_of[ids]
        if not self._has_all and (rows < 0).any():
            self._remember_bits(ids)
            rows = self._row_of[ids]
        return self._store, rows

    def _forget_bits(self) -> None:
        self._has_all = False
        row_of = np.full(self.n_conditions + 1, -1)
        row_of[self.pad] = 0
        # An interrupt may come between any two lines, here and below: rows are forgotten before they are reused.
        self._row_of = row_of
        self._n_stored = 1

    def _remember_bits(self, ids: IntArray) -> None:
        few = (self.n_conditions + 1) * self.n_words <= min(FEW_WORDS, self._capacity * self.n_words)
        # Few bits are made all at once, which takes no longer than some of them.
        wanted = np.arange(self.n_conditions) if few else np.unique(ids)
        missing = wanted[self._row_of[wanted] < 0]
        if self._n_stored + len(missing) > self._capacity:
            self._forget_bits()
            missing = wanted[wanted != self.pad]
        if self.conditions.sets:
            # The sets of a feature are made together.
            missing = missing[np.argsort(self.conditions.set_order.ranks[missing])]
        needed = self._n_stored + len(missing)
        if needed > len(self._store):
            n_rows = max(needed, min(2 * len(self._store), self._capacity))
            grown = np.empty((n_rows, self.n_words), dtype=np.uint64)
            grown[: self._n_stored] = self._store[: self._n_stored]
            self._store = grown
        first, self._n_stored = self._n_stored, needed
        self._make_bits(missing, self._store[first:needed])
        self._row_of[missing] = np.arange(first, needed)
        self._has_all = needed == self.n_conditions + 1

    def _make_bits(self, ids: IntArray, bits: BitArray) -> None:
        """Write the samples that satisfy conditions into `bits`, of shape (n_ids, n_words)."""
        n_sets = np.count_nonzero(self.conditions.is_set[ids])
        features = self.conditions.features[ids[:n_sets]]
        starts = [*np.flatnonzero(np.diff(features, prepend=-1)).tolist(), n_sets]
        for start, stop in pairwise(starts):
            self._write_sets(ids[start:stop], bits[start:stop])
        limits = ids[n_sets:]
        row, low, high, outside = self._code_row[limits], self._low[limits], self._high[limits], self._outside[limits]
        self.engine.pack(self._codes, row, low, high, outside, bits[n_sets:])
        bits &= self.all_samples

    def _write_sets(self, ids: IntArray, bits: BitArray) -> None:
        """Write the samples that satisfy set conditions of one feature into `bits`, of shape (n_ids, n_words)."""
        n_values, row = self.conditions.set_bits.n_values(int(self.conditions.features[ids[0]])), self._code_row[ids[0]]
        holds = self._holds(ids, n_values)
        if n_values > FEW_VALUES:
            for position, values in enumerate(holds):
                bits[position] = np.packbits(values[self._codes[row]], bitorder="little").view(np.uint64)
            return
        # Samples of a set are those that have none of the other values.
        values = np.arange(n_values)
        lack = np.empty((n_values + 1, self.n_words), dtype=np.uint64)
        lack[0] = self.all_samples
        self.engine.pack(self._codes, np.full(n_values, row), values, values, np.ones(n_values, dtype=bool), lack[1:])
        bits[:] = self.engine.conjoin(lack, np.where(holds, 0, values + 1))


def bytes_of_index(n_samples: int, n_features: int, n_classes: int, n_threads: int, n_slots: int | None = None) -> int:
    """Least memory that is needed to build an index for conditions on `n_features` features.

    This includes 16-bit codes of each feature, the slots of the samples, the bits of 64 conditions, and the work on one
    feature per thread. Samples with weights may have more than the one slot each that is the default.
    """
    n_slots = n_samples + WORD * n_classes if n_slots is None else n_slots
    return n_slots * (2 * n_features + 8 + 8) + 8 * n_samples * WORK_ARRAYS * n_threads
