"""Class distributions of single nodes, as the arrays of a tree give them."""

from types import SimpleNamespace

import numpy as np

from rulekit.adapters.sklearn_trees import class_fractions


def tree_of(counts):
    """What matters of a tree classifier: one row of class weights for each node."""
    return SimpleNamespace(tree_=SimpleNamespace(value=np.array(counts, dtype=float)[:, None, :]))


def test_fractions_are_normalised_weights():
    fractions = class_fractions(tree_of([[1, 3], [2, 0]]), np.arange(2), 2)
    assert fractions.tolist() == [[0.25, 0.75], [1.0, 0.0]]


def test_fractions_are_in_the_columns_of_the_ensemble():
    fractions = class_fractions(tree_of([[1, 3], [2, 0]]), np.array([2, 0]), 4)
    assert fractions.tolist() == [[0.75, 0.0, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]]
