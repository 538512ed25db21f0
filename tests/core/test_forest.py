"""Forests made by hand: where samples go, and what leaves say."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core import forest as forest_module
from rulekit.core import nodes as nodes_module
from rulekit.core.forest import CategorySplit, Forest, Tree, to_probabilities
from rulekit.core.nodes import Nodes

quickly = settings(max_examples=100, deadline=None)


def stump(feature, threshold, left_value, right_value, **options):
    """Node 0 splits, node 1 is the left leaf, node 2 the right one."""
    return Tree(
        features=np.array([feature, -1, -1]),
        thresholds=np.array([threshold, 0.0, 0.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        values=np.array([np.zeros(len(left_value)), left_value, right_value]),
        priors=np.full((3, 2), 0.5),
        **options,
    )


def boosted(trees, link, initial, **options):
    return Forest(
        rounds=tuple(trees),
        classes=np.arange(2 if link == "logistic" else len(initial)),
        n_features=1,
        link=link,
        initial_scores=np.array(initial),
        **options,
    )


def logistic(score):
    return 1 / (1 + math.exp(-score))


def softmax(scores):
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


N_CATEGORIES = 5


def random_tree(seed, n_splits, fraction_of_categories):
    """A tree that splits a random leaf as often as asked, on thresholds or categories of one of three features."""
    rng = np.random.default_rng(seed)
    features, left, right, category_splits = [-1], [-1], [-1], {}
    for _ in range(n_splits):
        node = int(rng.choice([node for node, feature in enumerate(features) if feature < 0]))
        features[node], left[node], right[node] = int(rng.integers(3)), len(features), len(features) + 1
        features, left, right = [*features, -1, -1], [*left, -1, -1], [*right, -1, -1]
        if rng.random() < fraction_of_categories:
            codes = np.flatnonzero(rng.random(N_CATEGORIES) < 0.5).tolist()
            category_splits[node] = CategorySplit(frozenset(codes), goes_left=bool(rng.integers(2)))
    return Tree(
        features=np.array(features),
        # Whole numbers, so many samples lie at a threshold; infinite ones separate only missing values from others.
        thresholds=rng.choice([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf], len(features)),
        left=np.array(left),
        right=np.array(right),
        values=rng.normal(size=(len(features), 1)),
        priors=np.full((len(features), 2), 0.5),
        missing_left=rng.random(len(features)) < 0.5,
        category_splits=category_splits,
    )


def random_samples(seed):
    """Categories known and unknown, numbers at and between thresholds, infinities and missing values."""
    values = [-np.inf, -1.0, 0.0, 0.5, *range(1, N_CATEGORIES + 2), np.inf, np.nan]
    return np.random.default_rng(seed).choice(values, size=(60, 3))


def leaf_one_by_one(tree, sample):
    """Walks from node to node as the contract's words say."""
    node = 0
    while tree.features[node] >= 0:
        value = sample[tree.features[node]]
        if math.isnan(value):
            goes_left = tree.missing_left[node]
        elif node in tree.category_splits:
            split = tree.category_splits[node]
            goes_left = split.goes_left if value in split.codes else not split.goes_left
        else:
            goes_left = value <= tree.thresholds[node]
        node = int(tree.left[node] if goes_left else tree.right[node])
    return node


random_trees = st.builds(
    random_tree,
    seed=st.integers(0, 2**32 - 1),
    n_splits=st.integers(0, 12),
    fraction_of_categories=st.sampled_from([0.0, 0.5, 1.0]),
)


@quickly
@given(random_trees, st.integers(0, 2**32 - 1))
def test_samples_reach_the_leaves_that_a_walk_from_node_to_node_reaches(tree, seed):
    X = random_samples(seed)
    assert [leaf_one_by_one(tree, sample) for sample in X.tolist()] == tree.apply(X).tolist()


