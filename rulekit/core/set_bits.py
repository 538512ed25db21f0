"""Set conditions as bits: a row of words for each, one bit for each value that the sets of its feature tell apart.

The first bit stands for a missing value, the second for every code that no set of the feature names, the others for the
codes that are named, in ascending order. The AND of two rows of a feature is the row of their intersection, and
different sets have different rows.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray
from rulekit.core.regions import Codes

WORD = 64
#: Positions of the values that are no named codes.
MISSING, UNNAMED = 0, 1
N_UNNAMED = 2


@attrs.frozen(eq=False, slots=False)
class SetBits:
    """Sets of categories, and the values that they hold.

    Attributes
    ----------
    features : ndarray of shape (n_sets,)
    rows : ndarray of shape (n_sets, n_words)
    codes : dict of int to ndarray
        The codes that the sets of each feature name, ascending.
    """

    features: IntArray
    rows: BitArray
    codes: dict[int, IntArray]

    @classmethod
    def of(cls, features: Sequence[int], sets: Sequence[Codes]) -> Self:
        """The bits of each set of categories of a feature."""
        owners = np.array(features, dtype=np.int64)
        sizes = np.array([len(each.codes) for each in sets], dtype=np.int64)
        members = np.fromiter(chain.from_iterable(each.codes for each in sets), np.int64, int(sizes.sum()))
        set_of_member = np.repeat(np.arange(len(sets)), sizes)
        codes, positions = {}, np.empty_like(members)
        for feature in np.unique(owners).tolist():
            own = owners[set_of_member] == feature
            codes[feature], ranks = np.unique(members[own], return_inverse=True)
            positions[own] = ranks + N_UNNAMED
        n_words = max((_n_words(len(named)) for named in codes.values()), default=1)
        rows = np.zeros((len(sets), n_words), dtype=np.uint64)
        np.bitwise_or.at(rows, (set_of_member, positions // WORD), _bit(positions % WORD))
        is_inside = np.array([each.is_inside for each in sets], dtype=bool)
        holds_missing = np.array([each.missing for each in sets], dtype=bool)
        for feature, named in codes.items():
            outside = ~is_inside & (owners == feature)
            rows[outside] = ~rows[outside] & _all_values(len(named), n_words)
        rows[:, 0] &= ~_bit(np.array(MISSING))
        rows[holds_missing, 0] |= _bit(np.array(MISSING))
        return cls(owners, rows, codes)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def identities(self) -> BitArray:
        """A number for each set, of shape (n_sets,); see `identities`."""
        return identities(self.features, self.rows)

    @cached_property
    def sorted_identities(self) -> tuple[BitArray, IntArray]:
        """The identities in ascending order, and the sets that they belong to."""
        own = self.identities
        order = np.argsort(own)
        return own[order], order

    def find(self, features: IntArray, rows: BitArray) -> IntArray:
        """The sets that are equal to these, of shape (n_rows,); -1 where there is none."""
        known, order = self.sorted_identities
        wanted = identities(features, rows)
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[at] == wanted, order[at], -1)

    @property
    def most_values(self) -> int:
        """Number of values of the feature whose sets tell most apart; 0 without sets."""
        return max(map(self.n_values, self.codes), default=0)

    def n_values(self, feature: int) -> int:
        """Number of values of a feature that its sets tell apart."""
        return len(self.codes[feature]) + N_UNNAMED

    def positions(self, feature: int, column: FloatArray) -> IntArray:
        """Position of the bit that stands for each value of a feature, of shape (n_samples,)."""
        codes = self.codes[feature]
        if not len(codes):
            return np.where(np.isnan(column), MISSING, UNNAMED)
        at = np.minimum(np.searchsorted(codes, column), len(codes) - 1)
        # A fractional number is not a category: it equals no code.
        return np.where(codes[at] == column, at + N_UNNAMED, np.where(np.isnan(column), MISSING, UNNAMED))

    def has(self, sets: IntArray, positions: IntArray) -> BoolArray:
        """Whether each set holds the value at a position, of shape (n_sets,)."""
        words = self.rows[sets, positions // WORD] >> (positions % WORD).astype(np.uint64)
        return (words & np.uint64(1)).astype(bool)

    def holds(self, sets: IntArray, n_values: int) -> BoolArray:
        """Whether sets of one feature hold each of its values, of shape (n_sets, n_values)."""
        return unpacked(self.rows[sets], n_values)


def unpacked(rows: BitArray, n_values: int) -> BoolArray:
    """Rows of words as booleans, of shape (n_rows, n_values)."""
    return np.unpackbits(rows.view(np.uint8), axis=1, count=n_values, bitorder="little").view(bool)


def identities(features: IntArray, rows: BitArray) -> BitArray:
    """Equal numbers for equal sets of a feature; others have equal ones with a chance of one in 2**64."""
    words = _random_words(rows.shape[1] + 1)
    return _mixed(features.astype(np.uint64) + words[0]) + _mixed(rows ^ words[1:]).sum(axis=1, dtype=np.uint64)


@cache
def _random_words(n_words: int) -> BitArray:
    return np.random.default_rng(0).integers(0, 2**64, n_words, dtype=np.uint64)


def _mixed(words: BitArray) -> BitArray:
    """The last steps of SplitMix64: different words become different words that look random."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _n_words(n_codes: int) -> int:
    return -(-(n_codes + N_UNNAMED) // WORD)


def _bit(positions: IntArray) -> BitArray:
    return np.left_shift(np.uint64(1), positions.astype(np.uint64))


def _all_values(n_codes: int, n_words: int) -> BitArray:
    """The row of a set of everything."""
    values = np.arange(n_words * WORD) < n_codes + N_UNNAMED
    return np.packbits(values, bitorder="little").view(np.uint64)
