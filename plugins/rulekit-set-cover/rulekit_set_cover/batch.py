"""Antecedents that inherit what the ensemble says of their samples."""

from functools import cached_property

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import RuleBatch

# Samples times rules that are looked at together: 4 MB as booleans.
BLOCK = 2**22


class EnsembleBatch(RuleBatch):
    """A batch whose local priors are the mean class probabilities that the ensemble states for the covered samples.

    They are computed when an estimator asks: those that count samples only never do.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_rules, width)
    said : ndarray of shape (n_samples, n_classes)
        What the ensemble says of each sample of the index.
    """

    def __init__(self, index: TrainingIndex, conditions: IntArray, said: FloatArray) -> None:
        super().__init__(index, conditions, said[:0])
        self._said = said

    @cached_property
    def priors(self) -> FloatArray:
        """Means over the covered samples, over all samples where none is covered; shape (n_rules, n_classes)."""
        means = np.tile(self._said.mean(axis=0), (len(self), 1))
        at_once = max(1, BLOCK // max(1, len(self._said)))
        for start in range(0, len(self), at_once):
            rows = slice(start, start + at_once)
            covered = self.index.samples(self.index.cover(self.conditions[rows])).astype(np.float64)
            support = covered.sum(axis=1, keepdims=True)
            means[rows] = np.where(support > 0, covered @ self._said / np.maximum(support, 1), means[rows])
        return means
