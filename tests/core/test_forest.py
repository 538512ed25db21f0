"""Forests made by hand: where records go, and what leaves say."""

import math

import numpy as np
import pytest

from rulekit.core.forest import Forest, Tree


def stump(feature, threshold, left_value, right_value):
    """Node 0 splits, node 1 is the left leaf, node 2 the right one."""
    return Tree(
        features=np.array([feature, -1, -1]),
        thresholds=np.array([threshold, 0.0, 0.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        values=np.array([np.zeros(len(left_value)), left_value, right_value]),
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


LEAVES = np.array([1, 2])


def test_a_record_at_the_threshold_goes_left():
    assert stump(0, 1.0, [0.0], [0.0]).apply(np.array([[0.5], [1.0], [1.5]])).tolist() == [1, 1, 2]


def test_a_tree_of_one_leaf_sends_every_record_to_it():
    leaf = Tree(np.array([-1]), np.zeros(1), np.array([-1]), np.array([-1]), np.ones((1, 2)))
    assert leaf.apply(np.zeros((2, 1))).tolist() == [0, 0]


def test_no_records_reach_no_leaf():
    assert stump(0, 1.0, [0.0], [0.0]).apply(np.empty((0, 1))).tolist() == []


def test_two_class_priors_are_logistic_scores_with_the_initial_score_in_the_first_round():
    forest = boosted([], "logistic", [0.25])
    priors = forest.leaf_priors(stump(0, 0.0, [-2.0], [0.5]), LEAVES, first_round=True)
    expected = [[1 - logistic(v + 0.25), logistic(v + 0.25)] for v in (-2.0, 0.5)]
    np.testing.assert_allclose(priors, expected, rtol=1e-14)


def test_two_class_priors_of_later_rounds_leave_the_initial_score_out():
    forest = boosted([], "logistic", [0.25])
    priors = forest.leaf_priors(stump(0, 0.0, [-2.0], [0.5]), LEAVES, first_round=False)
    expected = [[1 - logistic(v), logistic(v)] for v in (-2.0, 0.5)]
    np.testing.assert_allclose(priors, expected, rtol=1e-14)


def test_the_learning_rate_does_not_touch_priors():
    forest = boosted([], "logistic", [0.25], learning_rate=0.01)
    priors = forest.leaf_priors(stump(0, 0.0, [-2.0], [0.5]), LEAVES, first_round=True)
    np.testing.assert_allclose(priors[:, 1], [logistic(-1.75), logistic(0.75)], rtol=1e-14)


def test_shrunken_priors_scale_the_leaf_but_not_the_initial_score():
    forest = boosted([], "logistic", [0.25], prior_scale=0.1)
    priors = forest.leaf_priors(stump(0, 0.0, [-2.0], [0.5]), LEAVES, first_round=True)
    np.testing.assert_allclose(priors[:, 1], [logistic(-0.2 + 0.25), logistic(0.05 + 0.25)], rtol=1e-14)


def test_multiclass_priors_are_the_softmax_of_a_score_at_the_trees_class():
    forest = boosted([], "softmax", [0.1, 0.2, 0.3])
    tree = stump(0, 0.0, [0.0, -2.0, 0.0], [0.0, 0.5, 0.0])
    expected = [softmax([0.1, 0.2 + v, 0.3]) for v in (-2.0, 0.5)]
    np.testing.assert_allclose(forest.leaf_priors(tree, LEAVES, first_round=True), expected, rtol=1e-14)


def test_multiclass_priors_of_later_rounds_leave_the_initial_scores_out():
    forest = boosted([], "softmax", [0.1, 0.2, 0.3])
    tree = stump(0, 0.0, [0.0, -2.0, 0.0], [0.0, 0.5, 0.0])
    expected = [softmax([0.0, v, 0.0]) for v in (-2.0, 0.5)]
    np.testing.assert_allclose(forest.leaf_priors(tree, LEAVES, first_round=False), expected, rtol=1e-14)


def test_priors_of_bagged_trees_are_normalised_leaf_values():
    forest = Forest(rounds=(), classes=np.arange(2), n_features=1, link="mean")
    priors = forest.leaf_priors(stump(0, 0.0, [1.0, 3.0], [2.0, 0.0]), LEAVES, first_round=True)
    assert priors.tolist() == [[0.25, 0.75], [1.0, 0.0]]


def test_bagged_trees_predict_the_mean_of_their_leaves():
    trees = ((stump(0, 0.0, [1.0, 0.0], [0.5, 0.5]),), (stump(0, 2.0, [0.0, 1.0], [0.25, 0.75]),))
    forest = Forest(rounds=trees, classes=np.arange(2), n_features=1, link="mean")
    assert forest.predict_proba(np.array([[-1], [1], [3]])).tolist() == [[0.5, 0.5], [0.25, 0.75], [0.375, 0.625]]


def test_boosted_trees_predict_with_shrunken_scores():
    trees = ((stump(0, 0.0, [-1.0], [1.0]),), (stump(0, 2.0, [-3.0], [3.0]),))
    forest = boosted(trees, "logistic", [0.25], learning_rate=0.1)
    expected = [logistic(0.25 + 0.1 * score) for score in (-4.0, -2.0, 4.0)]
    np.testing.assert_allclose(forest.predict_proba(np.array([[-1], [1], [3]]))[:, 1], expected, rtol=1e-14)


def test_all_trees_of_a_multiclass_round_count():
    trees = tuple(stump(0, 0.0, list(-row), list(row)) for row in np.diag([1.0, 2.0, 3.0]))
    forest = boosted((trees,), "softmax", [0.1, 0.2, 0.3], learning_rate=0.5)
    expected = [softmax([0.1 - 0.5, 0.2 - 1.0, 0.3 - 1.5]), softmax([0.1 + 0.5, 0.2 + 1.0, 0.3 + 1.5])]
    np.testing.assert_allclose(forest.predict_proba(np.array([[-1], [1]])), expected, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "expected"), [(np.float32, 1.0), (np.float64, 0.0)])
def test_records_are_rounded_to_the_input_type_before_they_are_compared(dtype, expected):
    """0.1 in float32 is above 0.1 in float64; a value just above the latter rounds to it."""
    threshold = float(np.float32(0.1))
    just_above = np.nextafter(threshold, 1.0)
    trees = ((stump(0, threshold, [1.0, 0.0], [0.0, 1.0]),),)
    forest = Forest(rounds=trees, classes=np.arange(2), n_features=1, link="mean", input_dtype=dtype)
    assert expected == forest.predict_proba(np.array([[just_above]]))[0, 0]


@pytest.mark.parametrize("score", [-800.0, -40.0, 40.0, 800.0])
def test_priors_of_extreme_scores_sum_to_one(score):
    priors = boosted([], "logistic", [0.0]).leaf_priors(stump(0, 0.0, [score], [0.0]), LEAVES, first_round=True)
    assert priors.sum(axis=1).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("score", [1.0, 20.0, 40.0, 700.0])
def test_opposite_scores_have_mirrored_priors(score):
    """1 - s(40) is 0 in floating point, s(-40) is 4e-18: what a rule says must not turn on which class is called 1."""
    tree = stump(0, 0.0, [-score], [score])
    one, other = boosted([], "logistic", [0.0]).leaf_priors(tree, LEAVES, first_round=True)
    np.testing.assert_allclose(one, other[::-1], rtol=1e-12)
