"""Rules of a forest, asked about samples that may have gaps."""

import numpy as np

from rulekit.core.conditions import match
from rulekit.core.tree_rules import leaf_rules


def assert_rules_are_the_leaves_reached(forest, reached, X):
    """Each sample satisfies one rule of each tree: that of the leaf which the library sends it to.

    `reached` has one array of shape (n_samples,) for each tree; `X` holds categories as codes.
    """
    names = [f"x{column}" for column in range(forest.n_features)]
    conditions, rounds = leaf_rules(forest, names, missing_features=frozenset(range(forest.n_features)))
    rows = [row for leaves in rounds for row in leaves.antecedents.tolist()]
    antecedents = [[condition for condition in row if condition < len(conditions)] for row in rows]
    expected = [
        leaf == leaves
        for tree, leaves in zip((tree for trees in forest.rounds for tree in trees), reached, strict=True)
        for leaf in _leaves_from_left_to_right(tree)
    ]
    np.testing.assert_array_equal(np.array(expected), match(conditions, antecedents, X))


def _leaves_from_left_to_right(tree, node=0):
    if tree.features[node] < 0:
        return [node]
    left, right = int(tree.left[node]), int(tree.right[node])
    return _leaves_from_left_to_right(tree, left) + _leaves_from_left_to_right(tree, right)
