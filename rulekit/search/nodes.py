"""The nodes of all trees of a forest side by side, so that each step is one operation on all of them."""

from collections.abc import Sequence
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.forest import Tree


@attrs.frozen(eq=False)
class Nodes:
    """Trees as arrays over the nodes of all of them.

    Attributes
    ----------
    features, thresholds, left, right, missing_left : ndarrays of shape (n_nodes,)
        As in `Tree`, with children counted over all nodes.
    roots : ndarray of shape (n_trees,)
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    missing_left: BoolArray
    roots: IntArray

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Self:
        """The nodes of several trees, tree by tree."""
        sizes = [len(tree.features) for tree in trees]
        roots = np.cumsum([0, *sizes[:-1]])
        shift = np.repeat(roots, sizes)
        return cls(
            np.concatenate([tree.features for tree in trees]).astype(np.int64),
            np.concatenate([tree.thresholds for tree in trees]).astype(np.float64),
            np.concatenate([tree.left for tree in trees]) + shift,
            np.concatenate([tree.right for tree in trees]) + shift,
            np.concatenate([tree.missing_left for tree in trees]),
            roots,
        )

    def leaf_paths(self, at_left: IntArray, at_right: IntArray, nothing: int) -> tuple[IntArray, IntArray, IntArray]:
        """The leaves of each tree from left to right, and the conditions on the way to each.

        Parameters
        ----------
        at_left, at_right : ndarray of shape (n_nodes,)
            Ids of the conditions that lead from a node to its left and to its right child.
        nothing : int
            The id that stands for no condition.

        Returns
        -------
        leaves : ndarray of shape (n_leaves,)
            Nodes, tree by tree.
        starts : ndarray of shape (n_trees + 1,)
            Where each tree's leaves begin.
        paths : ndarray of shape (n_leaves, deepest)
            From the leaf up, filled up with `nothing`.
        """
        parents, conditions = np.arange(len(self.features)), np.full(len(self.features), nothing)
        levels = [self.roots]
        while (inner := levels[-1][self.features[levels[-1]] >= 0]).size:
            left, right = self.left[inner], self.right[inner]
            parents[left] = parents[right] = inner
            conditions[left], conditions[right] = at_left[inner], at_right[inner]
            levels.append(np.concatenate([left, right]))
        places, starts = self._places(levels)
        reached = np.concatenate(levels)
        reached = reached[self.features[reached] < 0]
        leaves = np.empty_like(reached)
        leaves[places[reached]] = reached
        paths, here = np.empty((len(leaves), len(levels) - 1), dtype=np.int64), leaves
        for step in range(len(levels) - 1):
            paths[:, step] = conditions[here]
            here = parents[here]
        return leaves, starts, paths

    def _places(self, levels: list[IntArray]) -> tuple[IntArray, IntArray]:
        """The place of each node's leftmost leaf among all leaves, and where each tree's leaves begin."""
        n_leaves = np.ones(len(self.features), dtype=np.int64)
        inner_levels = [level[self.features[level] >= 0] for level in levels]
        for inner in reversed(inner_levels):
            n_leaves[inner] = n_leaves[self.left[inner]] + n_leaves[self.right[inner]]
        starts = np.concatenate([[0], np.cumsum(n_leaves[self.roots])])
        places = np.empty_like(n_leaves)
        places[self.roots] = starts[:-1]
        for inner in inner_levels:
            places[self.left[inner]] = places[inner]
            places[self.right[inner]] = places[inner] + n_leaves[self.left[inner]]
        return places, starts
