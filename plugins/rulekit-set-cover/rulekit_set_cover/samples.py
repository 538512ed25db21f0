"""The training samples as the cover sees them: what the ensemble predicts, and what the labels are."""

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
        Every sample, its class being the one that the ensemble predicts: its counts are those of agreement.
    judges : TrainingData
        Samples with their true classes, from which rules state probabilities: all, or those that are held back.
    is_judge : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_samples,)
        True classes, as positions.
    """

    predicted: TrainingData
    judges: TrainingData
    is_judge: BoolArray
    classes: IntArray

    @classmethod
    def of(cls, data: TrainingData) -> Self:
        """Ask the ensemble about every sample."""
        predicted = data.with_samples(data.X, data.ensemble_probabilities.argmax(axis=1))
        is_judge = np.ones(data.n_samples, dtype=bool) if data.held_back is None else data.held_back
        return cls(predicted, data.counted, is_judge, data.y)

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
