"""The antecedents of all nodes of a forest, inner ones too: candidates for methods that look beyond the leaves."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.conditions import Conditions, drop_redundant, tidy
from rulekit.core.forest import Forest
from rulekit.core.nodes import Nodes
from rulekit.core.set_intersections import merge_sets
from rulekit.core.tree_rules import conditions_of


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
