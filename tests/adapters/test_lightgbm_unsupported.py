"""LightGBM models that are not supported, and the error for each."""

import re

import lightgbm as lgb
import numpy as np
import pytest
from adapters.data import random_data
from adapters.lightgbm_cases import fit, library_probabilities, quiet

import rulekit
from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError


def assert_rejected(model, error, expected, scores="raw"):
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
def test_other_objectives_are_rejected(objective):
    expected = (
        f"The LightGBM model was trained with the objective '{objective}', whose scores do not turn into probabilities "
        "that sum to one over the classes. Train it with objective='binary' or objective='multiclass'."
    )
    assert_rejected(trained(objective, **OBJECTIVES[objective]), UnsupportedEnsembleError, expected)


def test_one_against_all_is_rejected_because_its_probabilities_do_not_sum_to_one():
    X, y = random_data(0, 3, "continuous", "strings", n_samples=150)
    model = quiet(objective="multiclassova").fit(X, y)
    assert np.ptp(library_probabilities(model, X).sum(axis=1)) > 0.01
    with pytest.raises(UnsupportedEnsembleError, match="the objective 'multiclassova', whose scores do not turn into"):
        LightGBMAdapter().forest(model)


def test_a_custom_objective_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet(objective=lambda truth, scores: (scores - truth, np.ones_like(scores))).fit(X, y)
    expected = (
        "The LightGBM model was trained with a custom objective, whose scores do not turn into probabilities "
        "that sum to one over the classes. Train it with objective='binary' or objective='multiclass'."
    )
    assert_rejected(model, UnsupportedEnsembleError, expected)


def test_linear_trees_are_rejected():
    expected = (
        "The model was trained with linear_tree=True: its leaves hold linear models, which rules cannot express. "
        "Train it with linear_tree=False."
    )
    assert_rejected(trained("binary", linear_tree=True), UnsupportedEnsembleError, expected)


def test_zero_that_is_separated_from_its_neighbours_is_rejected():
    X = np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], 50)[:, None]
    y = np.isin(X[:, 0], [-2.0, 0.0])
    model = quiet(zero_as_missing=True, num_leaves=2, n_estimators=1).fit(X, y)
    expected = (
        "The model was trained with zero_as_missing=True, and tree 0 separates zero from the values on both sides of "
        "it (feature 0, threshold -1.5), which a condition cannot express. Train it with zero_as_missing=False and "
        "pass missing values as NaN."
    )
    assert_rejected(model, UnsupportedEnsembleError, expected)


def test_prediction_that_leaves_out_trees_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet(pred_early_stop=True).fit(X, y)
    expected = (
        "The LGBMClassifier has pred_early_stop=True, so it skips different trees for different samples, which rules "
        "cannot express. Call set_params(pred_early_stop=False); the trees stay the same."
    )
    assert_rejected(model, UnsupportedEnsembleError, expected)


def test_one_class_only_is_rejected():
    X, _ = random_data(0, 2, "continuous", "integers", n_samples=150)
    expected = (
        "The LGBMClassifier predicts probabilities of 2 classes but was fitted on only 1 of them: ['ant']. "
        "Fit it on data with all of them."
    )
    assert_rejected(quiet().fit(X, ["ant"] * 150), UnsupportedEnsembleError, expected)


def test_an_unfitted_classifier_is_rejected():
    expected = "The LGBMClassifier is not fitted. Fit it before extracting rules from it."
    assert_rejected(quiet(), UnfittedEnsembleError, expected)


def test_a_booster_without_trees_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    booster = lgb.Booster({"objective": "binary", "verbosity": -1}, lgb.Dataset(X, y))
    expected = "The Booster has no trees. Train it for at least one round."
    assert_rejected(booster, UnfittedEnsembleError, expected)


def test_unknown_scores_are_rejected():
    expected = "LightGBMAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    assert_rejected(trained("binary"), InvalidParameterError, expected, scores="cooked")


def test_a_column_of_categories_in_some_trees_and_of_numbers_in_others_is_rejected():
    """Training that continued with other categorical columns ended in a KeyError."""
    X, y = np.array([[0.0], [1.0]] * 20), np.array([0, 1] * 20)
    first = fit(quiet(n_estimators=1), X, y, categorical_feature=[0])
    model = fit(quiet(n_estimators=1), X, y, init_model=first)
    with pytest.raises(UnsupportedEnsembleError, match="treats column 1 as categories in some trees and as numbers in"):
        rulekit.build("rcprob", model).fit(X, y)
