"""XGBoost models after early stopping and from files, and how their learning rate is found."""

import pickle

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, assert_agrees, edge_records, read, records, stored_model, xgboost

from rulekit.adapters.xgboost_rate import learning_rate


def data(n_classes=2):
    return records(1, n_classes, n_records=120)


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
    assert_agrees(model, edge_records(model, X))


def test_parallel_trees_of_a_classifier_that_stopped_early_are_read_as_far_as_it_predicts():
    model, X = stopped_early(3, num_parallel_tree=2, subsample=0.5)
    assert len(read(model).rounds) == 2 * (model.best_iteration + 1)
    assert_agrees(model, edge_records(model, X))


def test_a_booster_that_stopped_early_is_read_as_a_whole_because_it_predicts_with_all_trees():
    model, X = stopped_early()
    booster = model.get_booster()
    assert len(read(booster).rounds) == booster.num_boosted_rounds()
    assert_agrees(booster, edge_records(booster, X))


@pytest.mark.parametrize("suffix", ["json", "ubj"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_from_a_file_agrees_with_the_library(tmp_path, suffix, n_classes):
    X, y = data(n_classes)
    path = saved(xgboost.XGBClassifier(**SMALL).fit(X, y), tmp_path / f"model.{suffix}")
    model = xgboost.XGBClassifier()
    model.load_model(path)
    assert_agrees(model, edge_records(model, X))


@pytest.mark.parametrize("suffix", ["json", "ubj"])
def test_a_booster_from_a_file_agrees_with_the_library(tmp_path, suffix):
    X, y = data(3)
    path = saved(xgboost.XGBClassifier(**SMALL).fit(X, y), tmp_path / f"model.{suffix}")
    booster = xgboost.Booster(model_file=path)
    assert_agrees(booster, edge_records(booster, X))


def test_dart_from_a_file_agrees_with_the_library(tmp_path):
    X, y = data()
    path = saved(xgboost.XGBClassifier(booster="dart", rate_drop=0.5, **SMALL).fit(X, y), tmp_path / "model.json")
    model = xgboost.XGBClassifier()
    model.load_model(path)
    assert_agrees(model, edge_records(model, X))


def test_a_classifier_from_a_file_still_knows_where_it_stopped(tmp_path):
    original, X = stopped_early()
    model = xgboost.XGBClassifier()
    model.load_model(saved(original, tmp_path / "model.json"))
    assert len(read(model).rounds) == original.best_iteration + 1
    assert_agrees(model, edge_records(model, X))


def test_a_pickled_classifier_says_the_same():
    X, y = data()
    model = xgboost.XGBClassifier(learning_rate=0.07, **SMALL).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(read(model).rounds[0][0].priors, read(copy).rounds[0][0].priors)


@pytest.mark.parametrize(
    ("expected", "parameters"),
    [(0.3, {}), (0.1, {"learning_rate": 0.1}), (0.1, {"eta": 0.1}), (0.1, {"eta": 0.1, "booster": "dart"})],
)
def test_the_rate_of_a_classifier_is_known_under_either_name(expected, parameters):
    model = xgboost.XGBClassifier(**SMALL, **parameters).fit(*data())
    assert learning_rate(model) == pytest.approx(expected, rel=1e-6)


def test_the_rate_of_a_random_forest_is_one():
    assert learning_rate(xgboost.XGBRFClassifier(**SMALL).fit(*data())) == 1


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
@pytest.mark.parametrize(("expected", "parameters"), [(0.3, {}), (0.1, {"learning_rate": 0.1}), (0.1, {"eta": 0.1})])
def test_the_rate_of_a_booster_is_that_of_its_configuration(expected, parameters, booster):
    X, y = data()
    settings = {"objective": "binary:logistic", "nthread": 1, "booster": booster, **parameters}
    model = xgboost.train(settings, xgboost.DMatrix(X, y), 2)
    assert learning_rate(model) == pytest.approx(expected, rel=1e-6)


def test_the_rate_of_a_classifier_from_a_file_is_what_it_is_told(tmp_path):
    """A file does not hold the rate, and the configuration of what was loaded says 0.3."""
    path = saved(xgboost.XGBClassifier(learning_rate=0.1, **SMALL).fit(*data()), tmp_path / "model.json")
    model = xgboost.XGBClassifier()
    model.load_model(path)
    rates = [learning_rate(model), learning_rate(model.set_params(learning_rate=0.1))]
    assert rates == pytest.approx([0.3, 0.1], rel=1e-6)


def test_the_rate_of_a_booster_from_a_file_is_what_it_is_told(tmp_path):
    path = saved(xgboost.XGBClassifier(learning_rate=0.1, **SMALL).fit(*data()), tmp_path / "model.json")
    booster = xgboost.Booster(model_file=path)
    before = learning_rate(booster)
    booster.set_param("learning_rate", 0.1)
    assert [before, learning_rate(booster)] == pytest.approx([0.3, 0.1], rel=1e-6)


@pytest.mark.parametrize("name", ["learning_rate", "eta"])
def test_priors_of_a_classifier_from_a_file_that_is_told_its_rate_are_the_originals(tmp_path, name):
    original = xgboost.XGBClassifier(learning_rate=0.1, **SMALL).fit(*data())
    model = xgboost.XGBClassifier(**{name: 0.1})
    model.load_model(saved(original, tmp_path / "model.json"))
    np.testing.assert_allclose(read(original).rounds[1][0].priors, read(model).rounds[1][0].priors, rtol=1e-12)
