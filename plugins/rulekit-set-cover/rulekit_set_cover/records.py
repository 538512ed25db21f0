"""The training records as the cover sees them: what the ensemble predicts, and what the labels are."""

from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.ground import Ground


@attrs.frozen(eq=False)
class Records:
    """Training records under two labellings.

    Attributes
    ----------
    predicted : TrainingIndex
        Every record, its class being the one that the ensemble predicts: its counts are those of agreement.
    said : ndarray of shape (n_records, n_classes)
        The ensemble's class probabilities.
    judges : TrainingIndex
        Records with their true classes, from which rules state probabilities: all, or those that are held back.
    is_judge : ndarray of shape (n_records,)
    classes : ndarray of shape (n_records,)
        True classes, as positions.
    """

    predicted: TrainingIndex
    said: FloatArray
    judges: TrainingIndex
    is_judge: BoolArray
    classes: IntArray

    @classmethod
    def of(cls, ground: Ground, held_back: BoolArray | None) -> Self:
        """Ask the ensemble about every record."""
        reading, index = ground.reading, ground.index
        said = reading.forest.predict_proba(reading.X)
        predicted = TrainingIndex(
            reading.X, said.argmax(axis=1), index.conditions, index.n_classes, n_jobs=index.n_jobs
        )
        is_judge = np.ones(index.n_records, dtype=bool) if held_back is None else held_back
        return cls(predicted, said, ground.divided(held_back)[1], is_judge, reading.positions)

    def default_counts(self, uncovered: BitArray) -> IntArray:
        """True classes of the uncovered records, or of all records if none is left; shape (n_classes,).

        Parameters
        ----------
        uncovered : ndarray of shape (n_words,)
            Bits of `predicted`.
        """
        left = self.classes[self.predicted.records(uncovered) & self.is_judge]
        counts = np.bincount(left, minlength=self.judges.n_classes)
        return counts if left.size else self.judges.class_counts