@quickly
@given(st.lists(random_trees, min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.sampled_from([1, 100, 2**15]))
def test_trees_side_by_side_are_walked_like_each_alone(trees, seed, at_once):
    X = random_samples(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes_module, "WALKS_AT_ONCE", at_once)
        patch.setattr(forest_module, "SAMPLES_AT_ONCE", 7)
        nodes = Nodes.of(trees)
        reached = [leaves - root for leaves, root in zip(nodes.leaves(X), nodes.roots, strict=True)]
        assert [[leaf_one_by_one(tree, sample) for sample in X.tolist()] for tree in trees] == np.array(
            reached
        ).tolist()
        forest = boosted([(tree,) for tree in trees], "logistic", [0.25], input_dtype=np.float64)
        scores = np.cumsum([np.full((60, 1), 0.25), *(tree.values[tree.apply(X)] for tree in trees)], axis=0)[-1]
        assert forest.probabilities(scores).tolist() == forest.predict_proba(X).tolist()


def test_a_sample_at_the_threshold_goes_left():
    assert stump(0, 1.0, [0.0], [0.0]).apply(np.array([[0.5], [1.0], [1.5]])).tolist() == [1, 1, 2]


def test_a_tree_of_one_leaf_sends_every_sample_to_it():
    leaf = Tree(np.array([-1]), np.zeros(1), np.array([-1]), np.array([-1]), np.ones((1, 2)), np.full((1, 2), 0.5))
    assert leaf.apply(np.array([[0.0], [np.nan]])).tolist() == [0, 0]


def test_no_samples_reach_no_leaf():
    assert stump(0, 1.0, [0.0], [0.0]).apply(np.empty((0, 1))).tolist() == []


def test_missing_values_go_right_unless_told_otherwise():
    tree = stump(0, 1.0, [0.0], [0.0])
    assert tree.missing_left.dtype == np.bool_
    assert tree.apply(np.array([[np.nan]])).tolist() == [2]


def test_missing_values_go_left_where_the_node_says_so():
    tree = stump(0, 1.0, [0.0], [0.0], missing_left=np.array([True, False, False]))
    assert tree.apply(np.array([[np.nan], [1.5]])).tolist() == [1, 2]


def test_an_infinite_threshold_tells_missing_from_present():
    tree = stump(0, np.inf, [0.0], [0.0])
    assert tree.apply(np.array([[-np.inf], [0.0], [np.inf], [np.nan]])).tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize(("goes_left", "expected"), [(True, [1, 2, 1, 2]), (False, [2, 1, 2, 1])])
def test_listed_categories_go_one_way_and_all_others_the_other(goes_left, expected):
    tree = stump(0, np.nan, [0.0], [0.0], category_splits={0: CategorySplit(frozenset({0, 2}), goes_left)})
    never_seen = 9.0
    assert tree.apply(np.array([[0.0], [1.0], [2.0], [never_seen]])).tolist() == expected


@pytest.mark.parametrize("goes_left", [True, False])
@pytest.mark.parametrize(("missing_left", "expected"), [(True, 1), (False, 2)])
def test_a_missing_category_goes_where_missing_values_go(goes_left, missing_left, expected):
    tree = stump(
        0,
        0.0,
        [0.0],
        [0.0],
        missing_left=np.array([missing_left, False, False]),
        category_splits={0: CategorySplit(frozenset({0, 2}), goes_left)},
    )
    assert tree.apply(np.array([[np.nan]])).tolist() == [expected]


def test_a_split_that_lists_no_category_sends_every_one_the_other_way():
    tree = stump(0, 0.0, [0.0], [0.0], category_splits={0: CategorySplit(frozenset())})
    assert tree.apply(np.array([[0.0], [1.0]])).tolist() == [2, 2]


@quickly
@given(random_trees, st.integers(0, 2**32 - 1))
def test_predictions_for_missing_values_and_categories_are_those_of_the_leaves(tree, seed):
    X = random_samples(seed)
    forest = attrs.evolve(boosted([(tree,)], "logistic", [0.25], input_dtype=np.float64), n_features=3)
    expected = [logistic(0.25 + tree.values[leaf_one_by_one(tree, sample), 0]) for sample in X.tolist()]
    np.testing.assert_allclose(forest.predict_proba(X)[:, 1], expected, rtol=1e-14)


def test_rounding_to_the_input_type_keeps_missing_values_missing():
    forest = boosted([(stump(0, 1.0, [-1.0], [1.0]),)], "logistic", [0.0])
    np.testing.assert_allclose(forest.predict_proba(np.array([[np.nan]]))[0, 1], logistic(1.0), rtol=1e-14)


def test_two_class_probabilities_are_logistic_scores():
    expected = [[1 - logistic(v), logistic(v)] for v in (-2.0, 0.0, 0.5)]
    np.testing.assert_allclose(to_probabilities(np.array([[-2.0], [0.0], [0.5]]), "logistic"), expected, rtol=1e-14)


def test_multiclass_probabilities_are_the_softmax_of_the_scores():
    scores = [[0.1, 0.2 - 2.0, 0.3], [0.0, 0.5, 0.0]]
    np.testing.assert_allclose(to_probabilities(np.array(scores), "softmax"), list(map(softmax, scores)), rtol=1e-14)


def test_bagged_trees_predict_the_mean_of_their_leaves():
    trees = ((stump(0, 0.0, [1.0, 0.0], [0.5, 0.5]),), (stump(0, 2.0, [0.0, 1.0], [0.25, 0.75]),))
    forest = Forest(rounds=trees, classes=np.arange(2), n_features=1, link="mean")
    assert forest.predict_proba(np.array([[-1], [1], [3]])).tolist() == [[0.5, 0.5], [0.25, 0.75], [0.375, 0.625]]


def test_boosted_trees_predict_with_the_sum_of_their_scores():
    trees = ((stump(0, 0.0, [-0.1], [0.1]),), (stump(0, 2.0, [-0.3], [0.3]),))
    forest = boosted(trees, "logistic", [0.25])
    expected = [logistic(0.25 + score) for score in (-0.4, -0.2, 0.4)]
    np.testing.assert_allclose(forest.predict_proba(np.array([[-1], [1], [3]]))[:, 1], expected, rtol=1e-14)


def test_all_trees_of_a_multiclass_round_count():
    trees = tuple(stump(0, 0.0, list(-row), list(row)) for row in np.diag([0.5, 1.0, 1.5]))
    forest = boosted((trees,), "softmax", [0.1, 0.2, 0.3])
    expected = [softmax([0.1 - 0.5, 0.2 - 1.0, 0.3 - 1.5]), softmax([0.1 + 0.5, 0.2 + 1.0, 0.3 + 1.5])]
    np.testing.assert_allclose(forest.predict_proba(np.array([[-1], [1]])), expected, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "expected"), [(np.float32, 1.0), (np.float64, 0.0)])
def test_samples_are_rounded_to_the_input_type_before_they_are_compared(dtype, expected):
    """0.1 in float32 is above 0.1 in float64; a value just above the latter rounds to it."""
    threshold = float(np.float32(0.1))
    just_above = np.nextafter(threshold, 1.0)
    trees = ((stump(0, threshold, [1.0, 0.0], [0.0, 1.0]),),)
    forest = Forest(rounds=trees, classes=np.arange(2), n_features=1, link="mean", input_dtype=dtype)
    assert expected == forest.predict_proba(np.array([[just_above]]))[0, 0]


@pytest.mark.parametrize("score", [-800.0, -40.0, 40.0, 800.0])
def test_probabilities_of_extreme_scores_sum_to_one(score):
    assert to_probabilities(np.array([[score], [0.0]]), "logistic").sum(axis=1).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("score", [1.0, 20.0, 40.0, 700.0])
def test_opposite_scores_have_mirrored_probabilities(score):
    """1 - s(40) is 0 in floating point, s(-40) is 4e-18: what a rule says must not turn on which class is called 1."""
    one, other = to_probabilities(np.array([[-score], [score]]), "logistic")
    np.testing.assert_allclose(one, other[::-1], rtol=1e-12)
