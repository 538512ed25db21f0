"""The threshold grid: on each of its cells an ensemble is constant."""

import math
from collections.abc import Iterator
from typing import Self

import attrs
import numpy as np

from rulekit.plugin import Conditions, FloatArray, Forest, IntArray, Tree
from rulekit_born_again_tree.errors import UnsupportedColumnsError

# Cells that an ensemble predicts at once.
BLOCK_CELLS = 2**14


@attrs.frozen(eq=False)
class Grid:
    """Features that an ensemble splits on, each cut at all of its thresholds.

    Cell `i` of an axis with k cutoffs is the interval from cutoff `i - 1`, exclusive, to cutoff `i`, inclusive; there
    are k + 1 cells.

    Attributes
    ----------
    features : ndarray of shape (n_axes,)
        The feature of each axis, ascending.
    cutoffs : tuple of ndarrays
        Of each axis, ascending: float64 values that decide unrounded samples as the ensemble decides rounded ones.
    at_most, above : tuple of ndarrays of int
        Ids of the conditions `x <= t` and `x > t` for each cutoff.
    """

    features: IntArray
    cutoffs: tuple[FloatArray, ...]
    at_most: tuple[IntArray, ...]
    above: tuple[IntArray, ...]

    @classmethod
    def of(cls, conditions: Conditions) -> Self:
        """The grid of all conditions of an ensemble."""
        _check_columns(conditions)
        features = np.unique(conditions.features)
        at_most, above = (_by_cutoff(conditions, features, is_upper) for is_upper in (True, False))
        cutoffs = tuple(conditions.cutoffs[ids] for ids in at_most)
        return cls(features, cutoffs, at_most, above)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells of each axis."""
        return tuple(len(cutoffs) + 1 for cutoffs in self.cutoffs)

    @property
    def n_cells(self) -> int:
        """Cells of the grid; it may be astronomical."""
        return math.prod(self.shape)

    def cells(self, X: FloatArray) -> IntArray:
        """The cell of each sample, of shape (n_samples, n_axes)."""
        positions = [
            np.searchsorted(cutoffs, X[:, feature])
            for feature, cutoffs in zip(self.features, self.cutoffs, strict=True)
        ]
        return np.column_stack(positions) if positions else np.empty((len(X), 0), dtype=np.int64)

    def samples(self, cells: IntArray, n_features: int) -> FloatArray:
        """A sample in each of the given cells, 0 where a feature does not matter; shape (n, n_features)."""
        X = np.zeros((len(cells), n_features))
        for axis, (feature, cutoffs) in enumerate(zip(self.features, self.cutoffs, strict=True)):
            X[:, feature] = np.append(cutoffs, np.nextafter(cutoffs[-1], np.inf))[cells[:, axis]]
        return X

    def predict_proba(self, forest: Forest) -> FloatArray:
        """The ensemble's predicted probabilities on every cell, of shape (*shape, n_classes)."""
        probabilities = [forest.predict_proba(self.samples(cells, forest.n_features)) for cells in self._blocks()]
        return np.concatenate(probabilities).reshape(*self.shape, -1)

    def node_boxes(self, tree: Tree, forest: Forest) -> tuple[IntArray, IntArray]:
        """First and last cell, on each axis, of every node of a tree; shapes (n_nodes, n_axes)."""
        low = np.zeros((len(tree.features), len(self.features)), dtype=np.int64)
        high = np.tile(np.array(self.shape, dtype=np.int64) - 1, (len(low), 1))
        axes, positions = self._positions(tree, forest)
        level = np.zeros(1, dtype=np.int64)
        while (inner := level[tree.features[level] >= 0]).size:
            left, right = tree.left[inner], tree.right[inner]
            for child in (left, right):
                low[child], high[child] = low[inner], high[inner]
            high[left, axes[inner]] = np.minimum(high[left, axes[inner]], positions[inner])
            low[right, axes[inner]] = np.maximum(low[right, axes[inner]], positions[inner] + 1)
            level = np.concatenate([left, right])
        return low, high

    def _positions(self, tree: Tree, forest: Forest) -> tuple[IntArray, IntArray]:
        """Axis of each node's split, and the last cell that goes left; meaningless at leaves."""
        axes = np.searchsorted(self.features, tree.features)
        cutoffs = forest.cutoffs(tree)
        positions = np.zeros(len(axes), dtype=np.int64)
        for axis in np.unique(axes[tree.features >= 0]):
            here = np.flatnonzero((axes == axis) & (tree.features >= 0))
            positions[here] = np.searchsorted(self.cutoffs[axis], cutoffs[here])
        return axes, positions

    def _blocks(self) -> Iterator[IntArray]:
        """All cells, in the order of an array of the grid's shape."""
        for start in range(0, self.n_cells, BLOCK_CELLS):
            flat = np.arange(start, min(start + BLOCK_CELLS, self.n_cells))
            positions = np.unravel_index(flat, self.shape) if self.shape else ()
            yield np.column_stack(positions) if positions else np.empty((len(flat), 0), dtype=np.int64)


def _by_cutoff(conditions: Conditions, features: IntArray, is_upper: bool) -> tuple[IntArray, ...]:
    """Ids of conditions of one kind for each feature, one for each cutoff, ascending.

    Thresholds between the same two neighbours of the ensemble's precision have one cutoff: any of them will do.
    """
    of_features = (
        np.flatnonzero((conditions.features == feature) & (conditions.is_upper == is_upper)) for feature in features
    )
    return tuple(ids[np.unique(conditions.cutoffs[ids], return_index=True)[1]] for ids in of_features)


def _check_columns(conditions: Conditions) -> None:
    names = conditions.feature_names
    with_sets = sorted({names[feature] for feature in conditions.features[conditions.is_set].tolist()})
    with_gaps = sorted(names[feature] for feature in conditions.missing_features)
    for columns, what in ((with_gaps, "missing values (NaN)"), (with_sets, "categories")):
        if columns:
            raise UnsupportedColumnsError(
                f"A born-again tree supports only numbers, but {', '.join(map(repr, columns))} may contain {what}. "
                "Impute or encode them before the ensemble, for instance in a pipeline, or use another method."
            )
