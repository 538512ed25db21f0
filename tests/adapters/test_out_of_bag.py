"""Out-of-bag probabilities are those that scikit-learn computes itself."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.adapters.sklearn_trees import SklearnBaggingAdapter, SklearnForestAdapter, SklearnTreeAdapter
from rulekit.probability.laplace import Laplace

X, Y = load_iris(return_X_y=True)
OPTIONS = {"random_state": 0, "oob_score": True}
BAGGED = [
    RandomForestClassifier(30, max_depth=3, **OPTIONS),
    RandomForestClassifier(30, max_depth=3, max_samples=0.4, **OPTIONS),
    RandomForestClassifier(30, max_depth=3, class_weight="balanced_subsample", **OPTIONS),
    ExtraTreesClassifier(30, max_depth=3, bootstrap=True, **OPTIONS),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 30, **OPTIONS),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 30, max_samples=0.5, max_features=0.5, **OPTIONS),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 30, bootstrap_features=True, **OPTIONS),
]
SEEN_BY_ALL = [
    ExtraTreesClassifier(5, random_state=0),
    RandomForestClassifier(5, bootstrap=False, random_state=0),
    BaggingClassifier(n_estimators=5, bootstrap=False, random_state=0),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    GradientBoostingClassifier(n_estimators=3, subsample=0.5, random_state=0),
    DecisionTreeClassifier(random_state=0),
]


def training_data(ensemble, **options):
    return rulekit.build("rcprob", ensemble, **options).prepare(X, Y)


@pytest.mark.parametrize("ensemble", BAGGED, ids=str)
def test_they_are_scikit_learns_own(ensemble):
    data = training_data(ensemble)
    np.testing.assert_allclose(data.out_of_bag_probabilities, data.ensemble.oob_decision_function_, atol=1e-12)


@pytest.mark.parametrize("ensemble", BAGGED, ids=str)
def test_they_are_so_for_an_ensemble_that_comes_fitted(ensemble):
    fitted = clone(ensemble).fit(X, Y)
    data = training_data(fitted)
    np.testing.assert_allclose(data.out_of_bag_probabilities, fitted.oob_decision_function_, atol=1e-12)


def test_they_are_so_for_the_last_step_of_a_pipeline():
    data = training_data(make_pipeline(StandardScaler(), clone(BAGGED[0])))
    np.testing.assert_allclose(data.out_of_bag_probabilities, data.ensemble[-1].oob_decision_function_, atol=1e-12)


def test_bagging_without_replacement_leaves_samples_out_too():
    """scikit-learn has no score of its own for it: the trees are asked one by one."""
    fitted = BaggingClassifier(
        DecisionTreeClassifier(max_depth=3), 20, bootstrap=False, max_samples=0.6, random_state=0
    )
    fitted.fit(X, Y)
    votes = [[] for _ in Y]
    for tree, samples in zip(fitted.estimators_, fitted.estimators_samples_, strict=True):
        for sample in set(range(len(Y))) - set(samples.tolist()):
            votes[sample].append(tree.predict_proba(X[[sample]])[0])
    expected = [np.mean(of_sample, axis=0) for of_sample in votes]
    np.testing.assert_allclose(training_data(fitted).out_of_bag_probabilities, expected, atol=1e-12)


def test_a_sample_that_every_tree_saw_has_none():
    data = training_data(RandomForestClassifier(2, max_depth=3, random_state=0))
    seen = [set(samples.tolist()) for samples in data.ensemble.estimators_samples_]
    expected = [all(sample in of_tree for of_tree in seen) for sample in range(len(Y))]
    assert expected == np.isnan(data.out_of_bag_probabilities).all(axis=1).tolist()
    assert 0 < sum(expected) < len(Y)


@pytest.mark.parametrize("ensemble", SEEN_BY_ALL, ids=str)
def test_there_are_none_where_every_tree_saw_every_sample_or_the_model_does_not_know(ensemble):
    assert training_data(ensemble).out_of_bag_probabilities is None


@pytest.mark.parametrize("ensemble", [BAGGED[0], BAGGED[4]], ids=str)
def test_there_are_none_for_an_ensemble_that_was_fitted_on_another_number_of_samples(ensemble):
    assert training_data(clone(ensemble).fit(X[:-1], Y[:-1])).out_of_bag_probabilities is None


@pytest.mark.parametrize(
    ("adapter", "ensemble"), [(SklearnForestAdapter(), BAGGED[0]), (SklearnBaggingAdapter(), BAGGED[4])]
)
def test_there_are_none_where_trees_were_taken_away(adapter, ensemble):
    fitted = clone(ensemble).fit(X, Y)
    whole = len(list(adapter.unseen_samples(fitted, len(Y))))
    fitted.estimators_ = fitted.estimators_[:-1]
    few = adapter.unseen_samples(fitted, len(Y))
    # A forest keeps its seeds in the trees, bagging in a list of its own.
    assert (whole, 29 if few is None else len(list(few))) == (30, 29)


def test_a_tree_has_none():
    assert SklearnTreeAdapter().unseen_samples(DecisionTreeClassifier().fit(X, Y), len(Y)) is None


class HoldsBack(Laplace):
    """Keeps every third sample for itself."""

    def hold_back(self, y):
        return np.arange(len(y)) % 3 == 0


def test_samples_that_are_held_back_have_those_of_an_ensemble_that_comes_fitted():
    fitted = clone(BAGGED[0]).fit(X, Y)
    data = training_data(fitted, final_estimator=HoldsBack())
    for part, rows in ((data.searched, ~data.held_back), (data.counted, data.held_back)):
        np.testing.assert_allclose(part.out_of_bag_probabilities, fitted.oob_decision_function_[rows], atol=1e-12)


def test_samples_that_an_ensemble_fitted_here_never_saw_get_the_predictions_of_all_trees():
    """Its bags are drawn from fewer samples than the table has, and their positions are not those of the table."""
    data = training_data(RandomForestClassifier(30, max_depth=3, random_state=0), final_estimator=HoldsBack())
    held = data.held_back
    expected = data.ensemble.predict_proba(data.X[held])
    np.testing.assert_allclose(data.out_of_bag_probabilities[held], expected, atol=1e-12)
    searched = data.searched.out_of_bag_probabilities
    np.testing.assert_array_equal(searched, data.out_of_bag_probabilities[~held])
