"""The nodes of several trees side by side, and which leaf a sample falls into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.regions import Codes
from rulekit.core.set_bits import SetBits

if TYPE_CHECKING:
    from rulekit.core.forest import Tree

#: Walks of one sample down one tree that are made at once: few enough for the processor's cache.
WALKS_AT_ONCE = 2**15


@attrs.frozen(eq=False, slots=False)
class Nodes:
    """Trees as arrays over the nodes of all of them.

    Attributes
    ----------
    features, thresholds, left, right, missing_left : ndarrays of shape (n_nodes,)
        As in `Tree`, with children counted over all nodes.
    roots : ndarray of shape (n_trees,)
    splits : tuple of Codes
        The categories that go left at each node that looks them up.
    split_of : ndarray of shape (n_nodes,)
        Position among `splits`, -1 at other nodes.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    missing_left: BoolArray
    roots: IntArray
    splits: tuple[Codes, ...]
    split_of: IntArray

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Self:
        """The nodes of several trees, tree by tree."""
        sizes = [len(tree.features) for tree in trees]
        roots = np.cumsum([0, *sizes[:-1]])
        shift = np.repeat(roots, sizes)
        looked_up = [
            (tree, root, node)
            for tree, root in zip(trees, roots.tolist(), strict=True)
            for node in sorted(tree.category_splits)
        ]
        split_of = np.full(sum(sizes), -1)
        split_of[[root + node for _, root, node in looked_up]] = np.arange(len(looked_up))
        return cls(
            np.concatenate([tree.features for tree in trees]).astype(np.int64),
            np.concatenate([tree.thresholds for tree in trees]).astype(np.float64),
            np.concatenate([tree.left for tree in trees]) + shift,
            np.concatenate([tree.right for tree in trees]) + shift,
            np.concatenate([tree.missing_left for tree in trees]),
            roots,
            tuple(tree.going_left(node) for tree, _, node in looked_up),
            split_of,
        )

    def leaves(self, X: FloatArray) -> Iterator[IntArray]:
        """The leaf that each sample falls into, of shape (n_samples,), one tree after the other.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Rounded to the forest's `input_dtype`.
        """
        X = np.ascontiguousarray(X)
        positions = self._value_positions(X) if self.splits else None
        at_once = max(1, WALKS_AT_ONCE // max(1, len(X)))
        for start in range(0, len(self.roots), at_once):
            yield from self._walk(self.roots[start : start + at_once], X, positions)

    def _value_positions(self, X: FloatArray) -> IntArray:
        """Positions of the bits that stand for values of features that are looked up; of the shape of `X`."""
        positions = np.zeros(X.shape, dtype=np.int64)
        for feature in self._split_bits.codes:
            positions[:, feature] = self._split_bits.positions(feature, X[:, feature])
        return positions

    def _walk(self, roots: IntArray, X: FloatArray, positions: IntArray | None) -> IntArray:
        """Leaves of some trees, of shape (n_trees, n_samples)."""
        n_samples, n_features = X.shape
        values, has_missing = X.ravel(), bool(np.isnan(X).any())
        reached = np.repeat(roots, n_samples)
        active = np.flatnonzero(self.features[reached] >= 0)
        here = reached[active]
        cells = active % max(1, n_samples) * n_features
        while active.size:
            wanted = cells + self.features.take(here)
            looked_at = values.take(wanted)
            goes_right = ~(looked_at <= self.thresholds.take(here))
            if has_missing:
                missing = np.isnan(looked_at)
                goes_right[missing] = ~self.missing_left[here[missing]]
            if positions is not None:
                rows = np.flatnonzero(self.split_of[here] >= 0)
                goes_right[rows] = ~self._split_bits.has(self.split_of[here[rows]], positions.ravel()[wanted[rows]])
            here = self._children.take(2 * here + goes_right)
            reached[active] = here
            inner = np.flatnonzero(self.features.take(here) >= 0)
            active, here, cells = active.take(inner), here.take(inner), cells.take(inner)
        return reached.reshape(len(roots), n_samples)

    @cached_property
    def _children(self) -> IntArray:
        """The left and then the right child of each node, of shape (2 * n_nodes,)."""
        return np.column_stack([self.left, self.right]).ravel()

    @cached_property
    def _split_bits(self) -> SetBits:
        features = self.features[self.split_of >= 0]
        return SetBits.of(features.tolist(), self.splits)
