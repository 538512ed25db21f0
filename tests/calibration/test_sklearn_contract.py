"""What scikit-learn asks of a classifier, and its tools around ours."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import rulekit
from rulekit.calibration import Beta, CalibratedRules, Dirichlet, Temperature

#: Checks that cannot pass, each with its reason. None.
EXPECTED_FAILURES: dict[str, str] = {}


def small_tree():
    return DecisionTreeClassifier(max_depth=3, random_state=0)


@parametrize_with_checks(
    [
        CalibratedRules(rulekit.build("rcprob", small_tree()), cv=2),
        CalibratedRules(rulekit.build("rc+", small_tree()), "dirichlet", cv=2, average=True),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * generator.normal(size=200) > 0
    return pd.DataFrame(X, columns=["age", "Time", "Area"]), pd.Series(np.where(y, "yes", "no"))


def test_clone_keeps_parameters():
    model = CalibratedRules(small_tree(), Dirichlet(l2=0.5), average=True, random_state=3)
    again = clone(model)
    assert again.method.l2 == 0.5
    assert again.method is not model.method
    assert (again.average, again.random_state) == (True, 3)


def test_clone_keeps_a_frozen_model(data):
    frozen = FrozenEstimator(small_tree().fit(*data))
    assert clone(CalibratedRules(frozen)).model.estimator is frozen.estimator


def test_parameters_nest():
    model = CalibratedRules(rulekit.build("rcprob", small_tree()), Dirichlet())
    model.set_params(method__l2=0.5, model__final_estimator__crossover=20)
    assert (model.method.l2, model.model.final_estimator.crossover) == (0.5, 20)


def test_parameters_nest_in_a_map_given_by_name():
    """A map set by name stayed a string, of which scikit-learn then asked `set_params`."""
    model = CalibratedRules(small_tree(), "dirichlet").set_params(method__l2=0.5)
    assert (type(model.method), model.method.l2) == (Dirichlet, 0.5)
    model.set_params(method="beta", method__clip=0.01)
    assert (type(model.method), model.method.clip) == (Beta, 0.01)


def test_grid_search_over_parameters_of_a_map_given_by_name(data):
    search = GridSearchCV(
        CalibratedRules(small_tree(), "dirichlet", cv=2), {"method__l2": [0.1, 10.0]}, cv=2, error_score="raise"
    ).fit(*data)
    assert search.best_estimator_.method.l2 == search.best_params_["method__l2"]


def test_grid_search_over_maps(data):
    model = CalibratedRules(rulekit.build("rc+", small_tree()), cv=2)
    grid = {"method": ["temperature", "beta", Dirichlet(l2=0.1)], "average": [False, True]}
    search = GridSearchCV(model, grid, cv=2, scoring="neg_log_loss", error_score="raise").fit(*data)
    assert len(search.cv_results_["params"]) == 6


def test_cross_validation_with_a_frozen_model(data):
    model = CalibratedRules(FrozenEstimator(rulekit.build("rc+", small_tree()).fit(*data)))
    assert cross_val_score(model, *data, cv=2, error_score="raise").shape == (2,)


def test_at_the_end_of_a_pipeline(data):
    model = make_pipeline(StandardScaler(), CalibratedRules(rulekit.build("rc+", small_tree()))).fit(*data)
    assert model.score(*data) > 0.6


def test_pickles(data):
    model = CalibratedRules(rulekit.build("rc+", small_tree()), "isotonic").fit(*data)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(data[0]), again.predict_proba(data[0]))
    assert str(model.ruleset_) == str(again.ruleset_)


def test_fit_again_forgets_the_columns_of_another_model(data):
    model = CalibratedRules(small_tree()).fit(*data)
    assert model.feature_names_in_.tolist() == ["age", "Time", "Area"]
    model.fit(data[0].to_numpy(), data[1])
    assert not hasattr(model, "feature_names_in_")


def test_any_classifier_will_do(data):
    model = CalibratedRules(LogisticRegression(), Temperature()).fit(*data)
    np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)
    assert set(model.predict(data[0])) <= {"yes", "no"}


def test_the_printed_model_names_its_parts():
    text = repr(CalibratedRules(small_tree(), "beta"))
    assert "DecisionTreeClassifier" in text
    assert "'beta'" in text
