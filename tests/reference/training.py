"""The training set D, asked which samples satisfy what."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .conditions import Antecedent, Condition

Samples = frozenset[int]


class TrainingSet:
    """Samples of D, known by their positions.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Rounded to float32, as scikit-learn's trees see it.
    y : array of shape (n_samples,)
        Original labels.
    classes : array of shape (n_classes,)
        The ensemble's ``classes_``.
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike) -> None:
        self.rows = _float32_rows(X)
        self.labels = _class_indices(y, classes)
        self.n_classes = len(np.asarray(classes))
        self.n_samples = len(self.rows)
        self.everything: Samples = frozenset(range(self.n_samples))
        self.class_counts = self.count_classes(self.everything)
        self._satisfying: dict[Condition, Samples] = {}

    def satisfying(self, antecedent: Antecedent) -> Samples:
        """Find the samples that satisfy every condition."""
        return self.everything.intersection(*(self._satisfying_one(condition) for condition in antecedent))

    def count_classes(self, samples: Iterable[int]) -> list[int]:
        """Count samples per class."""
        counter = Counter(self.labels[sample] for sample in samples)
        return [counter[class_index] for class_index in range(self.n_classes)]

    def counts_of(self, antecedent: Antecedent) -> list[int]:
        """Count the samples that satisfy every condition, per class."""
        return self.count_classes(self.satisfying(antecedent))

    def _satisfying_one(self, condition: Condition) -> Samples:
        if condition not in self._satisfying:
            self._satisfying[condition] = frozenset(
                sample for sample, row in enumerate(self.rows) if condition.holds(row[condition.feature])
            )
        return self._satisfying[condition]


def _float32_rows(X: ArrayLike) -> list[list[float]]:
    values = np.asarray(X, dtype=np.float32)
    if np.isnan(values).any():
        raise ValueError("The reference has no rule for missing values; X contains NaN.")
    rows: list[list[float]] = values.tolist()
    return rows


def _class_indices(y: ArrayLike, classes: ArrayLike) -> list[int]:
    index_of: dict[Any, int] = {label: i for i, label in enumerate(np.asarray(classes).tolist())}
    return [index_of[label] for label in np.asarray(y).tolist()]
