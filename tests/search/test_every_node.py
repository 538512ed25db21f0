"""Antecedents of inner nodes and leaves, against a walk down each tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.test_leaves import stump, tree_of
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier

from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.core.forest import Forest
from rulekit.core.node_antecedents import node_antecedents, shallow_antecedents
from rulekit.core.tree_rules import leaf_rules
from rulekit.model import find_adapter


def paths_below(tree, node=0, bounds=(), deepest=99):
    """The tightest bounds that lead to every node but the root: {(feature, is_upper): threshold} as a set."""
    found = [frozenset(dict(bounds).items())] if bounds else []
    if tree.features[node] < 0 or not deepest:
        return found
    feature, threshold = int(tree.features[node]), float(tree.thresholds[node])
    for child, is_upper in ((tree.left[node], True), (tree.right[node], False)):
        tightest = dict(bounds)
        now = tightest.get((feature, is_upper), threshold)
        tightest[feature, is_upper] = min(now, threshold) if is_upper else max(now, threshold)
        found += paths_below(tree, child, tuple(tightest.items()), deepest - 1)
    return found


def antecedents_of(forest):
    """What comes out, as sets of bounds, and the array itself."""
    conditions, _ = leaf_rules(forest, [f"x{position}" for position in range(forest.n_features)])
    ids = node_antecedents(forest, conditions)
    return as_bounds(ids, conditions), ids


def as_bounds(ids, conditions):
    bounds = [
        ((int(feature), bool(is_upper)), float(threshold))
        for feature, is_upper, threshold in zip(
            conditions.features, conditions.is_upper, conditions.thresholds, strict=True
        )
    ]
    return [frozenset(bounds[position] for position in row if position != len(conditions)) for row in ids.tolist()]


def forest_of(*trees):
    return Forest(rounds=tuple((tree,) for tree in trees), classes=np.arange(2), n_features=2, link="mean")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from([1, 2, 4, None]))
def test_every_node_but_the_roots_is_there_once_with_its_tightest_bounds(seed, n_trees, depth):
    X, y = make_classification(50, 4, random_state=seed)
    model = ExtraTreesClassifier(n_trees, max_depth=depth, random_state=seed).fit(X, y)
    forest = SklearnForestAdapter().forest(model)
    found, ids = antecedents_of(forest)
    expected = {path for (tree,) in forest.rounds for path in paths_below(tree)}
    assert expected == set(found)
    assert len(expected) == len(found)
    assert sorted(ids.tolist()) == ids.tolist()


def test_a_node_that_two_trees_share_is_there_once():
    found, _ = antecedents_of(forest_of(stump(1.0), stump(1.0)))
    assert {frozenset({((0, True), 1.0)}), frozenset({((0, False), 1.0)})} == set(found)
    assert len(found) == 2


def test_trees_without_a_split_have_no_antecedents():
    leaf = tree_of([-1], [0], [-1], [-1])
    found, ids = antecedents_of(forest_of(leaf, leaf))
    assert (found, len(ids)) == ([], 0)


def test_a_tree_without_a_split_beside_one_that_has_some_adds_nothing():
    leaf = tree_of([-1], [0], [-1], [-1])
    assert antecedents_of(forest_of(stump(1.0)))[0] == antecedents_of(forest_of(leaf, stump(1.0)))[0]


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, GradientBoostingClassifier])
@pytest.mark.parametrize("max_depth", [1, 2, 9])
def test_shallow_nodes_are_those_of_a_walk_that_stops_each_in_the_first_round_that_has_it(kind, max_depth):
    X, y = make_classification(80, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1)
    forest = find_adapter(kind()).forest(kind(n_estimators=6, max_depth=4, random_state=1).fit(X, y))
    conditions, _ = leaf_rules(forest, list("abcd"))
    earlier = set()
    for trees, ids in zip(forest.rounds, shallow_antecedents(forest, conditions, max_depth), strict=True):
        walked = {path for tree in trees for path in paths_below(tree, deepest=max_depth)} - earlier
        found = as_bounds(ids, conditions)
        assert walked == set(found)
        assert len(walked) == len(found)
        earlier |= walked


def test_trees_without_a_split_have_no_shallow_nodes():
    leaf = tree_of([-1], [0], [-1], [-1])
    forest = forest_of(leaf, stump(1.0), leaf)
    conditions, _ = leaf_rules(forest, ["a", "b"])
    assert [len(ids) for ids in shallow_antecedents(forest, conditions, 3)] == [0, 2, 0]
