"""What a probability estimator sees: many antecedents at once, their records counted only if it asks."""

from functools import cached_property

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, row_sums
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
        self._conditions = conditions
        self._priors = priors
        if counts is not None:
            self.__dict__["counts"] = counts

    def __len__(self) -> int:
        return len(self._conditions)

    @property
    def conditions(self) -> IntArray:
        """Condition ids of each antecedent and pads, of shape (n_rules, width)."""
        return self._conditions

    @property
    def priors(self) -> FloatArray:
        """Local class distributions, of shape (n_rules, n_classes)."""
        return self._priors

    @cached_property
    def counts(self) -> IntArray:
        """Records of each class that satisfy each antecedent, of shape (n_rules, n_classes)."""
        return self.index.count(self.index.cover(self.conditions))

    @cached_property
    def support(self) -> IntArray:
        """Records that satisfy each antecedent, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def is_empty(self) -> BoolArray:
        """Whether an antecedent has no condition, of shape (n_rules,)."""
        return np.asarray((self.conditions == self.index.pad).all(axis=1))

    def sum_over_conditions(self, table: FloatArray) -> FloatArray:
        """What a table says of each condition, added up over every antecedent.

        Parameters
        ----------
        table : ndarray of shape (n_columns, n_conditions + 1)
            The last entry of a row, that of `index.pad`, should be 0.

        Returns
        -------
        sums : ndarray of shape (n_columns, n_rules)
        """
        return self.index.engine.sums(table, self.conditions)


class RemovalBatch(RuleBatch):
    """Every antecedent that arises by removing one condition from one of the given rules, rule by rule.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_parents, width)
    priors : ndarray of shape (n_parents, n_classes)
    """

    def __len__(self) -> int:
        return len(self._removed[0])

    @cached_property
    def _removed(self) -> tuple[IntArray, IntArray]:
        """Of which given rule, and at which position, something is missing in each antecedent."""
        parents, positions = np.nonzero(self._conditions != self.index.pad)
        return parents, positions

    @cached_property
    def conditions(self) -> IntArray:
        """Condition ids of each antecedent and pads, of shape (n_rules, width)."""
        parents, positions = self._removed
        removals = self._conditions[parents]
        removals[np.arange(len(parents)), positions] = self.index.pad
        return removals

    @cached_property
    def priors(self) -> FloatArray:
        """Local class distributions, those of the given rules; shape (n_rules, n_classes)."""
        return self._priors[self._removed[0]]

    @cached_property
    def counts(self) -> IntArray:
        """Counted for all removals of a rule at once, not from scratch."""
        return self.index.removal_counts(self._conditions)

    def sum_over_conditions(self, table: FloatArray) -> FloatArray:
        """Sums as of any batch, each made from its rule's by taking one summand away.

        Exact if all sums are, as those of `exact_logs` are; an infinite one is left out from the beginning.
        """
        return self.index.engine.removal_sums(table, self._conditions, self.index.pad)
