"""From the trees of a forest to rules: the conditions of every split, and the antecedent of every leaf and node."""

from collections.abc import Sequence

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import ConditionKey, Conditions, drop_redundant, tidy
from rulekit.core.forest import Forest, Tree
from rulekit.core.index import TrainingIndex
from rulekit.core.nodes import LeafPaths, Nodes
from rulekit.core.rules import Rules
from rulekit.core.set_intersections import close_under_intersection, merge_sets
from rulekit.core.validation import Categories

# Where missing values of a feature go, if it has any.
NOWHERE, LEFT, RIGHT = range(3)


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
    _number_thresholds(nodes, missing_features, numbers, ways)
    return list(numbers), ways[0], ways[1]


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
    nodes: Nodes, missing_features: frozenset[int], numbers: dict[ConditionKey, int], ways: IntArray
) -> None:
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
    positions = np.empty((2, len(distinct)), dtype=np.int64)
    for position, (kind, threshold) in enumerate(zip(distinct.real.tolist(), distinct.imag.tolist(), strict=True)):
        feature, goes = divmod(int(kind), 3)
        for side, (is_upper, direction) in enumerate(((True, LEFT), (False, RIGHT))):
            key = ConditionKey(feature, is_upper, threshold, None, goes == direction)
            positions[side, position] = numbers.setdefault(key, len(numbers))
    ways[:, here] = positions[:, which]


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
        return tidy(merge_sets(paths, self.conditions), pad)

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
    listed = keys + close_under_intersection(keys)
    categories = Categories(forest.categories, forest.unknown_as_missing, forest.missing_value)
    conditions, ids = Conditions.in_string_order(
        listed, feature_names, forest.input_dtype, categories, missing_features
    )
    pad = len(conditions)
    ids = np.append(ids, pad)  # what the -1 of leaves, which have no children, refers to
    paths = nodes.leaf_paths(ids[at_left], ids[at_right], nothing=pad)
    priors = np.concatenate([tree.priors for tree in trees])[paths.leaves]

    rounds, first = [], 0
    for trees_of_round in forest.rounds:
        last = first + len(trees_of_round)
        start, stop = int(paths.starts[first]), int(paths.starts[last])
        groups = np.arange(stop - start) if len(trees_of_round) == 1 else np.zeros(stop - start, dtype=np.int64)
        rounds.append(LeafRules(paths, conditions, start, nodes.roots[first:last], priors[start:stop], groups))
        first = last
    return conditions, rounds


def node_antecedents(forest: Forest, conditions: Conditions) -> IntArray:
    """Distinct antecedents of all nodes of a forest except the roots, without redundant conditions.

    Parameters
    ----------
    forest : Forest
    conditions : Conditions
        Of the same forest, as `leaf_rules` lists them.

    Returns
    -------
    antecedents : ndarray of shape (n_antecedents, width)
        Condition ids, padded with the number of conditions; rows ascend.
    """
    antecedents, _ = _antecedents_of_nodes(forest, conditions)
    return np.unique(antecedents, axis=0)


def shallow_antecedents(forest: Forest, conditions: Conditions, max_depth: int) -> list[IntArray]:
    """For each round of trees, the antecedents of its nodes below the roots, down to a depth, that no earlier one has.

    Parameters
    ----------
    forest, conditions
        See `node_antecedents`.
    max_depth : int
        The children of a root have depth 1.

    Returns
    -------
    antecedents : list of ndarrays of shape (n_antecedents, width)
        As those of `node_antecedents`.
    """
    antecedents, trees = _antecedents_of_nodes(forest, conditions, max_depth)
    rounds = np.repeat(np.arange(len(forest.rounds)), [len(trees_of_round) for trees_of_round in forest.rounds])[trees]
    # Sorted by round, the first of several equal antecedents is that of the first round.
    order = np.argsort(rounds, kind="stable")
    distinct, first = np.unique(antecedents[order], axis=0, return_index=True)
    return [distinct[rounds[order][first] == number] for number in range(len(forest.rounds))]


def _antecedents_of_nodes(
    forest: Forest, conditions: Conditions, max_depth: int | None = None
) -> tuple[IntArray, IntArray]:
    """Antecedents of all nodes but the roots, level by level, and the tree of each; without redundant conditions."""
    trees = [tree for trees in forest.rounds for tree in trees]
    nodes, pad = Nodes.of(trees), len(conditions)
    keys, at_left, at_right = conditions_of(trees, nodes, conditions.missing_features)
    id_of = {conditions.key(condition): condition for condition in range(pad)}
    ids = np.array([*(id_of[key] for key in keys), pad])
    levels, owners = _paths_by_level(nodes, ids[at_left], ids[at_right], max_depth)
    deepest = levels[-1].shape[1]
    paths = [np.pad(level, ((0, 0), (0, deepest - level.shape[1])), constant_values=pad) for level in levels]
    # `tidy` drops columns, never rows.
    return drop_redundant(merge_sets(tidy(np.concatenate(paths), pad), conditions), conditions), np.concatenate(owners)


def _paths_by_level(
    nodes: Nodes, at_left: IntArray, at_right: IntArray, max_depth: int | None
) -> tuple[list[IntArray], list[IntArray]]:
    """Condition ids from the root down to each node, of shape (n_nodes, depth) for every depth from 0 on; their trees.

    The roots are left out: depth 0 has no node.
    """
    here, owner = nodes.roots, np.arange(len(nodes.roots))
    paths = np.empty((len(here), 0), dtype=np.int64)
    levels, owners = [paths[:0]], [owner[:0]]
    while (is_inner := nodes.features[here] >= 0).any() and (max_depth is None or len(levels) <= max_depth):
        inner, above = here[is_inner], paths[is_inner]
        here = np.concatenate([nodes.left[inner], nodes.right[inner]])
        paths = np.column_stack([np.concatenate([above, above]), np.concatenate([at_left[inner], at_right[inner]])])
        owner = np.concatenate([owner[is_inner], owner[is_inner]])
        levels.append(paths)
        owners.append(owner)
    return levels, owners
