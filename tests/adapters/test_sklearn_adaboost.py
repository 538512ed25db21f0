"""AdaBoost: weighted votes of trees, and how sure their leaves are."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from adapters.agreement import assert_rules_are_the_leaves, assert_same_leaves, assert_same_probabilities
from adapters.data import depths, random_data, seeds, training_data
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from rulekit.adapters.sklearn_adaboost import SklearnAdaBoostAdapter
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError

quickly = settings(max_examples=40, deadline=None)


def fitted(base, depth, data, weights, **parameters):
    X, y = data
    base = base if base is None else base(max_depth=depth)
    sample_weight = np.random.default_rng(0).choice(weights, size=len(y)) if weights else None
    try:
        # The library takes the logarithm of weights, also of those that are zero.
        with np.errstate(divide="ignore"):
            return AdaBoostClassifier(base, **parameters).fit(X, y, sample_weight=sample_weight), X
    except ValueError as error:
        # Random trees can guess so badly that the library gives up.
        if "worse than random" not in str(error):
            raise
        reject()


boosted = st.builds(
    fitted,
    base=st.sampled_from([None, DecisionTreeClassifier, ExtraTreeClassifier]),
    depth=depths,
    data=training_data,
    weights=st.sampled_from([None, [1.0, 5.0], [0.0, 1.0]]),
    n_estimators=st.integers(1, 6),
    learning_rate=st.sampled_from([0.1, 1.0, 1.5]),
    random_state=seeds,
)


def read(model):
    return SklearnAdaBoostAdapter().forest(model)


def applying(model):
    """The model with the `apply` that other ensembles of scikit-learn have."""
    return SimpleNamespace(
        estimators_=model.estimators_,
        n_features_in_=model.n_features_in_,
        apply=lambda X: np.column_stack([tree.apply(X) for tree in model.estimators_]),
    )


def some_model(n_classes, **parameters):
    X, y = random_data(3, n_classes, "continuous", "strings")
    base = DecisionTreeClassifier(max_depth=1)
    options = {"n_estimators": 4, "random_state": 0} | parameters
    return AdaBoostClassifier(base, **options).fit(X, y), X, y


@quickly
@given(boosted)
def test_probabilities_are_the_librarys_also_at_thresholds(case):
    model, X = case
    assert_same_probabilities(model, read(model), X)


@quickly
@given(boosted)
def test_samples_reach_the_librarys_leaves_also_at_thresholds(case):
    model, X = case
    assert_same_leaves(applying(model), read(model), X)


@quickly
@given(boosted)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_at_thresholds(case):
    model, X = case
    assert_rules_are_the_leaves(applying(model), read(model), X)


@quickly
@given(boosted)
def test_priors_are_what_the_trees_say_of_their_leaves(case):
    model, X = case
    for estimator, (tree,) in zip(model.estimators_, read(model).rounds, strict=True):
        np.testing.assert_allclose(tree.priors[estimator.apply(X)], estimator.predict_proba(X), rtol=1e-12)
        assert np.isfinite(tree.priors).all()


@quickly
@given(boosted)
def test_hard_predictions_are_the_librarys(case):
    model, X = case
    probabilities = read(model).predict_proba(X)
    ranked = np.sort(probabilities, axis=1)
    # Where votes balance, the library's own sum and its mean may round to different winners.
    is_clear = ranked[:, -1] - ranked[:, -2] > 1e-9
    labels = model.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X)[is_clear], labels[is_clear])


def test_two_class_scores_are_twice_the_fraction_of_the_vote():
    model, X, _ = some_model(2)
    weights = model.estimator_weights_
    for estimator, (tree,), weight in zip(model.estimators_, read(model).rounds, weights, strict=True):
        sign = np.where(estimator.predict(X) == model.classes_[1], 1, -1)
        np.testing.assert_allclose(tree.values[estimator.apply(X), 0], 2 * sign * weight / weights.sum(), rtol=1e-12)


def test_multiclass_scores_follow_the_vote_and_speak_against_each_other_class():
    model, X, _ = some_model(4)
    weights = model.estimator_weights_
    for estimator, (tree,), weight in zip(model.estimators_, read(model).rounds, weights, strict=True):
        voted = estimator.predict(X)[:, None] == model.classes_
        expected = np.where(voted, 1, -1 / 3) * weight / weights.sum() / 3
        np.testing.assert_allclose(tree.values[estimator.apply(X)], expected, rtol=1e-12)


def test_a_single_sure_tree_of_two_classes_says_the_logistic_of_two():
    X = np.array([[0.0], [1.0]] * 5)
    model = AdaBoostClassifier(random_state=0).fit(X, X[:, 0])
    expected = 1 / (1 + math.exp(-2))
    np.testing.assert_allclose(read(model).predict_proba(np.array([[1.0]]))[0, 1], expected, rtol=1e-12)


def test_boosting_that_ended_with_a_perfect_tree_is_read_as_far_as_it_went():
    X, y = random_data(0, 3, "continuous", "strings")
    model = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=50, random_state=0).fit(X, y)
    assert len(read(model).rounds) == 1
    assert_same_probabilities(model, read(model), X)


def test_boosting_that_ended_with_a_tree_worse_than_random_is_read_as_far_as_it_went():
    X = np.ones((4, 1))
    model = AdaBoostClassifier(n_estimators=50, random_state=0).fit(X, [0, 0, 0, 1])
    assert 0 < len(model.estimators_) < 50
    assert (model.estimator_errors_[: len(model.estimators_)] > 0).all()
    assert_same_probabilities(model, read(model), X)


def test_a_tie_within_a_leaf_is_a_vote_for_the_first_class():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    model = AdaBoostClassifier(n_estimators=1, random_state=0).fit(X, ["b", "a", "b", "b", "b"])
    assert (read(model).rounds[0][0].priors == 0.5).all(axis=1).any()
    assert_same_probabilities(model, read(model), X)


def lacking_a_class():
    """A model whose second tree was trained without the second of three classes."""
    model, X, y = some_model(3)
    some = y != "bee"
    model.estimators_[1] = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[some], y[some])
    return model, X


def test_a_class_that_a_tree_has_not_seen_keeps_its_column():
    model, X = lacking_a_class()
    assert model.estimators_[1].classes_.tolist() == ["ant", "cow"]
    assert_same_probabilities(model, read(model), X)


def test_a_class_that_a_tree_has_not_seen_has_no_fraction():
    model, _ = lacking_a_class()
    assert not read(model).rounds[1][0].priors[:, 1].any()


def test_a_model_of_one_class_is_sure_of_it():
    X = np.arange(6.0)[:, None]
    model = AdaBoostClassifier(random_state=0).fit(X, np.full(6, "only"))
    assert read(model).predict_proba(X).tolist() == [[1.0]] * 6


def test_missing_values_are_not_handled_because_the_library_rejects_them():
    assert not read(some_model(2)[0]).handles_missing


def test_the_model_is_not_changed():
    model, X, _ = some_model(3)
    before = model.predict_proba(X).tolist()
    for (tree,) in read(model).rounds:
        tree.values[:] = 0.0
        tree.priors[:] = 0.0
    assert before == model.predict_proba(X).tolist()


@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(), ExtraTreeClassifier()])
def test_boosting_over_trees_is_accepted_unfitted(base):
    assert SklearnAdaBoostAdapter().accepts(AdaBoostClassifier(base))


def test_fitted_boosting_over_trees_is_accepted():
    assert SklearnAdaBoostAdapter().accepts(some_model(2)[0])


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(LogisticRegression()),
        AdaBoostRegressor(DecisionTreeRegressor()),
        BaggingClassifier(),
        DecisionTreeClassifier(),
        None,
    ],
)
def test_other_models_are_not_accepted(model):
    assert not SklearnAdaBoostAdapter().accepts(model)


def test_a_tree_that_votes_for_a_class_unknown_to_the_ensemble_is_named():
    model, X, y = some_model(2)
    model.estimators_[2] = DecisionTreeClassifier().fit(X, np.where(y == "bee", "yak", y))
    expected = (
        "Tree 2 of the AdaBoostClassifier votes for the class 'yak', which the ensemble does not know. "
        "Fit the ensemble again as a whole, or pass it unfitted."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_an_unfitted_tree_inside_is_named():
    model, _, _ = some_model(2)
    model.estimators_[1] = DecisionTreeClassifier()
    expected = (
        "Tree 1 of the AdaBoostClassifier is not fitted, although the ensemble is. "
        "Fit the ensemble again as a whole, or pass it unfitted."
    )
    with pytest.raises(UnfittedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)
