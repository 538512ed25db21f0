"""Gradient boosting: starts, losses, and what leaves say before the learning rate."""

import math
import re

import numpy as np
import pytest
from adapters.agreement import assert_rules_are_the_leaves, assert_same_leaves, assert_same_probabilities
from adapters.data import random_data, seeds, training_data, two_class_data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from rulekit.adapters.sklearn_gradient_boosting import SklearnGradientBoostingAdapter
from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.tree_rules import leaf_rules

quickly = settings(max_examples=40, deadline=None)

starts = st.sampled_from([None, "zero", "prior", "most_frequent", "uniform"])


def fitted(data, start, **parameters):
    init = DummyClassifier(strategy=start) if start not in (None, "zero") else start
    return GradientBoostingClassifier(init=init, **parameters).fit(*data), data[0]


common = {
    "start": starts,
    "n_estimators": st.integers(1, 4),
    "max_depth": st.integers(1, 3),
    "learning_rate": st.sampled_from([0.05, 0.1, 1.0]),
    "subsample": st.sampled_from([0.5, 1.0]),
    "random_state": seeds,
}
boosted = st.one_of(
    st.builds(fitted, data=training_data, **common),
    st.builds(fitted, data=two_class_data, loss=st.just("exponential"), **common),
)


def read(model, scores="raw"):
    return SklearnGradientBoostingAdapter(scores).forest(model)


def priors_of(model, round_, scores="raw"):
    forest = read(model, scores)
    return leaf_rules(forest, [f"x{column}" for column in range(forest.n_features)])[1][round_].priors


def leaf_scores(estimator, node=0):
    """Scores of the leaves from left to right."""
    tree = estimator.tree_
    if tree.children_left[node] < 0:
        return [float(tree.value[node, 0, 0])]
    return leaf_scores(estimator, tree.children_left[node]) + leaf_scores(estimator, tree.children_right[node])


def two_class_model(**parameters):
    X, y = random_data(3, 2, "continuous", "integers")
    y[:20] = 1
    return GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0, **parameters).fit(X, y), y


def three_class_model(**parameters):
    X, y = random_data(3, 3, "continuous", "integers")
    return GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0, **parameters).fit(X, y), y


def logistic(scores):
    return [1 / (1 + math.exp(-score)) for score in scores]


def softmax(scores):
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


@quickly
@given(boosted)
def test_probabilities_are_the_librarys_also_at_thresholds(case):
    model, X = case
    assert_same_probabilities(model, read(model), X)


@quickly
@given(boosted)
def test_samples_reach_the_librarys_leaves_also_at_thresholds(case):
    model, X = case
    assert_same_leaves(model, read(model), X)


@quickly
@given(boosted)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_at_thresholds(case):
    model, X = case
    assert_rules_are_the_leaves(model, read(model), X)


def test_probabilities_do_not_depend_on_which_scores_the_priors_use():
    model, X = fitted(random_data(0, 3, "continuous", "strings"), None, n_estimators=4, random_state=0)
    assert_same_probabilities(model, read(model, "shrunken"), X)


def test_boosting_that_stopped_early_is_read_as_far_as_it_went():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=200)
    y[100:] = X[100:, 0] > 0
    model = GradientBoostingClassifier(n_estimators=200, n_iter_no_change=2, random_state=0).fit(X, y)
    assert model.n_estimators_ < 200
    assert_same_probabilities(model, read(model), X)


def test_a_constant_start_is_read():
    X, y = random_data(0, 2, "continuous", "integers")
    start = DummyClassifier(strategy="constant", constant=1)
    model = GradientBoostingClassifier(n_estimators=2, init=start, random_state=0).fit(X, y)
    assert_same_probabilities(model, read(model), X)


def test_huge_scores_that_cancel_are_added_as_the_library_adds_them():
    """Starting from certainty, leaves say 1e15; only additions in the library's order leave the same remainder."""
    data = random_data(0, 3, "continuous", "integers", n_features=2)
    model, X = fitted(data, "most_frequent", n_estimators=2, learning_rate=0.05, random_state=0)
    assert_same_probabilities(model, read(model), X)


@pytest.mark.parametrize("scores", ["raw", "shrunken"])
def test_leaves_add_scores_after_the_learning_rate(scores):
    model, _ = three_class_model(learning_rate=0.2)
    for column, tree in enumerate(read(model, scores).rounds[1]):
        expected = np.zeros_like(tree.values)
        expected[:, column] = 0.2 * model.estimators_[1, column].tree_.value[:, 0, 0]
        np.testing.assert_allclose(tree.values, expected, rtol=1e-12)


def test_two_class_priors_of_the_first_tree_include_the_initial_log_odds():
    model, y = two_class_model()
    log_odds = math.log((y == 1).sum() / (y == 0).sum())
    expected = logistic([log_odds + score for score in leaf_scores(model.estimators_[0, 0])])
    np.testing.assert_allclose(priors_of(model, 0)[:, 1], expected, rtol=1e-10)


def test_two_class_priors_of_later_trees_do_not_include_the_initial_log_odds():
    model, _ = two_class_model()
    expected = logistic(leaf_scores(model.estimators_[1, 0]))
    np.testing.assert_allclose(priors_of(model, 1)[:, 1], expected, rtol=1e-10)


