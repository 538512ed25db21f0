"""One pass through a source: each part becomes an index in a temporary file, and only counts stay in memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import pandas as pd

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.errors import SourceError
from rulekit.core.forest import Forest
from rulekit.core.index import TrainingIndex
from rulekit.core.labels import plain_labels
from rulekit.core.tree_rules import LeafRules, leaf_rules
from rulekit.model import class_indices

#: Memory for the bits of conditions of all parts together: 1 GB.
MAX_CACHE_BYTES = 2**30


@attrs.frozen(eq=False)
class Reading:
    """How frames become samples and class indices; it is sent to the workers of a cluster.

    Attributes
    ----------
    as_numbers : callable
        From a frame of features to an array of shape (n_samples, n_features) as the forest's trees compare it.
    target : str
        The column with the labels.
    forest : Forest
    model : fitted model
    feature_names : tuple of str
    """

    as_numbers: Callable[[pd.DataFrame], FloatArray]
    target: Any
    forest: Forest
    model: Any
    feature_names: tuple[str, ...]

    def samples(self, frame: pd.DataFrame) -> tuple[FloatArray, IntArray]:
        """The samples of a frame, and their class indices."""
        X, labels = split_target(frame, self.target)
        return self.as_numbers(X), class_indices(self.forest, self.model, np.asarray(plain_labels(labels)))

    def conditions(self, missing_features: frozenset[int]) -> tuple[Conditions, list[LeafRules]]:
        """Every distinct condition of the forest, and the rules of its leaves."""
        conditions, leaves = leaf_rules(self.forest, self.feature_names, missing_features)
        return conditions, list(leaves)


@attrs.frozen(eq=False)
class Part:
    """One part of the samples.

    Attributes
    ----------
    index : TrainingIndex
    facts : ColumnFacts
    """

    index: TrainingIndex
    facts: ColumnFacts

    def __sizeof__(self) -> int:
        """Bytes, for a scheduler that weighs whether to move a part."""
        return self.index.n_bytes

    @classmethod
    def of(
        cls, X: FloatArray, y: IntArray, conditions: Conditions, n_classes: int, allocate: Callable[..., Any]
    ) -> "Part":
        """The part of these samples.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
            Class indices.
        conditions : Conditions
        n_classes : int
        allocate : callable
            See `TrainingIndex`.
        """
        index = TrainingIndex(X, y, conditions, n_classes, max_cache_bytes=0, allocate=allocate)
        return cls(index, ColumnFacts.of(X, conditions.cutoffs_by_feature))

    def on(self, conditions: Conditions, allocate: Callable[..., Any]) -> "Part":
        """The same samples with other conditions, which split them at the same values."""
        index = self.index
        X, y = index.representatives(slice(None)), index.classes()
        return Part(TrainingIndex(X, y, conditions, index.n_classes, max_cache_bytes=0, allocate=allocate), self.facts)


def split_target(frame: pd.DataFrame, target: Any) -> tuple[pd.DataFrame, Any]:
    """Features and labels of a frame."""
    if target not in frame.columns:
        known = ", ".join(map(repr, list(frame.columns)[:20]))
        raise SourceError(f"The source has no column {target!r} with labels. Its columns: {known}.")
    return frame.drop(columns=[target]), frame[target]


def rechunked(samples: Iterable[tuple[FloatArray, IntArray]], size: int) -> Iterator[tuple[FloatArray, IntArray]]:
    """The same samples, `size` at a time; the last part may be smaller."""
    held: list[tuple[FloatArray, IntArray]] = []
    n_held = 0
    for X, y in samples:
        start = 0
        while len(y) - start >= size - n_held:
            stop = start + size - n_held
            yield _together([*held, (X[start:stop], y[start:stop])])
            held, n_held, start = [], 0, stop
        if start < len(y):
            held.append((X[start:], y[start:]))
            n_held += len(y) - start
    if held:
        yield _together(held)


def _together(pieces: Sequence[tuple[FloatArray, IntArray]]) -> tuple[FloatArray, IntArray]:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate([X for X, _ in pieces]), np.concatenate([y for _, y in pieces])
