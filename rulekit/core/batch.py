"""What a probability estimator sees: many antecedents at once, their records counted only if it asks."""

from functools import cached_property

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.index import TrainingIndex


class RuleBatch:
    """Antecedents whose class probabilities are wanted.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_rules, width)
        Condition ids, padded with `index.pad`; pads may stand anywhere.
    priors : ndarray of shape (n_rules, n_classes)
        Local class distribution that each rule inherits from the ensemble.
    counts : ndarray of shape (n_rules, n_classes), optional
        Records of each class that satisfy each antecedent, where they are known already.
    """

    def __init__(
        self, index: TrainingIndex, conditions: IntArray, priors: FloatArray, counts: IntArray | None = None
    ) -> None:
        self.index = index
        self.conditions = conditions
        self.priors = priors
        if counts is not None:
            self.__dict__["counts"] = counts

    def __len__(self) -> int:
        return len(self.conditions)

    @cached_property
    def counts(self) -> IntArray:
        """Records of each class that satisfy each antecedent, of shape (n_rules, n_classes)."""
        return self.index.count(self.index.cover(self.conditions))

    @property
    def support(self) -> IntArray:
        """Records that satisfy each antecedent, of shape (n_rules,)."""
        return self.counts.sum(axis=1)

    @property
    def is_empty(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether an antecedent has no condition, of shape (n_rules,)."""
        return np.asarray((self.conditions == self.index.pad).all(axis=1))


class RemovalBatch(RuleBatch):
    """Every antecedent that arises by removing one condition from one of the given rules.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_parents, width)
    priors : ndarray of shape (n_parents, n_classes)

    Attributes
    ----------
    parents, positions : ndarray of shape (n_removals,)
        Which condition of which given rule is missing in each antecedent.
    """

    def __init__(self, index: TrainingIndex, conditions: IntArray, priors: FloatArray) -> None:
        self.parents, self.positions = np.nonzero(conditions != index.pad)
        self._whole = conditions
        removals = conditions[self.parents]
        removals[np.arange(len(removals)), self.positions] = index.pad
        super().__init__(index, removals, priors[self.parents])

    @cached_property
    def counts(self) -> IntArray:
        """Counted from all conditions before and all after the missing one, not from scratch."""
        if not len(self):
            return np.empty((0, self.index.n_classes), dtype=np.int64)
        n_parents, width = self._whole.shape
        counts = np.empty((n_parents, width, self.index.n_classes), dtype=np.int64)
        at_once = max(1, 2**22 // max(1, width * self.index.n_words))
        for start in range(0, n_parents, at_once):
            block = slice(start, start + at_once)
            holds = self.index.bits(self._whole[block].T)
            others = np.empty_like(holds)
            others[0] = others[-1] = self.index.bits(np.array(self.index.pad))
            others[1:] = np.bitwise_and.accumulate(holds[:-1], axis=0)
            others[:-1] &= np.bitwise_and.accumulate(holds[:0:-1], axis=0)[::-1]
            counts[block] = self.index.count(others).transpose(1, 0, 2)
        return counts[self.parents, self.positions]