def test_raw_priors_of_later_trees_come_before_the_learning_rate():
    model, _ = two_class_model(learning_rate=0.01)
    expected = logistic(leaf_scores(model.estimators_[1, 0]))
    np.testing.assert_allclose(priors_of(model, 1)[:, 1], expected, rtol=1e-10)


def test_shrunken_priors_come_after_the_learning_rate():
    model, _ = two_class_model(learning_rate=0.2)
    expected = logistic([0.2 * score for score in leaf_scores(model.estimators_[1, 0])])
    np.testing.assert_allclose(priors_of(model, 1, "shrunken")[:, 1], expected, rtol=1e-10)


def test_shrunken_priors_of_the_first_tree_include_the_whole_initial_log_odds():
    model, y = two_class_model(learning_rate=0.2)
    log_odds = math.log((y == 1).sum() / (y == 0).sum())
    expected = logistic([log_odds + 0.2 * score for score in leaf_scores(model.estimators_[0, 0])])
    np.testing.assert_allclose(priors_of(model, 0, "shrunken")[:, 1], expected, rtol=1e-10)


def test_the_exponential_loss_counts_scores_twice():
    model, y = two_class_model(loss="exponential")
    log_odds = math.log((y == 1).sum() / (y == 0).sum())
    expected = logistic([log_odds + 2 * score for score in leaf_scores(model.estimators_[0, 0])])
    np.testing.assert_allclose(priors_of(model, 0)[:, 1], expected, rtol=1e-10)


def test_multiclass_priors_of_the_first_round_are_softmax_with_initial_log_fractions():
    model, y = three_class_model()
    start = [math.log((y == label).mean()) for label in range(3)]
    expected = []
    for column in range(3):
        for score in leaf_scores(model.estimators_[0, column]):
            expected.append(softmax([start[k] + (score if k == column else 0.0) for k in range(3)]))
    np.testing.assert_allclose(priors_of(model, 0), expected, rtol=1e-10)


def test_multiclass_priors_of_later_rounds_are_softmax_of_one_score():
    model, _ = three_class_model()
    expected = []
    for column in range(3):
        for score in leaf_scores(model.estimators_[2, column]):
            expected.append(softmax([score if k == column else 0.0 for k in range(3)]))
    np.testing.assert_allclose(priors_of(model, 2), expected, rtol=1e-10)


def test_the_trees_of_one_multiclass_round_form_one_ruleset():
    model, _ = three_class_model()
    assert [len(trees) for trees in read(model).rounds] == [3, 3, 3]


def test_rules_of_a_multiclass_round_are_one_group_because_they_overlap():
    model, _ = three_class_model()
    _, rounds = leaf_rules(read(model), ["a", "b", "c", "d"])
    assert {0} == set(rounds[0].groups.tolist())


def test_rules_of_one_tree_are_a_group_each():
    model, _ = two_class_model()
    _, rounds = leaf_rules(read(model), ["a", "b", "c", "d"])
    assert list(range(len(rounds[0].groups))) == rounds[0].groups.tolist()


def test_a_start_of_zero_adds_nothing_to_the_first_tree():
    model, _ = two_class_model(init="zero")
    expected = logistic(leaf_scores(model.estimators_[0, 0]))
    np.testing.assert_allclose(priors_of(model, 0)[:, 1], expected, rtol=1e-10)


def test_swapping_the_classes_swaps_the_priors():
    X, y = random_data(3, 2, "continuous", "integers")
    one, other = (
        GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X, labels) for labels in (y, 1 - y)
    )
    np.testing.assert_allclose(priors_of(one, 1), priors_of(other, 1)[:, ::-1], rtol=1e-6)


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(), GradientBoostingRegressor(), DecisionTreeRegressor(), None]
)
def test_other_models_are_not_accepted(model):
    assert not SklearnGradientBoostingAdapter().accepts(model)


def test_gradient_boosting_is_accepted_unfitted():
    assert SklearnGradientBoostingAdapter().accepts(GradientBoostingClassifier())


def test_a_start_that_differs_from_sample_to_sample_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers")
    model = GradientBoostingClassifier(n_estimators=2, init=LogisticRegression(), random_state=0).fit(X, y)
    expected = (
        "The GradientBoostingClassifier starts from init=LogisticRegression(), whose scores differ between "
        "samples, which rules cannot express. Fit it with init=None or init='zero'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_a_random_start_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers")
    start = DummyClassifier(strategy="stratified", random_state=0)
    model = GradientBoostingClassifier(n_estimators=2, init=start, random_state=0).fit(X, y)
    with pytest.raises(UnsupportedEnsembleError, match="whose scores differ between samples"):
        read(model)


def test_unknown_scores_are_rejected():
    model, _ = two_class_model()
    expected = "SklearnGradientBoostingAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        read(model, "cooked")


def test_an_unfitted_tree_inside_is_named():
    model, _ = two_class_model()
    model.estimators_[1, 0] = DecisionTreeRegressor()
    expected = (
        "Tree 1 of the GradientBoostingClassifier is not fitted, although the ensemble is. "
        "Fit the ensemble again as a whole, or pass it unfitted."
    )
    with pytest.raises(UnfittedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)
