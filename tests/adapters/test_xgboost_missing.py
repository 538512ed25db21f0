"""A number that stands for a missing value in XGBoost."""

import numpy as np
import pandas as pd
import pytest
from adapters.xgboost_models import TOLERANCE, samples, xgboost

import rulekit
from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.core.errors import EnsembleMismatchError, MissingValueWarning
from rulekit.evaluation import evaluate
from rulekit.model import as_numbers, read_forest

SENTINELS = [-999.0, 0.0, 1e10, -0.1, 7]


def with_sentinel(seed, missing):
    """Samples with gaps that follow the classes, once as the sentinel and once as NaN; and labels."""
    rng = np.random.default_rng(seed)
    X, y = samples(seed, n_classes=int(rng.integers(2, 4)), n_samples=150)
    gaps = rng.random(X.shape) < np.where(y == 1, 0.5, 0.1)[:, None]
    return np.where(gaps, missing, X), np.where(gaps, np.nan, X), y


def booster(X, y, missing, **parameters):
    """A `Booster` trained on a matrix with this missing value."""
    parameters = {"objective": "multi:softprob", "num_class": int(y.max()) + 1, "max_depth": 3} | parameters
    return xgboost.train(parameters | {"nthread": 1}, xgboost.DMatrix(X, y, missing=missing), 4)


def around(missing):
    """Numbers that XGBoost, in single precision, does or does not take for the missing value."""
    near = np.array([missing, np.nextafter(missing, np.inf), np.nextafter(missing, -np.inf)], dtype=float)
    single = np.float32(missing)
    return np.append(near, np.array([np.nextafter(single, np.float32(side)) for side in (-np.inf, np.inf)], float))


@pytest.mark.parametrize("missing", SENTINELS)
def test_samples_with_the_missing_value_agree_with_the_booster(missing):
    """A booster does not store `missing` of its matrix: -999 was compared as a number, 0.72 off."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        X, _, y = with_sentinel(seed, missing)
        model = booster(X, y, missing)
        tried = X.copy()
        tried[rng.random(X.shape) < 0.1] = np.nan
        some = rng.random(X.shape) < 0.2
        tried[some] = rng.choice(around(missing), size=int(some.sum()))
        adapter = XGBoostAdapter(missing=missing)
        forest = read_forest(model, adapter, tried, y, was_fitted=True)
        predicted = forest.predict_proba(as_numbers(forest, tried, model, None))
        expected = model.predict(xgboost.DMatrix(tried, missing=missing))
        np.testing.assert_allclose(predicted, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("form", [np.asarray, lambda X: pd.DataFrame(X, columns=list("abcd"))])
def test_the_rules_treat_the_number_as_they_treat_nan(form):
    """In everything that a fitted classifier does, and its ruleset."""
    for seed in range(5):
        X, with_nan, y = (form(part) if part.ndim == 2 else part for part in with_sentinel(seed, -999.0))
        model = booster(np.asarray(X), y, -999.0)
        rules = rulekit.build("rcprob", model, adapter=XGBoostAdapter(missing=-999.0)).fit(X, y)
        same = rulekit.build("rcprob", model).fit(with_nan, y)
        assert str(same.ruleset_) == str(rules.ruleset_)
        expected = same.predict_proba(with_nan)
        for one in (rules, rules.ruleset_):
            np.testing.assert_array_equal(expected, one.predict_proba(X))
            np.testing.assert_array_equal(expected, one.predict_proba(with_nan))
        np.testing.assert_array_equal(same.transform(with_nan), rules.transform(X))
        assert [each.rule for each in same.explain(with_nan)] == [each.rule for each in rules.explain(X)]
        assert evaluate(same, with_nan, y, ensemble=model) == evaluate(rules, X, y, ensemble=model)


def test_a_missing_value_where_training_had_none_is_rejected():
    X, y = samples()
    model = booster(X, y, -999.0)
    rules = rulekit.build("rcprob", model, adapter=XGBoostAdapter(missing=-999.0)).fit(X, y)
    X[0, 1] = -999.0
    for one in (rules, rules.ruleset_):
        with pytest.raises(ValueError, match="X has missing values in 'x1', which had none in training"):
            one.predict_proba(X)


@pytest.mark.parametrize("suffix", ["json", "sql", "py", "c"])
def test_exported_rules_expect_nan_and_a_warning_says_so(suffix, tmp_path):
    X, _, y = with_sentinel(0, -999.0)
    rules = rulekit.build("rcprob", booster(X, y, -999.0), adapter=XGBoostAdapter(missing=-999.0)).fit(X, y)
    with pytest.warns(MissingValueWarning, match="treat -999 as a missing value, but exported rules do not"):
        rules.ruleset_.export(tmp_path / f"rules.{suffix}")


def test_a_json_document_of_the_rules_expects_nan():
    """The document does not hold the number, as the reference says."""
    X, with_nan, y = with_sentinel(0, -999.0)
    rules = rulekit.build("rcprob", booster(X, y, -999.0), adapter=XGBoostAdapter(missing=-999.0)).fit(X, y)
    with pytest.warns(MissingValueWarning):
        loaded = rulekit.RuleSet.from_dict(rules.ruleset_.to_dict())
    np.testing.assert_array_equal(rules.predict_proba(X), loaded.predict_proba(with_nan))


def test_a_classifier_with_the_same_missing_value_is_read():
    X, _, y = with_sentinel(1, -999.0)
    model = xgboost.XGBClassifier(n_estimators=4, max_depth=3, missing=-999.0, n_jobs=1).fit(X, y)
    forest = XGBoostAdapter(missing=-999.0).forest(model)
    predicted = forest.predict_proba(as_numbers(forest, X, model, None))
    np.testing.assert_allclose(predicted, model.predict_proba(X), rtol=0, atol=TOLERANCE)


def test_a_missing_value_that_may_be_a_code_is_rejected_beside_labels():
    """XGBoost compares the codes of labels with it: the first category of each column would be missing."""
    X, y = samples()
    frame = pd.DataFrame({"number": X[:, 0], "colour": pd.Categorical(np.where(y, "red", "blue"))})
    matrix = xgboost.DMatrix(frame, y, missing=0.0, enable_categorical=True)
    model = xgboost.train({"objective": "binary:logistic", "nthread": 1}, matrix, 2)
    with pytest.raises(EnsembleMismatchError, match="Not supported: 0 as a missing value beside columns of category"):
        rulekit.build("rcprob", model, adapter=XGBoostAdapter(missing=0.0)).fit(frame, y)
