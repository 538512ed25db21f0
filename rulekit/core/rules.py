"""Rules while they are searched for: rows of arrays, no objects."""

from collections.abc import Sequence
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray, row_sums
from rulekit.core.engine.interface import Pairs
from rulekit.core.index import TrainingIndex


@attrs.frozen(eq=False)
class Rules:
    """A batch of rules with what is known of them on the training records.

    Attributes
    ----------
    conditions : ndarray of shape (n_rules, width)
        Condition ids of each antecedent, ascending, padded at the end with the index's `pad`.
    priors : ndarray of shape (n_rules, n_classes)
        Local class distribution inherited from the ensemble.
    classes : ndarray of shape (n_rules,)
        Index of the class that the rule concludes.
    records : ndarray of shape (n_rules, n_words) or Pairs
        Records that satisfy the antecedent: as bits, or as the pairs of others whose intersections they are.
    counts : ndarray of shape (n_rules, n_classes)
        How many of them are of each class.
    groups : ndarray of shape (n_rules,)
        Rules of different groups share no record (leaves of one tree); all 0 where nothing is known.
    """

    conditions: IntArray
    priors: FloatArray
    classes: IntArray
    records: BitArray | Pairs
    counts: IntArray
    groups: IntArray

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(
        cls, conditions: IntArray, priors: FloatArray, classes: IntArray, index: TrainingIndex, groups: IntArray | None
    ) -> Self:
        """Rules from their antecedents; bits and counts are looked up in the index."""
        bits = index.cover(conditions)
        groups = np.zeros(len(classes), dtype=np.int64) if groups is None else groups
        return cls(conditions, priors, classes, bits, index.count(bits), groups)

    def on(self, index: TrainingIndex) -> Self:
        """The same rules with the records of another index of the same conditions."""
        return type(self).of(self.conditions, self.priors, self.classes, index, self.groups)

    @property
    def covered(self) -> IntArray:
        """Records that each rule covers, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def bits(self) -> BitArray:
        """Records that satisfy each antecedent, as bits of shape (n_rules, n_words)."""
        return self.records.bits() if isinstance(self.records, Pairs) else self.records

    def take(self, rows: IntArray) -> Self:
        """Only these rules, in this order."""
        return type(self)(
            self.conditions[rows],
            self.priors[rows],
            self.classes[rows],
            self.records.take(rows) if isinstance(self.records, Pairs) else self.records[rows],
            self.counts[rows],
            self.groups[rows],
        )


def tidy(conditions: IntArray, pad: int) -> IntArray:
    """Antecedents as sets: each row ascending, repeated ids once, pads at the end, no column of pads only."""
    rows = np.sort(conditions, axis=1)
    repeated = rows[:, 1:] == rows[:, :-1]
    if repeated.any():
        rows[:, 1:][repeated] = pad
        rows.sort(axis=1)
    return rows[:, : np.count_nonzero((rows < pad).any(axis=0))]


def concatenate(parts: Sequence[Rules], pad: int) -> Rules:
    """All rules of several batches, in order."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.conditions.shape[1] for part in parts)
    widened = [
        np.pad(part.conditions, ((0, 0), (0, width - part.conditions.shape[1])), constant_values=pad) for part in parts
    ]
    others = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("priors", "classes", "bits", "counts", "groups")
    )
    return Rules(np.concatenate(widened), *others)
