"""Rules with the three measures of inTrees: frequency, error and length."""

from typing import Self

import attrs
import numpy as np

from rulekit.plugin import BitArray, FloatArray, IntArray, TrainingData, row_sums


@attrs.frozen(eq=False)
class MeasuredRules:
    """Antecedents, each with a class, on the training samples.

    Attributes
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids, padded with `data.pad`; pads may be at any position.
    classes : ndarray of shape (n_rules,)
        Index of the class that each rule predicts.
    bits : ndarray of shape (n_rules, n_words)
        Samples that satisfy each antecedent.
    counts : ndarray of shape (n_rules, n_classes)
        How many of them are of each class.
    data : TrainingData
    """

    antecedents: IntArray
    classes: IntArray
    bits: BitArray
    counts: IntArray
    data: TrainingData

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(cls, antecedents: IntArray, data: TrainingData, classes: IntArray | None = None) -> Self:
        """Rules from their antecedents; without `classes`, each predicts its most frequent class, of ties the first."""
        bits = data.cover(antecedents)
        counts = data.count(bits)
        return cls(antecedents, counts.argmax(axis=1) if classes is None else classes, bits, counts, data)

    @property
    def lengths(self) -> IntArray:
        """Conditions of each rule, of shape (n_rules,)."""
        return np.count_nonzero(self.antecedents != self.data.pad, axis=1)

    @property
    def frequencies(self) -> FloatArray:
        """Fraction of all samples that satisfy each antecedent, of shape (n_rules,)."""
        return row_sums(self.counts) / self.data.n_samples

    @property
    def errors(self) -> FloatArray:
        """Fraction of the samples of each rule that are not of the class it predicts, of shape (n_rules,)."""
        return wrong_fractions(self.counts, self.classes)

    def take(self, rows: IntArray) -> Self:
        """Only these rules, in this order."""
        return type(self)(self.antecedents[rows], self.classes[rows], self.bits[rows], self.counts[rows], self.data)


def wrong_fractions(counts: IntArray, classes: IntArray) -> FloatArray:
    """Fraction of samples that are not of a rule's class, of shape (n_rules,); 1 where there are no samples.

    Parameters
    ----------
    counts : ndarray of shape (n_rules, n_classes)
        Samples of each class.
    classes : ndarray of shape (n_rules,)
    """
    covered = row_sums(counts)
    right = np.take_along_axis(counts, classes[:, None], axis=1)[:, 0]
    # Without samples the error is 1, the worst, whatever the class.
    return np.where(covered > 0, (covered - right) / np.maximum(covered, 1), 1.0)
