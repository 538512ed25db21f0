"""From trees to rules: one rule per leaf, left to right."""

from collections.abc import Sequence
from itertools import zip_longest

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.forest import Forest, Tree
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules, tidy


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


def leaf_rules(forest: Forest, feature_names: Sequence[str]) -> tuple[Conditions, list[LeafRules]]:
    """Every condition of a forest, and the rules of each of its rounds."""
    trees = [tree for trees in forest.rounds for tree in trees]
    features = np.concatenate([tree.features for tree in trees])
    # Adding 0 turns -0 into 0: the two split alike and must be one condition.
    thresholds = np.concatenate([tree.thresholds for tree in trees]) + 0.0
    inner = np.flatnonzero(features >= 0)
    splits, which = np.unique(np.column_stack([features[inner], thresholds[inner]]), axis=0, return_inverse=True)
    conditions, at_most, above = Conditions.in_text_order(
        splits[:, 0].astype(np.int64), splits[:, 1], feature_names, forest.input_dtype
    )
    ids = np.full((2, len(features)), -1)
    ids[:, inner] = at_most[which], above[which]

    rounds, start = [], 0
    for position, trees_of_round in enumerate(forest.rounds):
        paths: list[list[int]] = []
        priors = []
        for tree in trees_of_round:
            stop = start + len(tree.features)
            leaves, tree_paths = leaf_paths(tree, ids[0, start:stop], ids[1, start:stop])
            paths += tree_paths
            priors.append(forest.leaf_priors(tree, leaves, first_round=position == 0))
            start = stop
        groups = np.arange(len(paths)) if len(trees_of_round) == 1 else np.zeros(len(paths), dtype=np.int64)
        rounds.append(LeafRules(_padded(paths, len(conditions)), np.concatenate(priors), groups))
    return conditions, rounds


def leaf_paths(tree: Tree, at_most: IntArray, above: IntArray) -> tuple[IntArray, list[list[int]]]:
    """Leaves from left to right, and the condition ids on the way to each.

    Parameters
    ----------
    tree : Tree
    at_most, above : ndarray of shape (n_nodes,)
        Ids of the conditions that lead from a node to its left and to its right child.
    """
    features, left, right = tree.features.tolist(), tree.left.tolist(), tree.right.tolist()
    goes_left, goes_right = at_most.tolist(), above.tolist()
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
