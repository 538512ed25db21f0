"""From trees to rules."""

import numpy as np
import pytest
from core.training_sets import sets_of
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.core.forest import Forest, Tree
from rulekit.core.index import TrainingIndex
from rulekit.core.tree_rules import leaf_rules
from rulekit.core.validation import Categories


def tree_of(features, thresholds, left, right):
    """A tree whose leaf in node k says [k, 1] before normalisation."""
    n_nodes = len(features)
    values = np.column_stack([np.arange(n_nodes), np.ones(n_nodes)]).astype(float)
    return Tree(
        features=np.array(features),
        thresholds=np.array(thresholds, dtype=float),
        left=np.array(left),
        right=np.array(right),
        values=values,
        priors=values / values.sum(axis=1, keepdims=True),
    )


def stump(threshold, feature=0):
    return tree_of([feature, -1, -1], [threshold, 0, 0], [1, -1, -1], [2, -1, -1])


def rules_of(*trees, n_features=2):
    rounds = tuple((tree,) for tree in trees)
    forest = Forest(rounds=rounds, classes=np.arange(2), n_features=n_features, link="mean")
    conditions, leaves = leaf_rules(forest, [f"x{k}" for k in range(n_features)])

    def as_string(row):
        return f"x{conditions.features[row]} {'<=' if conditions.is_upper[row] else '>'} {conditions.thresholds[row]:g}"

    pad = len(conditions)
    return conditions, [
        [sorted(as_string(c) for c in row if c != pad) for row in part.antecedents.tolist()] for part in leaves
    ]


def test_a_stump_gives_its_two_sides_from_left_to_right():
    assert rules_of(stump(1.0))[1] == [[["x0 <= 1"], ["x0 > 1"]]]


