"""XGBoost models after early stopping and from files."""

import pickle

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, assert_agrees, edge_samples, read, samples, stored_model, xgboost


def data(n_classes=2):
    return samples(1, n_classes, n_samples=120)


def stopped_early(n_classes=2, **parameters):
    X, y = data(n_classes)
    model = xgboost.XGBClassifier(
        n_estimators=60, max_depth=3, early_stopping_rounds=4, n_jobs=1, random_state=0, **parameters
    )
    model.fit(X[::2], y[::2], eval_set=[(X[1::2], y[1::2])], verbose=False)
    n_iterations = len(stored_model(model)["iteration_indptr"]) - 1
    assert model.best_iteration + 1 < n_iterations < 60
    return model, X


def saved(model, path):
    model.save_model(path)
    return path


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_that_stopped_early_is_read_as_far_as_it_predicts(n_classes):
    model, X = stopped_early(n_classes)
    assert len(read(model).rounds) == model.best_iteration + 1
    assert_agrees(model, edge_samples(model, X))


def test_parallel_trees_of_a_classifier_that_stopped_early_are_read_as_far_as_it_predicts():
    model, X = stopped_early(3, num_parallel_tree=2, subsample=0.5)
    assert len(read(model).rounds) == 2 * (model.best_iteration + 1)
    assert_agrees(model, edge_samples(model, X))


def test_a_booster_that_stopped_early_is_read_as_a_whole_because_it_predicts_with_all_trees():
    model, X = stopped_early()
    booster = model.get_booster()
    assert len(read(booster).rounds) == booster.num_boosted_rounds()
    assert_agrees(booster, edge_samples(booster, X))


@pytest.mark.parametrize("suffix", ["json", "ubj"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_from_a_file_agrees_with_the_library(tmp_path, suffix, n_classes):
    X, y = data(n_classes)
    path = saved(xgboost.XGBClassifier(**SMALL).fit(X, y), tmp_path / f"model.{suffix}")
    model = xgboost.XGBClassifier()
    model.load_model(path)
    assert_agrees(model, edge_samples(model, X))


@pytest.mark.parametrize("suffix", ["json", "ubj"])
def test_a_booster_from_a_file_agrees_with_the_library(tmp_path, suffix):
    X, y = data(3)
    path = saved(xgboost.XGBClassifier(**SMALL).fit(X, y), tmp_path / f"model.{suffix}")
    booster = xgboost.Booster(model_file=path)
    assert_agrees(booster, edge_samples(booster, X))


def test_dart_from_a_file_agrees_with_the_library(tmp_path):
    X, y = data()
    path = saved(xgboost.XGBClassifier(booster="dart", rate_drop=0.5, **SMALL).fit(X, y), tmp_path / "model.json")
    model = xgboost.XGBClassifier()
    model.load_model(path)
    assert_agrees(model, edge_samples(model, X))


def test_a_classifier_from_a_file_still_knows_where_it_stopped(tmp_path):
    original, X = stopped_early()
    model = xgboost.XGBClassifier()
    model.load_model(saved(original, tmp_path / "model.json"))
    assert len(read(model).rounds) == original.best_iteration + 1
    assert_agrees(model, edge_samples(model, X))


def test_a_pickled_classifier_says_the_same():
    X, y = data()
    model = xgboost.XGBClassifier(learning_rate=0.07, **SMALL).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(read(model).rounds[0][0].priors, read(copy).rounds[0][0].priors)
