"""From the trees of a forest to rules: the conditions of every split, and the rules of all leaves or of large ones.

A forest without a depth limit has thousands of leaves per tree, most of which hold a handful of samples. No conjunction
with such a leaf can cover more, so where rules must cover more, their antecedents and bits are never made: the way down
ends at the first node that covers too few samples.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray
from rulekit.core.conditions import ConditionKey, Conditions, tidy
from rulekit.core.forest import Forest, Tree
from rulekit.core.index import TrainingIndex
from rulekit.core.nodes import Nodes
from rulekit.core.rules import Rules
from rulekit.core.set_intersections import close_under_intersection, merge_sets
from rulekit.core.statistics import Limits
from rulekit.core.validation import Categories

# Where missing values of a feature go, if it has any.
NOWHERE, LEFT, RIGHT = range(3)
#: Words of bits of the leaves that are made at once, 8 MB.
WORDS_AT_ONCE = 2**20


def conditions_of(
    trees: Sequence[Tree], nodes: Nodes, missing_features: frozenset[int]
) -> tuple[list[ConditionKey], IntArray, IntArray]:
    """Distinct conditions of all trees, and those of each node.

    Parameters
    ----------
    trees : sequence of Tree
    nodes : Nodes
        Of these trees.
    missing_features : frozenset of int
        Features that have missing values: where these go is part of a condition.

    Returns
    -------
    keys : list of ConditionKey
    at_left, at_right : ndarrays of shape (n_nodes,)
        Indices in `keys` of the conditions that lead to a node's children, -1 at leaves.
    """
    numbers: dict[ConditionKey, int] = {}
    ways = np.full((2, len(nodes.features)), -1)
    _number_category_splits(trees, nodes, missing_features, numbers, ways)
    keys = list(numbers)
    keys += _number_thresholds(nodes, missing_features, len(keys), ways)
    return keys, ways[0], ways[1]


def _number_category_splits(
    trees: Sequence[Tree],
    nodes: Nodes,
    missing_features: frozenset[int],
    numbers: dict[ConditionKey, int],
    ways: IntArray,
) -> None:
    for root, tree in zip(nodes.roots.tolist(), trees, strict=True):
        for node, split in tree.category_splits.items():
            feature = int(tree.features[node])
            missing = (LEFT if tree.missing_left[node] else RIGHT) if feature in missing_features else NOWHERE
            left = ConditionKey(feature, split.goes_left, 0.0, split.codes, missing == LEFT)
            right = ConditionKey(feature, not split.goes_left, 0.0, split.codes, missing == RIGHT)
            ways[:, root + node] = [numbers.setdefault(key, len(numbers)) for key in (left, right)]


def _number_thresholds(
    nodes: Nodes, missing_features: frozenset[int], first: int, ways: IntArray
) -> list[ConditionKey]:
    """Distinct conditions with thresholds; those of each node are written into `ways`, counted from `first`."""
    here = np.flatnonzero((nodes.features >= 0) & (ways[0] < 0))
    features = nodes.features[here]
    may_be_missing = np.isin(features, list(missing_features))
    missing = np.where(may_be_missing, np.where(nodes.missing_left[here], LEFT, RIGHT), NOWHERE)
    # NumPy orders complex numbers by their real, then their imaginary part, which distinguishes all splits in one sort.
    splits = np.empty(len(here), dtype=np.complex128)
    splits.real = 3 * features + missing
    # Adding 0 turns -0 into 0: the two split alike and must be one condition.
    splits.imag = nodes.thresholds[here] + 0.0
    distinct, which = np.unique(splits, return_inverse=True)
    of_features, goes = (column.tolist() for column in np.divmod(distinct.real.astype(np.int64), 3))
    ways[:, here] = first + 2 * which + np.arange(2)[:, None]
    return [
        ConditionKey(feature, is_upper, threshold, None, way == direction)
        for feature, way, threshold in zip(of_features, goes, distinct.imag.tolist(), strict=True)
        for is_upper, direction in ((True, LEFT), (False, RIGHT))
    ]


@attrs.frozen(eq=False)
class LeafPaths:
    """The ways from the roots of several trees to their leaves.

    Attributes
    ----------
    nodes : Nodes
    leaves : ndarray of shape (n_leaves,)
        The leaves of each tree from left to right, tree by tree.
    positions : ndarray of shape (n_nodes,)
        The index of each node's leftmost leaf in `leaves`.
    starts : ndarray of shape (n_trees + 1,)
        Where each tree's leaves begin.
    parents : ndarray of shape (n_nodes,)
        A root is its own parent.
    conditions : ndarray of shape (n_nodes,)
        Id of the condition that leads to each node, `nothing` for a root.
    nothing : int
        The id that stands for no condition.
    """

    nodes: Nodes
    leaves: IntArray
    positions: IntArray
    starts: IntArray
    parents: IntArray
    conditions: IntArray
    nothing: int

    @classmethod
    def of(cls, nodes: Nodes, at_left: IntArray, at_right: IntArray, nothing: int) -> Self:
        """The way to every leaf.

        Parameters
        ----------
        nodes : Nodes
        at_left, at_right : ndarray of shape (n_nodes,)
            Ids of the conditions that lead from a node to its left and to its right child.
        nothing : int
            The id that stands for no condition.
        """
        parents, conditions = np.arange(len(nodes.features)), np.full(len(nodes.features), nothing)
        levels = [nodes.roots]
        while (inner := levels[-1][nodes.features[levels[-1]] >= 0]).size:
            left, right = nodes.left[inner], nodes.right[inner]
            parents[left] = parents[right] = inner
            conditions[left], conditions[right] = at_left[inner], at_right[inner]
            levels.append(np.concatenate([left, right]))
        positions, starts = _positions(nodes, levels)
        reached = np.concatenate(levels)
        reached = reached[nodes.features[reached] < 0]
        leaves = np.empty_like(reached)
        leaves[positions[reached]] = reached
        return cls(nodes, leaves, positions, starts, parents, conditions, nothing)

    def to(self, leaves: IntArray) -> IntArray:
        """Conditions on the paths to some leaves, from the leaf up.

        Parameters
        ----------
        leaves : ndarray of shape (n_leaves,)
            Nodes.

        Returns
        -------
        paths : ndarray of shape (n_leaves, deepest)
            Filled up with `nothing`.
        """
        steps, here = [], leaves
        while ((above := self.parents[here]) != here).any():
            steps.append(self.conditions[here])
            here = above
        return np.column_stack(steps) if steps else np.empty((len(leaves), 0), dtype=np.int64)


def _positions(nodes: Nodes, levels: list[IntArray]) -> tuple[IntArray, IntArray]:
    """The index of each node's leftmost leaf among all leaves, and where each tree's leaves begin."""
    n_leaves = np.ones(len(nodes.features), dtype=np.int64)
    inner_levels = [level[nodes.features[level] >= 0] for level in levels]
    for inner in reversed(inner_levels):
        n_leaves[inner] = n_leaves[nodes.left[inner]] + n_leaves[nodes.right[inner]]
    starts = np.concatenate([[0], np.cumsum(n_leaves[nodes.roots])])
    positions = np.empty_like(n_leaves)
    positions[nodes.roots] = starts[:-1]
    for inner in inner_levels:
        positions[nodes.left[inner]] = positions[inner]
        positions[nodes.right[inner]] = positions[inner] + n_leaves[nodes.left[inner]]
    return positions, starts


@attrs.frozen(eq=False)
class LeafRules:
    """The rules of one round of trees, before samples are counted.

    Attributes
    ----------
    paths : LeafPaths
        The ways to the leaves of all trees.
    conditions : Conditions
        Of all trees.
    first : int
        Index of the round's first leaf among those of all trees.
    roots : ndarray of shape (n_trees,)
        Roots of the round's trees, as nodes of all trees.
    priors : ndarray of shape (n_leaves, n_classes)
    groups : ndarray of shape (n_leaves,)
        Leaves of different groups share no sample; all 0 when several trees form the round.
    """

    paths: LeafPaths
    conditions: Conditions
    first: int
    roots: IntArray
    priors: FloatArray
    groups: IntArray

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def antecedents(self) -> IntArray:
        """Condition ids, padded with the number of conditions; shape (n_leaves, width)."""
        return self.antecedents_of(np.arange(len(self)))

    def antecedents_of(self, rows: IntArray) -> IntArray:
        """Antecedents of some of the leaves, of shape (n_rows, width)."""
        pad = len(self.conditions)
        paths = tidy(self.paths.to(self.paths.leaves[self.first + rows]), pad)
        return tidy(merge_sets(paths, self.conditions), pad) if self.conditions.has_sets else paths

    def on(self, index: TrainingIndex) -> Rules:
        """The same rules, with their training samples."""
        return Rules.of(self.antecedents, self.priors, self.priors.argmax(axis=1), index, self.groups)


def leaf_rules(
    forest: Forest, feature_names: Sequence[str], missing_features: frozenset[int] = frozenset()
) -> tuple[Conditions, list[LeafRules]]:
    """Every condition of a forest, and the rules of each of its rounds.

    Where missing values go is part of a condition only for features that have some.
    """
    trees = [tree for trees in forest.rounds for tree in trees]
    nodes = Nodes.of(trees)
    keys, at_left, at_right = conditions_of(trees, nodes, missing_features)
    listed = keys + close_under_intersection(keys) if nodes.splits else keys
    categories = Categories(forest.categories, forest.unknown_as_missing, forest.missing_value, forest.input_dtype)
    conditions, ids = Conditions.in_string_order(
        listed, feature_names, forest.input_dtype, categories, missing_features
    )
    pad = len(conditions)
    ids = np.append(ids, pad)  # what the -1 of leaves, which have no children, refers to
    paths = LeafPaths.of(nodes, ids[at_left], ids[at_right], nothing=pad)
    priors = np.concatenate([tree.priors for tree in trees])[paths.leaves]

    rounds, first = [], 0
    for trees_of_round in forest.rounds:
        last = first + len(trees_of_round)
        start, stop = int(paths.starts[first]), int(paths.starts[last])
        groups = np.arange(stop - start) if len(trees_of_round) == 1 else np.zeros(stop - start, dtype=np.int64)
        rounds.append(LeafRules(paths, conditions, start, nodes.roots[first:last], priors[start:stop], groups))
        first = last
    return conditions, rounds


def large_leaves(
    paths: LeafPaths, roots: IntArray, index: TrainingIndex, limits: Limits
) -> tuple[IntArray, BitArray, IntArray]:
    """The leaves of some trees that cover more samples than the limits of coverage.

    Where there is a limit within the class, leaves stay that exceed it for some class: a conjunction with a leaf may
    predict another class than the leaf.

    Parameters
    ----------
    paths : LeafPaths
    roots : ndarray of shape (n_trees,)
    index : TrainingIndex
    limits : Limits

    Returns
    -------
    leaves : ndarray of shape (n_large,)
        Positions in `paths.leaves`, ascending.
    bits : ndarray of shape (n_large, n_words)
        Their samples.
    counts : ndarray of shape (n_large, n_classes)
    """
    nodes, here = paths.nodes, roots
    bits, counts = np.tile(index.all_samples, (len(roots), 1)), np.tile(index.class_counts, (len(roots), 1))
    found = []
    while len(here):
        is_leaf = nodes.features[here] < 0
        found.append((paths.positions[here[is_leaf]], bits[is_leaf], counts[is_leaf]))
        inner, inside, of_inner = here[~is_leaf], bits[~is_leaf], counts[~is_leaf]
        left, right = nodes.left[inner], nodes.right[inner]
        goes_left = index.narrowed(inside, paths.conditions[left])
        of_left = index.count(goes_left)
        of_right = of_inner - of_left
        large_left, large_right = limits.may_be_general(of_left), limits.may_be_general(of_right)
        # What does not go left goes right.
        inside[large_right] ^= goes_left[large_right]
        here = np.concatenate([left[large_left], right[large_right]])
        bits = np.concatenate([goes_left[large_left], inside[large_right]])
        counts = np.concatenate([of_left[large_left], of_right[large_right]])
    leaves, of_leaves, counts = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(leaves)
    return leaves[order], of_leaves[order], counts[order]


@attrs.frozen(eq=False, slots=False)
class Block:
    """Several rounds of trees whose large leaves are found together.

    Attributes
    ----------
    rounds : sequence of LeafRules
    index : TrainingIndex
    limits : Limits
    """

    rounds: Sequence[LeafRules]
    index: TrainingIndex
    limits: Limits

    @cached_property
    def large(self) -> list[Rules]:
        """The rules of large leaves, round by round."""
        paths = self.rounds[0].paths
        roots = np.concatenate([of_round.roots for of_round in self.rounds])
        leaves, bits, counts = large_leaves(paths, roots, self.index, self.limits)
        antecedents = self.rounds[0].antecedents_of(leaves - self.rounds[0].first)
        rules = []
        for of_round in self.rounds:
            own = slice(*np.searchsorted(leaves, [of_round.first, of_round.first + len(of_round)]).tolist())
            rows = leaves[own] - of_round.first
            priors = of_round.priors[rows]
            groups = of_round.groups[rows]
            rules.append(Rules(antecedents[own], priors, priors.argmax(axis=1), bits[own], counts[own], groups))
        return rules


@attrs.frozen(eq=False)
class RoundRules:
    """The rules of one round of trees, made when they are asked for.

    Attributes
    ----------
    leaves : LeafRules
    block : Block
        That the round belongs to.
    position : int
        In the block.
    """

    leaves: LeafRules
    block: Block
    position: int

    def all(self) -> Rules:
        """One rule for each leaf."""
        return self.leaves.on(self.block.index)

    def large(self) -> Rules:
        """One rule for each leaf that covers more samples than the limits of coverage."""
        return self.block.large[self.position]


def round_rules(
    rounds: Sequence[LeafRules], index: TrainingIndex, limits: Limits, n_words: int = WORDS_AT_ONCE
) -> Iterator[RoundRules]:
    """The rules of each round of trees, one round after the other; those of at most `n_words` are made at once."""
    # Leaves of one tree share no sample, so that few of them can be large.
    most = [min(len(of_round), len(of_round.roots) * limits.most_disjoint) for of_round in rounds]
    ends = np.cumsum(most) * index.n_words // max(n_words, 1)
    for number in np.unique(ends):
        start, stop = np.searchsorted(ends, [number, number + 1])
        block = Block(rounds[start:stop], index, limits)
        yield from (RoundRules(of_round, block, position) for position, of_round in enumerate(block.rounds))