def test_paths_collect_every_condition_on_the_way():
    """Node 0 splits x0 at 1; its right child splits x1 at 2."""
    tree = tree_of([0, -1, 1, -1, -1], [1, 0, 2, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    assert rules_of(tree)[1] == [[["x0 <= 1"], ["x0 > 1", "x1 <= 2"], ["x0 > 1", "x1 > 2"]]]


def test_leaves_stand_from_left_to_right_whatever_their_numbers():
    """The left child has the larger number."""
    tree = tree_of([0, -1, -1], [1, 0, 0], [2, -1, -1], [1, -1, -1])
    assert rules_of(tree)[1] == [[["x0 <= 1"], ["x0 > 1"]]]


def test_priors_are_those_of_the_leaves_in_the_same_order():
    tree = tree_of([0, -1, -1], [1, 0, 0], [2, -1, -1], [1, -1, -1])
    forest = Forest(rounds=((tree,),), classes=np.arange(2), n_features=1, link="mean")
    _, leaves = leaf_rules(forest, ["a"])
    np.testing.assert_allclose(leaves[0].priors, [[2 / 3, 1 / 3], [1 / 2, 1 / 2]], rtol=1e-15)


def test_a_split_that_several_trees_share_is_one_pair_of_conditions():
    conditions, _ = rules_of(stump(1.0), stump(1.0), stump(2.0))
    assert len(conditions) == 4


def test_the_same_threshold_on_another_feature_is_another_split():
    conditions, _ = rules_of(stump(1.0, 0), stump(1.0, 1))
    assert len(conditions) == 4


def test_zero_and_minus_zero_are_one_split():
    conditions, _ = rules_of(stump(0.0), stump(-0.0))
    assert len(conditions) == 2


def test_a_threshold_of_minus_zero_is_written_without_its_sign():
    """Text order would otherwise put `x > -0.000` elsewhere than `x > 0.000`."""
    conditions, _ = rules_of(stump(-0.0))
    assert not np.signbit(conditions.thresholds).any()


def test_a_condition_met_twice_on_a_path_is_there_once():
    """Both nodes split x0 at 1, so that the inner right leaf can never be reached."""
    tree = tree_of([0, 0, -1, -1, -1], [1, 1, 0, 0, 0], [1, 3, -1, -1, -1], [2, 4, -1, -1, -1])
    assert rules_of(tree)[1] == [[["x0 <= 1"], ["x0 <= 1", "x0 > 1"], ["x0 > 1"]]]


def test_a_tree_without_a_split_gives_a_rule_without_conditions():
    leaf = tree_of([-1], [0], [-1], [-1])
    assert rules_of(leaf, stump(1.0))[1] == [[[]], [["x0 <= 1"], ["x0 > 1"]]]


def test_a_very_deep_tree_is_no_problem():
    """A chain of 1100 splits, deeper than Python's own stack."""
    depth = 1100
    inner = np.arange(depth) * 2
    features, left, right = np.full(2 * depth + 1, -1), np.full(2 * depth + 1, -1), np.full(2 * depth + 1, -1)
    features[inner], left[inner], right[inner] = 0, inner + 1, inner + 2
    _, rules = rules_of(tree_of(features, np.arange(2 * depth + 1), left, right))
    assert [*range(1, depth + 1), depth] == [len(path) for path in rules[0]]


def test_trees_of_one_round_are_one_group():
    """Their leaves overlap, and so do not those of a tree that is a round by itself."""
    rounds = ((stump(1.0), stump(2.0, 1)), (stump(3.0),))
    forest = Forest(rounds=rounds, classes=np.arange(2), n_features=2, link="mean")
    _, leaves = leaf_rules(forest, ["a", "b"])
    assert [part.groups.tolist() for part in leaves] == [[0, 0, 0, 0], [0, 1]]


@pytest.mark.parametrize("unknown_as_missing", [True, False])
def test_conditions_compare_and_name_categories_as_the_forest_does(unknown_as_missing):
    forest = Forest(
        rounds=((stump(1.0),),),
        classes=np.arange(2),
        n_features=2,
        link="mean",
        input_dtype=np.float64,
        categories={1: ("blue", "red")},
        unknown_as_missing=unknown_as_missing,
    )
    conditions, _ = leaf_rules(forest, ["a", "b"])
    assert (conditions.input_dtype, conditions.categories) == (
        np.float64,
        Categories({1: ("blue", "red")}, unknown_as_missing, missing_dtype=np.float64),
    )


def test_conditions_compare_in_single_precision_where_the_forest_does():
    assert rules_of(stump(1.0))[0].input_dtype == np.float32


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    conditions, leaves = leaf_rules(SklearnForestAdapter().forest(model), list("abcd"))
    return X, y, model, leaves, TrainingIndex(X, y, conditions, 3)


def test_rules_on_the_index_count_the_samples_of_the_librarys_leaves(iris):
    X, y, model, leaves, index = iris
    for tree, part in zip(model.estimators_, leaves, strict=True):
        reached = tree.apply(X)
        expected = sorted(np.bincount(y[reached == leaf], minlength=3).tolist() for leaf in np.unique(reached))
        counted = part.on(index).counts
        assert expected == sorted(counted[counted.any(axis=1)].tolist())


def test_a_rules_class_is_that_of_its_prior(iris):
    *_, leaves, index = iris
    rules = leaves[0].on(index)
    assert rules.priors.argmax(axis=1).tolist() == rules.classes.tolist()


def test_rules_of_different_groups_share_no_sample(iris):
    *_, leaves, index = iris
    assert leaves[0].on(index).groups.tolist() == [*range(len(leaves[0].groups))]
    samples = index.samples(leaves[0].on(index).bits)
    assert [1] * index.n_samples == samples.sum(axis=0).tolist()


def test_rules_keep_their_antecedents_on_the_index(iris):
    *_, leaves, index = iris
    expected = [frozenset(row) - {index.pad} for row in leaves[0].antecedents.tolist()]
    assert expected == sets_of(leaves[0].on(index), index.pad)
