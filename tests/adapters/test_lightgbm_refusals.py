"""LightGBM models that rules cannot carry, and what the error says about each."""

import re

import lightgbm as lgb
import numpy as np
import pytest
from adapters.data import random_data
from adapters.lightgbm_cases import library_probabilities, quiet

from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError


def assert_refused(model, error, expected, scores="raw"):
    with pytest.raises(error, match=f"^{re.escape(expected)}$"):
        LightGBMAdapter(scores).forest(model)


def trained(objective, labels=2, **parameters):
    X, y = random_data(0, labels, "continuous", "integers", n_samples=150)
    options = {"objective": objective, "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3}
    return lgb.train(options | parameters, lgb.Dataset(X, y), 2)


OBJECTIVES = {
    "regression": {},
    "cross_entropy": {},
    "cross_entropy_lambda": {},
    "poisson": {},
    "multiclassova": {"num_class": 2},
}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_other_objectives_are_refused(objective):
    expected = (
        f"The LightGBM model was trained with the objective '{objective}', whose scores do not turn into probabilities "
        "that sum to one over the classes. Train it with objective='binary' or objective='multiclass'."
    )
    assert_refused(trained(objective, **OBJECTIVES[objective]), UnsupportedEnsembleError, expected)


def test_one_against_all_is_refused_because_its_probabilities_do_not_sum_to_one():
    X, y = random_data(0, 3, "continuous", "strings", n_samples=150)
    model = quiet(objective="multiclassova").fit(X, y)
    assert np.ptp(library_probabilities(model, X).sum(axis=1)) > 0.01
    with pytest.raises(UnsupportedEnsembleError, match="the objective 'multiclassova', whose scores do not turn into"):
        LightGBMAdapter().forest(model)


def test_an_objective_of_the_users_own_is_refused():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet(objective=lambda truth, scores: (scores - truth, np.ones_like(scores))).fit(X, y)
    expected = (
        "The LightGBM model was trained with an objective of its own, whose scores do not turn into probabilities "
        "that sum to one over the classes. Train it with objective='binary' or objective='multiclass'."
    )
    assert_refused(model, UnsupportedEnsembleError, expected)


def test_linear_trees_are_refused():
    expected = (
        "The model was trained with linear_tree=True: its leaves hold linear models, which rules cannot carry. "
        "Train it with linear_tree=False."
    )
    assert_refused(trained("binary", linear_tree=True), UnsupportedEnsembleError, expected)


def test_zero_that_goes_another_way_than_its_neighbours_is_refused():
    X = np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], 50)[:, None]
    y = np.isin(X[:, 0], [-2.0, 0.0])
    model = quiet(zero_as_missing=True, num_leaves=2, n_estimators=1).fit(X, y)
    expected = (
        "The model was trained with zero_as_missing=True, and tree 0 sends zero another way than the values on both "
        "sides of it (feature 0, threshold -1.5), which no condition can say. Train it with zero_as_missing=False and "
        "pass missing values as NaN."
    )
    assert_refused(model, UnsupportedEnsembleError, expected)


def test_prediction_that_leaves_out_trees_is_refused():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet(pred_early_stop=True).fit(X, y)
    expected = (
        "The LGBMClassifier has pred_early_stop=True: it leaves out trees by the sample that it predicts, which no "
        "rule can say. Switch it off by set_params(pred_early_stop=False); the trees are the same."
    )
    assert_refused(model, UnsupportedEnsembleError, expected)


def test_one_class_only_is_refused():
    X, _ = random_data(0, 2, "continuous", "integers", n_samples=150)
    expected = (
        "The LGBMClassifier was fitted on 1 of the 2 classes that it states probabilities of: ['ant']. "
        "Fit it on data with all of them."
    )
    assert_refused(quiet().fit(X, ["ant"] * 150), UnsupportedEnsembleError, expected)


def test_an_unfitted_classifier_is_refused():
    expected = "The LGBMClassifier is not fitted. Fit it before its trees are read."
    assert_refused(quiet(), UnfittedEnsembleError, expected)


def test_a_booster_without_trees_is_refused():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    booster = lgb.Booster({"objective": "binary", "verbosity": -1}, lgb.Dataset(X, y))
    expected = "The Booster has no trees. Train it for at least one round."
    assert_refused(booster, UnfittedEnsembleError, expected)


def test_unknown_scores_are_refused():
    expected = "LightGBMAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    assert_refused(trained("binary"), InvalidParameterError, expected, scores="cooked")
