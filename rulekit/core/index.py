"""The training records as bits: which records a condition holds for, and how many of each class.

Layout. Records are grouped by class and each class is padded to whole 64-bit words, so that a word belongs to one
class and the class counts of a set of records are sums of popcounts over word ranges:

    word      0 .. a-1        a .. b-1        b .. W-1
    class     0               1               2

Every feature is replaced by integer codes, such that `x <= cutoff` exactly when `code <= level`; missing values have a
code of their own, and categories have theirs. All counts of single conditions then come from one histogram per feature,
and the bits of a condition are one comparison of small integers (one look-up for a set), made when first asked for and
kept while they fit into `max_cache_bytes`.
"""

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BitArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions

WORD = 64
# Counts up to 2**24 are exact in float32, whose matrix product is the fastest way to sum popcounts.
EXACT_IN_FLOAT32 = 2**24


class TrainingIndex:
    """Which training records satisfy which conditions.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_features)
    y : ndarray of shape (n_records,)
        Class indices.
    conditions : Conditions
    n_classes : int
    max_cache_bytes : int, default=256 MB
        Memory for the bits of conditions; the index works with less than it would like, never with more.

    Attributes
    ----------
    n_records, n_classes, n_conditions, n_words : int
    pad : int
        The id that fills up rows of condition ids: it stands for no condition and holds for every record.
    class_counts : ndarray of shape (n_classes,)
    condition_counts : ndarray of shape (n_conditions + 1, n_classes)
        Records of each class for which a condition holds; the last row is that of `pad`.
    """

    def __init__(
        self, X: FloatArray, y: IntArray, conditions: Conditions, n_classes: int, *, max_cache_bytes: int = 2**28
    ) -> None:
        self.conditions = conditions
        self.n_records = len(y)
        self.n_classes = n_classes
        self.n_conditions = self.pad = len(conditions)
        self.class_counts: IntArray = np.bincount(y, minlength=n_classes).astype(np.int64)
        self._lay_out_records(y)
        self._encode(X, y)
        row_bytes = 8 * max(self.n_words, 1)
        self._capacity = max(64, max_cache_bytes // row_bytes)
        self._forget_bits()

    def bits(self, ids: IntArray) -> BitArray:
        """Records for which conditions hold, of shape `ids.shape + (n_words,)`."""
        rows = self._row_of[ids]
        if (rows < 0).any():
            self._remember_bits(ids)
            rows = self._row_of[ids]
        return self._store[rows]

    def cover(self, conditions: IntArray) -> BitArray:
        """Records that satisfy every condition of a row.

        Parameters
        ----------
        conditions : ndarray of shape (n_rules, width)
            Condition ids, padded with `pad`.

        Returns
        -------
        bits : ndarray of shape (n_rules, n_words)
        """
        covered = np.tile(self._valid, (len(conditions), 1))
        for column in conditions.T:
            covered &= self.bits(column)
        return covered

    def count(self, bits: BitArray) -> IntArray:
        """Records of each class among `bits`: from (..., n_words) to (..., n_classes)."""
        ones = np.bitwise_count(bits).astype(self._class_of_word.dtype)
        return (ones @ self._class_of_word).astype(np.int64)

    def record_bits(self, records: npt.NDArray[np.bool_]) -> BitArray:
        """Bits of a set of records given as booleans of shape (..., n_records) in the order of `X`."""
        slots = np.zeros((*records.shape[:-1], self.n_words * WORD), dtype=bool)
        slots[..., self._slots] = records
        return np.packbits(slots, axis=-1, bitorder="little").view(np.uint64)

    def records(self, bits: BitArray) -> npt.NDArray[np.bool_]:
        """The inverse of `record_bits`."""
        slots = np.unpackbits(bits.view(np.uint8), axis=-1, bitorder="little")
        return slots[..., self._slots].astype(bool)

    def _lay_out_records(self, y: IntArray) -> None:
        words = -(-self.class_counts // WORD)
        self._first_word = np.concatenate([[0], np.cumsum(words)[:-1]])
        self.n_words = int(words.sum())
        by_class = np.argsort(y, kind="stable")
        first_of_class = np.concatenate([[0], np.cumsum(self.class_counts)[:-1]])
        place_in_class = np.empty(self.n_records, dtype=np.int64)
        place_in_class[by_class] = np.arange(self.n_records) - first_of_class[y[by_class]]
        self._slots = self._first_word[y] * WORD + place_in_class
        dtype = np.float32 if self.n_records < EXACT_IN_FLOAT32 else np.float64
        self._class_of_word = np.repeat(np.eye(self.n_classes, dtype=dtype), words, axis=0)
        self._valid = self.record_bits(np.ones(self.n_records, dtype=bool))

    def _encode(self, X: FloatArray, y: IntArray) -> None:
        conditions = self.conditions
        used = np.unique(conditions.features)
        # Two codes more than cutoffs: one beyond the last of them, one for missing values.
        most = max((len(np.unique(self._cutoffs_of(feature))) for feature in used), default=0) + 2
        most = max(most, self._n_codes + 2)
        self._codes = np.zeros((len(used), self.n_words * WORD), dtype=np.min_scalar_type(most))
        self._code_row = np.searchsorted(used, conditions.features)
        self._level = np.zeros(len(conditions), dtype=self._codes.dtype)
        self._missing_code = np.zeros(len(conditions), dtype=self._codes.dtype)
        self._members: dict[int, npt.NDArray[np.bool_]] = {}
        self.condition_counts = np.tile(self.class_counts, (len(conditions) + 1, 1))
        for row, feature in enumerate(used.tolist()):
            ids = np.flatnonzero(conditions.features == feature)
            encode = self._encode_sets if conditions.is_set[ids[0]] else self._encode_thresholds
            self._codes[row, self._slots] = encode(ids, X[:, feature], y)

    def _encode_thresholds(self, ids: IntArray, column: FloatArray, y: IntArray) -> IntArray:
        """Codes of a feature with thresholds: how many cutoffs lie below the value."""
        values = np.unique(self.conditions.cutoffs[ids])
        codes = np.searchsorted(values, column, side="left")
        codes[np.isnan(column)] = len(values) + 1
        cells = self._cells(codes, y, len(values) + 2)
        at_most, missing = np.cumsum(cells[:-1], axis=0), cells[-1]
        levels = np.searchsorted(values, self.conditions.cutoffs[ids])
        self._level[ids] = levels
        self._missing_code[ids] = len(values) + 1
        upper, holds_missing = self.conditions.is_upper[ids, None], self.conditions.holds_missing[ids, None]
        counts = np.where(upper, at_most[levels], at_most[-1] - at_most[levels])
        self.condition_counts[ids] = counts + holds_missing * missing
        return codes

    def _encode_sets(self, ids: IntArray, column: FloatArray, y: IntArray) -> IntArray:
        """Codes of a categorical feature: its own, then one for unknown categories and one for missing values."""
        unknown, missing = self._n_codes, self._n_codes + 1
        # A fraction is no category, whatever it would be cut off to.
        is_known = (column >= 0) & (column < self._n_codes) & (column == np.floor(column))
        codes = np.where(np.isnan(column), missing, np.where(is_known, column, unknown)).astype(np.int64)
        cells = self._cells(codes, y, missing + 1)
        for condition in ids.tolist():
            key = self.conditions.key(condition)
            member = np.full(missing + 1, not key.is_upper)
            member[list(key.codes or ())] = key.is_upper
            member[missing] = key.holds_missing
            self._members[condition] = member
            self.condition_counts[condition] = cells[member].sum(axis=0)
        return codes

    def _cells(self, codes: IntArray, y: IntArray, n_codes: int) -> IntArray:
        """Records of each code and class, of shape (n_codes, n_classes)."""
        cells = np.bincount(codes * self.n_classes + y, minlength=n_codes * self.n_classes)
        return cells.reshape(-1, self.n_classes)

    def _cutoffs_of(self, feature: int) -> FloatArray:
        return self.conditions.cutoffs[self.conditions.features == feature]

    @property
    def _n_codes(self) -> int:
        """Category codes that any set condition names."""
        return 1 + max((code for codes in self.conditions.sets for code in codes or ()), default=-1)

    def _forget_bits(self) -> None:
        self._row_of = np.full(self.n_conditions + 1, -1, dtype=np.int64)
        self._row_of[self.pad] = 0
        self._store = np.empty((64, self.n_words), dtype=np.uint64)
        self._store[0] = self._valid
        self._n_stored = 1

    def _remember_bits(self, ids: IntArray) -> None:
        wanted = np.unique(ids)
        missing = wanted[self._row_of[wanted] < 0]
        if self._n_stored + len(missing) > self._capacity:
            self._forget_bits()
            missing = wanted[wanted != self.pad]
        needed = self._n_stored + len(missing)
        if needed > len(self._store):
            room = max(needed, min(2 * len(self._store), self._capacity))
            grown = np.empty((room, self.n_words), dtype=np.uint64)
            grown[: self._n_stored] = self._store[: self._n_stored]
            self._store = grown
        at_once = max(1, 2**24 // max(1, self._codes.shape[1]))
        for start in range(0, len(missing), at_once):
            some = missing[start : start + at_once]
            rows = self._n_stored + np.arange(len(some))
            self._store[rows] = self._make_bits(some)
            self._row_of[some] = rows
            self._n_stored += len(some)

    def _make_bits(self, ids: IntArray) -> BitArray:
        codes, conditions = self._codes[self._code_row[ids]], self.conditions
        at_most = codes <= self._level[ids, None]
        holds = at_most == conditions.is_upper[ids, None]
        # The code of missing values is the largest: as they stand, only lower limits let them in.
        if conditions.missing_features:
            for row in np.flatnonzero(conditions.holds_missing[ids] == conditions.is_upper[ids]):
                holds[row, codes[row] == self._missing_code[ids[row]]] = conditions.holds_missing[ids[row]]
        for row in np.flatnonzero(conditions.is_set[ids]):
            holds[row] = self._members[int(ids[row])][codes[row]]
        return np.packbits(holds, axis=1, bitorder="little").view(np.uint64) & self._valid
