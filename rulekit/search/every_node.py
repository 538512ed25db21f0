"""From trees to antecedents: one per node, inner ones too."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.forest import Forest
from rulekit.core.rules import tidy
from rulekit.search.nodes import Nodes
from rulekit.search.redundant import drop_redundant
from rulekit.search.sets import merge_sets
from rulekit.search.splits import conditions_of


def node_antecedents(forest: Forest, conditions: Conditions) -> IntArray:
    """What leads to each node of a forest but the roots, without redundant conditions, each antecedent once.

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
    trees = [tree for trees in forest.rounds for tree in trees]
    nodes, pad = Nodes.of(trees), len(conditions)
    keys, at_left, at_right = conditions_of(trees, nodes, conditions.missing_features)
    id_of = {conditions.key(condition): condition for condition in range(pad)}
    ids = np.array([*(id_of[key] for key in keys), pad])
    levels = _paths_by_level(nodes, ids[at_left], ids[at_right])
    deepest = levels[-1].shape[1]
    paths = [np.pad(level, ((0, 0), (0, deepest - level.shape[1])), constant_values=pad) for level in levels]
    antecedents = drop_redundant(merge_sets(tidy(np.concatenate(paths), pad), conditions), conditions)
    return np.unique(antecedents, axis=0)


def _paths_by_level(nodes: Nodes, at_left: IntArray, at_right: IntArray) -> list[IntArray]:
    """Condition ids from the root down to each node, of shape (n_nodes, depth) for every depth from 0 on."""
    here, paths = nodes.roots, np.empty((len(nodes.roots), 0), dtype=np.int64)
    levels = [paths[:0]]
    while (is_inner := nodes.features[here] >= 0).any():
        inner, above = here[is_inner], paths[is_inner]
        here = np.concatenate([nodes.left[inner], nodes.right[inner]])
        paths = np.column_stack([np.concatenate([above, above]), np.concatenate([at_left[inner], at_right[inner]])])
        levels.append(paths)
    return levels
