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
    """Every antecedent that arises by removing what stands at one position of one of the given rules.

    There are `width` antecedents for each given rule, one after the other; where a pad is removed, the rule itself.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_parents, width)
    priors : ndarray of shape (n_parents, n_classes)
    """

    def __len__(self) -> int:
        return self._conditions.size

    @cached_property
    def conditions(self) -> IntArray:
        """Condition ids of each antecedent and pads, of shape (n_rules, width)."""
        n_parents, width = self._conditions.shape
        removals = np.repeat(self._conditions, width, axis=0).reshape(n_parents, width, width)
        removals[:, np.arange(width), np.arange(width)] = self.index.pad
        return removals.reshape(-1, width)

    @cached_property
    def priors(self) -> FloatArray:
        """Local class distributions, those of the given rules; shape (n_rules, n_classes)."""
        return np.repeat(self._priors, self._conditions.shape[1], axis=0)

    @cached_property
    def counts(self) -> IntArray:
        """Counted for all removals of a rule at once, not from scratch."""
        return self.index.removal_counts(self._conditions).reshape(-1, self.index.n_classes)

    def sum_over_conditions(self, table: FloatArray) -> FloatArray:
        """Sums as of any batch, each made from its rule's by taking one summand away.

        Exact if all sums are, as those of `exact_logs` are; an infinite one is left out from the beginning.
        """
        return self.index.engine.removal_sums(table, self._conditions)
