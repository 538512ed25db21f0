"""What the training samples of rules weigh: fractions are made of these, beside true counts of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray
from rulekit.core.rules import list_counts

if TYPE_CHECKING:
    from rulekit.core.training_data import TrainingData


@attrs.frozen(eq=False)
class WeightedCounts:
    """The weights of the training samples behind the rules of a ruleset.

    Attributes
    ----------
    counts : ndarray of shape (n_rules, n_classes)
        What the samples of each class that a rule covers weigh; for the default rule, those that no rule covers.
    answered : ndarray of shape (n_rules, n_classes) or None
        The same of those for which a rule is the first that matches; None if unknown.
    total : float
        What all training samples weigh.
    """

    counts: FloatArray
    answered: FloatArray | None
    total: float

    def __attrs_post_init__(self) -> None:
        for array in (self.counts, self.answered):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def of(cls, data: TrainingData, bits: BitArray) -> Self:
        """Those of rules that cover these samples.

        Parameters
        ----------
        data : TrainingData
        bits : ndarray of shape (n_rules, n_words)
            Samples that each rule covers, in order.
        """
        counts, answered = list_counts(bits, data.index)
        return cls(counts.astype(np.float64), answered.astype(np.float64), float(data.index.total))


def true_counts(data: TrainingData, bits: BitArray) -> tuple[IntArray, IntArray]:
    """Training samples of each class that rules cover and answer, each sample counted once whatever its weight.

    Returns
    -------
    counts, answered : ndarrays of shape (n_rules + 1, n_classes)
        The last row of `counts` is that of the default rule: the samples that no rule covers, or all if there are none.
    """
    index = data.index
    answered = index.true_counts.answered(bits)
    default = answered[-1] if answered[-1].any() else index.true_counts.of(index.all_samples)
    return np.vstack([index.true_counts.of(bits), default]), answered
