"""From trees to rules: one rule per leaf, left to right."""

from collections.abc import Sequence
from itertools import zip_longest

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.categories import Categories
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.forest import Forest, Tree
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules, tidy
from rulekit.search.sets import close_under_intersection, merge_sets


@attrs.frozen(eq=False)
class LeafRules:
    """The rules of one round of trees, before any record is looked at.

    Attributes
    ----------
    antecedents : ndarray of shape (n_leaves, width)
        Condition ids, padded with the number of conditions.
    priors : ndarray of shape (n_leaves, n_classes)
    groups : ndarray of shape (n_leaves,)
        Leaves of different groups share no record; all 0 when several trees form the round.
    """

    antecedents: IntArray
    priors: FloatArray
    groups: IntArray

    def on(self, index: TrainingIndex) -> Rules:
        """The same rules, with their training records."""
        return Rules.of(self.antecedents, self.priors, self.priors.argmax(axis=1), index, self.groups)


def leaf_rules(
    forest: Forest, feature_names: Sequence[str], missing_features: frozenset[int] = frozenset()
) -> tuple[Conditions, list[LeafRules]]:
    """Every condition of a forest, and the rules of each of its rounds.

    Where missing values go is part of a condition only for features that have some.
    """
    trees = [tree for trees in forest.rounds for tree in trees]
    keys: dict[ConditionKey, int] = {}
    ways = [_ways(tree, missing_features, keys) for tree in trees]
    listed = list(keys) + close_under_intersection(keys)
    categories = Categories(forest.categories, forest.unknown_as_missing)
    conditions, ids = Conditions.in_text_order(listed, feature_names, forest.input_dtype, categories, missing_features)
    ids = np.append(ids, len(conditions))  # where the -1 of leaves, which lead nowhere, can point to
    rounds, start = [], 0
    for trees_of_round in forest.rounds:
        paths: list[list[int]] = []
        priors = []
        for tree, (at_left, at_right) in zip(trees_of_round, ways[start:], strict=False):
            leaves, tree_paths = leaf_paths(tree, ids[at_left], ids[at_right])
            paths += tree_paths
            priors.append(tree.priors[leaves])
        start += len(trees_of_round)
        groups = np.arange(len(paths)) if len(trees_of_round) == 1 else np.zeros(len(paths), dtype=np.int64)
        antecedents = merge_sets(_padded(paths, len(conditions)), conditions)
        rounds.append(LeafRules(antecedents, np.concatenate(priors), groups))
    return conditions, rounds


def _ways(tree: Tree, missing_features: frozenset[int], keys: dict[ConditionKey, int]) -> tuple[IntArray, IntArray]:
    """Numbers of the conditions to the left and to the right of each node; new conditions are added to `keys`."""
    ways = np.full((2, len(tree.features)), -1)
    # Adding 0 turns -0 into 0: the two split alike and must be one condition.
    thresholds = (tree.thresholds + 0.0).tolist()
    missing_left = tree.missing_left.tolist()
    for node, feature in enumerate(tree.features.tolist()):
        if feature < 0:
            continue
        split = tree.category_splits.get(node)
        threshold, codes = (thresholds[node], None) if split is None else (0.0, split.codes)
        left_is_upper = split is None or split.goes_left
        may_be_missing = feature in missing_features
        for side, is_left in enumerate((True, False)):
            holds_missing = may_be_missing and missing_left[node] == is_left
            key = ConditionKey(feature, left_is_upper == is_left, threshold, codes, holds_missing)
            ways[side, node] = keys.setdefault(key, len(keys))
    return ways[0], ways[1]


def leaf_paths(tree: Tree, at_left: IntArray, at_right: IntArray) -> tuple[IntArray, list[list[int]]]:
    """Leaves from left to right, and the condition ids on the way to each.

    Parameters
    ----------
    tree : Tree
    at_left, at_right : ndarray of shape (n_nodes,)
        Ids of the conditions that lead from a node to its left and to its right child.
    """
    features, left, right = tree.features.tolist(), tree.left.tolist(), tree.right.tolist()
    goes_left, goes_right = at_left.tolist(), at_right.tolist()
    leaves, paths = [], []
    stack: list[tuple[int, list[int]]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        if features[node] < 0:
            leaves.append(node)
            paths.append(path)
        else:
            stack.append((right[node], [*path, goes_right[node]]))
            stack.append((left[node], [*path, goes_left[node]]))
    return np.array(leaves), paths


def _padded(paths: list[list[int]], pad: int) -> IntArray:
    columns = list(zip_longest(*paths, fillvalue=pad))
    return tidy(np.array(columns, dtype=np.int64).reshape(-1, len(paths)).T, pad)
