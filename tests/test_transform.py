"""A classifier of rules as a step that makes features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import rulekit


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, pd.Series]:
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture
def model() -> rulekit.RuleExtractor:
    return rulekit.build("rcprob", RandomForestClassifier(10, max_depth=3, random_state=0))


def test_a_column_says_which_samples_satisfy_a_rule(model, data):
    X, y = data
    activations = model.fit(X, y).transform(X)
    expected = [
        [all(condition.holds(row[condition.feature_index]) for condition in rule.conditions) for rule in model.ruleset_]
        for row in X.to_numpy()
    ]
    assert activations.tolist() == np.array(expected, dtype=float)[:, :-1].tolist()


def test_every_rule_but_the_default_has_a_name(model, data):
    names = model.fit(*data).get_feature_names_out()
    assert names.tolist() == [f"rule_{rule.position}" for rule in model.ruleset_[:-1]]


def test_it_fits_and_transforms_at_once(model, data):
    np.testing.assert_array_equal(clone(model).fit_transform(*data), model.fit(*data).transform(data[0]))


def test_pandas_comes_out_if_it_is_asked_for(model, data):
    frame = model.set_output(transform="pandas").fit(*data).transform(data[0])
    assert list(frame.columns) == model.get_feature_names_out().tolist()
    assert frame.index.equals(data[0].index)


def test_rules_are_features_of_another_model(model, data):
    X, y = data
    pipeline = make_pipeline(model, LogisticRegression(max_iter=1000)).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert pipeline[:-1].get_feature_names_out().tolist() == pipeline[0].get_feature_names_out().tolist()


def test_another_table_has_other_names(model, data):
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        model.fit(*data).get_feature_names_out(["a", "b", "c", "d"])


def test_before_fit_it_is_rejected(model, data):
    with pytest.raises(NotFittedError):
        model.transform(data[0])
    with pytest.raises(NotFittedError):
        model.get_feature_names_out()


def test_behind_a_pipeline_samples_go_through_its_steps():
    from sklearn.preprocessing import StandardScaler

    X, y = load_iris(return_X_y=True)
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(10, max_depth=3, random_state=0))
    model = rulekit.build("rcprob", forest, columns="transformed").fit(X, y)
    scaled = model.transformer_.transform(X)
    np.testing.assert_array_equal(model.transform(X), model.ruleset_.matches(scaled).T)
