"""The nodes of a regression forest as candidate rules, and sums over the training samples of all of them at once.

If the samples of a tree are sorted by their leaf, from left to right, then those of every node stand side by side. A
sum over the samples of each node is therefore the difference of two entries of one cumulative sum for each tree: all
nodes of a forest take one pass over `n_trees * n_samples` numbers, at any depth, and nothing is stored per pair of
node and sample. Sums are of whole numbers, so that they do not depend on the order of the samples.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.forest import Forest
from rulekit.core.nodes import Nodes
from rulekit.core.tree_rules import LeafPaths

#: Signed numbers, or unsigned ones that wrap around.
WholeArray = npt.NDArray[Any]
#: Numbers that are summed at once.
NUMBERS_AT_ONCE = 2**22
#: Seed of the random words that tell sets of samples apart.
SEED = 0


@attrs.frozen(eq=False, slots=False)
class Pool:
    """Candidate rules, each a node of some tree that covers other samples than all others.

    Attributes
    ----------
    order : ndarray of shape (n_trees, n_samples)
        Samples of each tree by leaf, from left to right.
    trees, starts, stops : ndarrays of shape (n_rules,)
        A rule covers the samples `order[tree, start:stop]`. Rules are sorted by tree.
    nodes : ndarray of shape (n_rules,)
        Their nodes, counted over all trees.
    """

    order: npt.NDArray[np.int32]
    trees: IntArray
    starts: IntArray
    stops: IntArray
    nodes: IntArray

    @classmethod
    def of(cls, forest: Forest, paths: LeafPaths, X: FloatArray, min_samples: int) -> Self:
        """All nodes that cover at least `min_samples` samples but not all; of several with the same samples, one.

        The one kept has the fewest splits above it; among these, the one of the earliest tree.

        Parameters
        ----------
        forest : Forest
        paths : LeafPaths
            Of the forest.
        X : ndarray of shape (n_samples, n_features)
            Samples as the forest's trees compare them.
        min_samples : int
        """
        nodes = paths.nodes
        rounded = np.asarray(X, dtype=forest.input_dtype).astype(np.float64)
        first_leaf, last_leaf, depth = _spans(nodes, paths)
        tree_of = np.repeat(np.arange(len(nodes.roots)), np.diff([*nodes.roots, len(nodes.features)]))
        order = np.empty((len(nodes.roots), len(X)), dtype=np.int32)
        starts, stops = np.zeros((2, len(nodes.features)), dtype=np.int64)
        for tree, leaves in enumerate(nodes.leaves(rounded)):
            of_samples = paths.positions[leaves]
            order[tree] = np.argsort(of_samples, kind="stable")
            ranked, own = of_samples[order[tree]], np.flatnonzero((tree_of == tree) & (depth > 0))
            starts[own] = np.searchsorted(ranked, first_leaf[own])
            stops[own] = np.searchsorted(ranked, last_leaf[own], side="right")
        n_covered = stops - starts
        kept = np.flatnonzero((depth > 0) & (n_covered >= min_samples) & (n_covered < len(X)))
        pool = cls(order, tree_of[kept], starts[kept], stops[kept], kept)
        return pool.take(pool._distinct(depth[kept]))

    def take(self, rules: IntArray) -> Self:
        """Some of the rules, in ascending order."""
        rules = np.sort(rules)
        return attrs.evolve(
            self,
            trees=self.trees[rules],
            starts=self.starts[rules],
            stops=self.stops[rules],
            nodes=self.nodes[rules],
        )

    def __len__(self) -> int:
        return len(self.trees)

    @property
    def n_covered(self) -> IntArray:
        """Samples that each rule covers, of shape (n_rules,)."""
        return self.stops - self.starts

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """Where each sample stands in the order of each tree, of shape (n_trees, n_samples)."""
        ranks = np.empty_like(self.order)
        np.put_along_axis(ranks, self.order, np.arange(self.order.shape[1], dtype=np.int32)[None, :], axis=1)
        return ranks

    def covers(self, rule: int) -> BoolArray:
        """Which samples a rule covers, of shape (n_samples,)."""
        mask = np.zeros(self.order.shape[1], dtype=bool)
        mask[self.order[self.trees[rule], self.starts[rule] : self.stops[rule]]] = True
        return mask

    def sums(self, numbers: WholeArray) -> WholeArray:
        """Sum of whole numbers over the samples of each rule.

        Parameters
        ----------
        numbers : ndarray of shape (n_samples,)
            Of any integer type; sums of unsigned ones wrap around.

        Returns
        -------
        sums : ndarray of shape (n_rules,)
        """
        found = np.empty(len(self), dtype=numbers.dtype)
        for trees, rules in self._blocks():
            cumulated = np.zeros((len(self.order[trees]), len(numbers) + 1), dtype=numbers.dtype)
            np.cumsum(numbers[self.order[trees]], axis=1, out=cumulated[:, 1:])
            of_tree = self.trees[rules] - trees.start
            found[rules] = cumulated[of_tree, self.stops[rules]] - cumulated[of_tree, self.starts[rules]]
        return found

    def sums_among(self, samples: IntArray, numbers: WholeArray) -> WholeArray:
        """Sums over those samples of each rule that are among some, which takes time in proportion to these.

        Parameters
        ----------
        samples : ndarray of shape (n_some,)
            Indices.
        numbers : ndarray of shape (n_sums, n_some)
            What to sum, for these samples.

        Returns
        -------
        sums : ndarray of shape (n_sums, n_rules)
        """
        found = np.empty((len(numbers), len(self)), dtype=numbers.dtype)
        bounds = np.searchsorted(self.trees, np.arange(len(self.order) + 1))
        for tree in range(len(self.order)):
            ranks = self.ranks[tree, samples]
            order, rules = np.argsort(ranks), slice(bounds[tree], bounds[tree + 1])
            ranks = ranks[order]
            cumulated = np.zeros((len(numbers), len(samples) + 1), dtype=numbers.dtype)
            np.cumsum(numbers[:, order], axis=1, out=cumulated[:, 1:])
            stops, starts = (np.searchsorted(ranks, ends[rules]) for ends in (self.stops, self.starts))
            found[:, rules] = cumulated[:, stops] - cumulated[:, starts]
        return found

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """Trees that are summed together, and their rules."""
        at_once = max(1, NUMBERS_AT_ONCE // max(1, self.order.shape[1]))
        for start in range(0, len(self.order), at_once):
            trees = slice(start, start + at_once)
            yield trees, slice(*np.searchsorted(self.trees, [trees.start, trees.stop]))

    def _distinct(self, depth: IntArray) -> IntArray:
        """One rule for each distinct set of samples: the one of least depth, and then the first one."""
        rng = np.random.default_rng(SEED)
        words = np.asarray(rng.integers(0, 2**64, size=self.order.shape[1], dtype=np.uint64))
        preferred = np.lexsort((np.arange(len(self)), depth))
        _, first = np.unique(self.sums(words)[preferred], return_index=True)
        return preferred[first]


def _spans(nodes: Nodes, paths: LeafPaths) -> tuple[IntArray, IntArray, IntArray]:
    """Positions of the leftmost and rightmost leaf below each node, and its depth, -1 for nodes out of reach."""
    last, depth = paths.positions.copy(), np.full(len(nodes.features), -1)
    levels: list[IntArray] = []
    here = nodes.roots
    while len(here):
        depth[here] = len(levels)
        levels.append(here)
        inner = here[nodes.features[here] >= 0]
        here = np.concatenate([nodes.left[inner], nodes.right[inner]])
    for level in reversed(levels):
        inner = level[nodes.features[level] >= 0]
        last[inner] = last[nodes.right[inner]]
    return paths.positions, last, depth
