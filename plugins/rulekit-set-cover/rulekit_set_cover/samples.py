"""The training samples as the cover sees them: with the ensemble's predictions, and with their labels."""

from typing import Self

import attrs
import numpy as np

from rulekit.plugin import BitArray, BoolArray, IntArray, TrainingData


@attrs.frozen(eq=False)
class Samples:
    """Training samples under two labellings.

    Attributes
    ----------
    predicted : TrainingData
        Every sample with the class that the ensemble predicts: its counts are those of agreement.
    counted : TrainingData
        The samples with their true classes that probabilities are estimated from: all, or those that are held back.
    is_counted : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_samples,)
        Indices of the true classes.
    """

    predicted: TrainingData
    counted: TrainingData
    is_counted: BoolArray
    classes: IntArray

    @classmethod
    def of(cls, data: TrainingData) -> Self:
        """From the training data, with the ensemble's predictions."""
        predicted = data.with_samples(data.X, data.ensemble_probabilities.argmax(axis=1))
        is_counted = np.ones(data.n_samples, dtype=bool) if data.held_back is None else data.held_back
        return cls(predicted, data.counted, is_counted, data.y)

    def default_counts(self, uncovered: BitArray) -> IntArray:
        """Class counts of the uncovered samples, or of all samples if none is left; shape (n_classes,).

        Parameters
        ----------
        uncovered : ndarray of shape (n_words,)
            Bits of `predicted`.
        """
        left = self.classes[self.predicted.samples(uncovered) & self.is_counted]
        counts = np.bincount(left, minlength=self.counted.n_classes)
        return counts if left.size else self.counted.class_counts
