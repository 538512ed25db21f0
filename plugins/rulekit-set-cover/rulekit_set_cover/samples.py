"""The training samples as the cover sees them: what the ensemble predicts, and what the labels are."""

from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.training_data import TrainingData


@attrs.frozen(eq=False)
class Samples:
    """Training samples under two labellings.

    Attributes
    ----------
    predicted : TrainingIndex
        Every sample, its class being the one that the ensemble predicts: its counts are those of agreement.
    said : ndarray of shape (n_samples, n_classes)
        The ensemble's class probabilities.
    judges : TrainingData
        Samples with their true classes, from which rules state probabilities: all, or those that are held back.
    is_judge : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_samples,)
        True classes, as positions.
    """

    predicted: TrainingIndex
    said: FloatArray
    judges: TrainingData
    is_judge: BoolArray
    classes: IntArray

    @classmethod
    def of(cls, data: TrainingData) -> Self:
        """Ask the ensemble about every sample."""
        said = data.ensemble_probabilities
        predicted = data.with_samples(data.X, said.argmax(axis=1)).index
        is_judge = np.ones(data.n_samples, dtype=bool) if data.held_back is None else data.held_back
        return cls(predicted, said, data.counted, is_judge, data.y)

    def default_counts(self, uncovered: BitArray) -> IntArray:
        """True classes of the uncovered samples, or of all samples if none is left; shape (n_classes,).

        Parameters
        ----------
        uncovered : ndarray of shape (n_words,)
            Bits of `predicted`.
        """
        left = self.classes[self.predicted.samples(uncovered) & self.is_judge]
        counts = np.bincount(left, minlength=self.judges.n_classes)
        return counts if left.size else self.judges.class_counts
