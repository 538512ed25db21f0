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
    weights : array of shape (n_samples,), optional
        What each sample counts as: multiples of a power of two, so that sums are exact.
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None) -> None:
        self.rows = _float32_rows(X)
        self.labels = _class_indices(y, classes)
        self.n_classes = len(np.asarray(classes))
        self.everything: Samples = frozenset(range(len(self.rows)))
        self.weights: list[float] = [1] * len(self.rows) if weights is None else np.asarray(weights).tolist()
        self.n_samples = self.weight_of(self.everything)
        self.class_counts = self.count_classes(self.everything)
        self._satisfying: dict[Condition, Samples] = {}

    def satisfying(self, antecedent: Antecedent) -> Samples:
        """Find the samples that satisfy every condition."""
        return self.everything.intersection(*(self._satisfying_one(condition) for condition in antecedent))

    def weight_of(self, samples: Iterable[int]) -> float:
        """Count samples, each as much as it weighs."""
        return sum(self.weights[sample] for sample in samples)

    def count_classes(self, samples: Iterable[int]) -> list[float]:
        """Count samples per class."""
        counter: Counter[int] = Counter()
        for sample in samples:
            counter[self.labels[sample]] += self.weights[sample]
        return [counter[class_index] for class_index in range(self.n_classes)]

    def counts_of(self, antecedent: Antecedent) -> list[float]:
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
