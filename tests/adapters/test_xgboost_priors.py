"""What the rules of XGBoost's leaves say before any sample is counted."""

import math

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, leaf_priors, leaf_scores, read, samples, stored_model, xgboost

# Stored scores are float32 numbers, and so was the division that shrank them.
CLOSE = {"rtol": 1e-6}


def two_classes(**parameters):
    return xgboost.XGBClassifier(**SMALL, **parameters).fit(*samples())


def three_classes(**parameters):
    return xgboost.XGBClassifier(**SMALL, **parameters).fit(*samples(n_classes=3))


def logistic(scores):
    return [1 / (1 + math.exp(-score)) for score in scores]


def softmax(scores):
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


def scores_of(model, position):
    """Stored scores of a tree that has some splits."""
    scores = leaf_scores(stored_model(model)["trees"][position])
    assert len(scores) > 1
    return scores


def second_class(model, round_, scores="raw"):
    """The second class's priors of the one tree of a round."""
    (tree,) = read(model, scores).rounds[round_]
    return [prior[1] for prior in leaf_priors(tree)]


def test_a_stump_whose_scores_are_computed_by_hand():
    """Gradients of 0.5 and -0.5, hessians of 0.25 each, lambda 1: scores -G / (H + 1) = -/+ 5 / 3.5."""
    X, y = np.repeat([0.0, 1.0], 10)[:, None], np.repeat([0, 1], 10)
    model = xgboost.XGBClassifier(
        n_estimators=1, max_depth=1, learning_rate=0.1, base_score=0.5, reg_lambda=1, n_jobs=1
    ).fit(X, y)
    np.testing.assert_allclose(second_class(model, 0), logistic([-5 / 3.5, 5 / 3.5]), **CLOSE)


def test_the_same_stump_grown_twice_in_parallel_says_the_same():
    X, y = np.repeat([0.0, 1.0], 10)[:, None], np.repeat([0, 1], 10)
    model = xgboost.XGBRFClassifier(
        n_estimators=2, max_depth=1, base_score=0.5, reg_lambda=1, subsample=1, colsample_bynode=1, n_jobs=1
    ).fit(X, y)
    expected = logistic([-5 / 3.5, 5 / 3.5])
    np.testing.assert_allclose([second_class(model, 0), second_class(model, 1)], [expected, expected], **CLOSE)


def test_priors_of_the_first_tree_include_the_initial_log_odds():
    model = two_classes(base_score=0.2, learning_rate=0.1)
    expected = logistic([math.log(0.2 / 0.8) + score / 0.1 for score in scores_of(model, 0)])
    np.testing.assert_allclose(second_class(model, 0), expected, **CLOSE)


def test_priors_of_the_first_tree_include_estimated_log_odds():
    model = two_classes(learning_rate=0.1)
    (start,) = read(model).initial_scores
    assert abs(start) > 0.1
    expected = logistic([start + score / 0.1 for score in scores_of(model, 0)])
    np.testing.assert_allclose(second_class(model, 0), expected, **CLOSE)


def test_priors_of_later_trees_do_not_include_the_initial_log_odds():
    model = two_classes(base_score=0.2, learning_rate=0.1)
    expected = logistic([score / 0.1 for score in scores_of(model, 1)])
    np.testing.assert_allclose(second_class(model, 1), expected, **CLOSE)


def test_shrunken_priors_come_after_the_learning_rate():
    model = two_classes(learning_rate=0.1)
    np.testing.assert_allclose(second_class(model, 1, "shrunken"), logistic(scores_of(model, 1)), **CLOSE)


def test_shrunken_priors_of_the_first_tree_include_the_whole_initial_log_odds():
    model = two_classes(base_score=0.2, learning_rate=0.1)
    expected = logistic([math.log(0.2 / 0.8) + score for score in scores_of(model, 0)])
    np.testing.assert_allclose(second_class(model, 0, "shrunken"), expected, **CLOSE)


def test_parallel_trees_also_undo_the_division_by_their_number():
    model = two_classes(num_parallel_tree=4, subsample=0.5, learning_rate=0.1)
    expected = logistic([4 * score / 0.1 for score in scores_of(model, 5)])
    np.testing.assert_allclose(second_class(model, 5), expected, **CLOSE)


def test_all_parallel_trees_of_the_first_iteration_include_the_initial_log_odds():
    model = two_classes(base_score=0.2, num_parallel_tree=2, subsample=0.5, learning_rate=0.1)
    expected = logistic([math.log(0.2 / 0.8) + 2 * score / 0.1 for score in scores_of(model, 1)])
    np.testing.assert_allclose(second_class(model, 1), expected, **CLOSE)


def test_all_trees_of_a_random_forest_are_the_first_round():
    model = xgboost.XGBRFClassifier(base_score=0.2, **SMALL).fit(*samples())
    expected = logistic([math.log(0.2 / 0.8) + 3 * score for score in scores_of(model, 2)])
    np.testing.assert_allclose(second_class(model, 2), expected, **CLOSE)


def test_raw_priors_of_dart_leave_the_weights_of_whole_trees_out():
    model = two_classes(booster="dart", rate_drop=0.9, learning_rate=0.1)
    expected = logistic([score / 0.1 for score in scores_of(model, 1)])
    np.testing.assert_allclose(second_class(model, 1), expected, **CLOSE)


def test_shrunken_priors_of_dart_include_the_weights_of_whole_trees():
    model = two_classes(booster="dart", rate_drop=0.9, learning_rate=0.1)
    (tree,) = read(model).rounds[1]
    weighted = tree.values[tree.features < 0, 0]
    assert not np.allclose(sorted(weighted), sorted(scores_of(model, 1)))
    np.testing.assert_allclose(sorted(second_class(model, 1, "shrunken")), logistic(sorted(weighted)), **CLOSE)


@pytest.mark.parametrize("column", [0, 1, 2])
def test_multiclass_priors_of_the_first_round_are_softmax_with_initial_scores(column):
    model = three_classes(learning_rate=0.1)
    forest = read(model)
    start = forest.initial_scores.tolist()
    expected = [
        softmax([start[k] + (score / 0.1 if k == column else 0.0) for k in range(3)])
        for score in scores_of(model, column)
    ]
    np.testing.assert_allclose(leaf_priors(forest.rounds[0][column]), expected, **CLOSE)


@pytest.mark.parametrize("column", [0, 1, 2])
def test_multiclass_priors_of_later_rounds_are_softmax_of_one_score(column):
    model = three_classes(learning_rate=0.1)
    expected = [
        softmax([score / 0.1 if k == column else 0.0 for k in range(3)]) for score in scores_of(model, 3 + column)
    ]
    np.testing.assert_allclose(leaf_priors(read(model).rounds[1][column]), expected, **CLOSE)


def test_multiclass_parallel_trees_keep_their_class():
    model = three_classes(num_parallel_tree=2, subsample=0.5, learning_rate=0.1)
    # Iteration 1, class 2, second parallel tree; XGBoost counts classes first.
    position = 6 + 2 * 2 + 1
    expected = [softmax([0.0, 0.0, 2 * score / 0.1]) for score in scores_of(model, position)]
    np.testing.assert_allclose(leaf_priors(read(model).rounds[3][2]), expected, **CLOSE)
