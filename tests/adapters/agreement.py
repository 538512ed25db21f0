"""The three ways in which a forest must agree with the model that it was read from."""

import numpy as np
from adapters.library import leaves_from_left_to_right, library_leaves, library_trees, samples_around_thresholds

from rulekit.core.conditions import match
from rulekit.core.tree_rules import leaf_rules


def assert_same_probabilities(model, forest, X):
    X = samples_around_thresholds(model, X)
    np.testing.assert_allclose(forest.predict_proba(X), model.predict_proba(X), rtol=1e-10, atol=1e-13)


def assert_same_leaves(model, forest, X):
    X = samples_around_thresholds(model, X)
    rounded = X.astype(forest.input_dtype).astype(np.float64)
    trees = [tree for trees in forest.rounds for tree in trees]
    for expected, tree in zip(library_leaves(model, X), trees, strict=True):
        np.testing.assert_array_equal(expected, tree.apply(rounded))


def assert_rules_are_the_leaves(model, forest, X):
    """Each sample satisfies one rule of each tree: that of the leaf which the library sends it to."""
    X = samples_around_thresholds(model, X)
    conditions, rounds = leaf_rules(forest, [f"x{column}" for column in range(forest.n_features)])
    antecedents = [
        [condition for condition in row if condition < len(conditions)]
        for leaves in rounds
        for row in leaves.antecedents.tolist()
    ]
    matches = match(conditions, antecedents, X)
    start = 0
    for (estimator, _), reached in zip(library_trees(model), library_leaves(model, X), strict=True):
        nodes = np.array(leaves_from_left_to_right(estimator))
        expected = nodes[:, None] == reached
        np.testing.assert_array_equal(expected, matches[start : start + len(nodes)])
        start += len(nodes)
    assert start == len(antecedents)
