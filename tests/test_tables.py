"""Tables as people have them: missing values, categories, labels of any type, steps before the ensemble."""

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rulekit
from rulekit.model import named_ensemble


def numbers(n_samples: int = 200) -> tuple[pd.DataFrame, pd.Series]:
    """Whether age is missing mostly determines the class."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_samples, 3)), columns=["age", "time", "area"])
    is_missing = rng.random(n_samples) < 0.3
    y = np.where(is_missing | (X["time"] > 0.5), "yes", "no")
    X.loc[is_missing, "age"] = np.nan
    return X, pd.Series(y)


def categories(n_samples: int = 300) -> tuple[pd.DataFrame, pd.Series]:
    """Red and blue things of any size are in, and large green ones."""
    rng = np.random.default_rng(1)
    colour = pd.Categorical(rng.choice(["blue", "green", "red", "white", "black"], n_samples))
    X = pd.DataFrame({"size": rng.normal(size=n_samples), "colour": colour})
    inside = X["colour"].isin(["red", "blue"]) | ((X["colour"] == "green") & (X["size"] > 0.5))
    return X, pd.Series(np.where(inside, "in", "out"))


TAKES_MISSING = ["rf", "extra-trees", "tree", "bagging", "hist-gbm", "xgboost", "lightgbm", "catboost"]
TAKES_CATEGORIES = ["hist-gbm", "xgboost", "lightgbm"]


@cache
def fitted_on_numbers(name: str) -> rulekit.RuleExtractor:
    """A model that no test may change."""
    return rulekit.build("rcprob", named_ensemble(name, 0)).fit(*numbers())


@cache
def fitted_on_categories(name: str) -> rulekit.RuleExtractor:
    """A model that no test may change."""
    return rulekit.build("rcprob", named_ensemble(name, 0)).fit(*categories())


@pytest.mark.parametrize("name", TAKES_MISSING)
class TestMissingValues:
    def test_rules_say_where_missing_values_go(self, name):
        model = fitted_on_numbers(name)
        assert "age" in str(model.ruleset_)
        assert any(condition.or_missing for rule in model.ruleset_ for condition in rule.conditions)
        assert " or missing" in str(model.ruleset_) or "age is missing" in str(model.ruleset_)

    def test_samples_with_missing_values_match_by_the_rules(self, name):
        X, y = numbers()
        model = fitted_on_numbers(name)
        assert model.score(X, y) > 0.9
        slow = [
            [all(c.holds(float(sample[c.feature_index])) for c in rule.conditions) for sample in X.to_numpy()]
            for rule in model.ruleset_[:-1]
        ]
        assert slow == model.ruleset_.matches(X).tolist()

    def test_a_column_that_was_always_there_must_stay_so(self, name):
        X, _ = numbers()
        model = fitted_on_numbers(name)
        with pytest.raises(ValueError, match="X has missing values in 'time', which had none in training"):
            model.predict(X.assign(time=np.nan))

    def test_rulesets_survive_json(self, name):
        X, _ = numbers()
        ruleset = fitted_on_numbers(name).ruleset_
        again = rulekit.RuleSet.from_dict(json.loads(json.dumps(ruleset.to_dict())))
        assert again == ruleset
        assert again.predict_proba(X).tolist() == ruleset.predict_proba(X).tolist()


def test_a_model_that_never_saw_missing_values_rejects_them_at_predict():
    X, y = numbers()
    model = rulekit.build("rcprob", HistGradientBoostingClassifier(max_iter=5)).fit(X.fillna(0.0), y)
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(X)


def test_an_ensemble_that_takes_no_missing_values_says_so_before_it_is_fitted():
    X, y = numbers()
    with pytest.raises(ValueError, match="contains NaN"):
        rulekit.build("rcprob", GradientBoostingClassifier()).fit(X, y)


@pytest.mark.parametrize("name", TAKES_CATEGORIES)
class TestCategories:
    def fit(self, name: str) -> Any:
        return fitted_on_categories(name), *categories()

    def test_rules_name_the_categories(self, name):
        model, _, _ = self.fit(name)
        printed = str(model.ruleset_)
        assert "colour in {" in printed or "colour not in {" in printed
        assert "red" in printed or "green" in printed

    def test_rules_follow_the_ensemble(self, name):
        model, X, y = self.fit(name)
        assert model.score(X, y) > 0.9

    def test_a_rule_has_one_set_per_feature(self, name):
        model, _, _ = self.fit(name)
        for rule in model.ruleset_:
            assert len([condition for condition in rule.conditions if condition.threshold is None]) <= 1

    def test_rulesets_survive_json(self, name):
        model, X, _ = self.fit(name)
        again = rulekit.RuleSet.from_dict(json.loads(json.dumps(model.ruleset_.to_dict())))
        assert again == model.ruleset_
        assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()

    def test_one_sample_is_explained_by_its_labels(self, name):
        model, X, _ = self.fit(name)
        explanation = model.explain(X.iloc[[0]])
        assert explanation.sample == (X["size"].iloc[0], X["colour"].iloc[0])
        assert explanation.label == model.predict(X.iloc[[0]])[0]

    def test_an_unseen_category_is_in_no_set(self, name):
        model, X, _ = self.fit(name)
        unseen = X.head(20).assign(colour=pd.Categorical(["purple"] * 20))
        code = np.nan if name == "hist-gbm" else -1.0
        expected = [
            [all(c.holds([size, code][c.feature_index]) for c in rule.conditions) for size in unseen["size"]]
            for rule in model.ruleset_[:-1]
        ]
        assert expected == model.ruleset_.matches(unseen).tolist()


def test_an_or_among_several_conditions_stands_in_brackets():
    X, _ = numbers()
    old = X["age"].isna() | (X["age"] > 0.3)
    both = rulekit.build("tree").fit(X, old & (X["time"] > 0)).ruleset_
    assert any(" or missing) and time > " in rule.antecedent for rule in both)
    alone = rulekit.build("tree").fit(X, old).ruleset_
    assert any(rule.antecedent.endswith(" or missing") for rule in alone)


class TestPipelines:
    def test_rules_speak_of_the_transformed_columns_on_request(self):
        X, y = categories()
        steps = ColumnTransformer(
            [("colours", OneHotEncoder(sparse_output=False), ["colour"]), ("sizes", StandardScaler(), ["size"])]
        )
        pipeline = make_pipeline(steps, RandomForestClassifier(20, max_depth=4, random_state=0))
        model = rulekit.build("rcprob", pipeline, columns="transformed").fit(X, y)
        assert set(model.ruleset_.feature_names) >= {"sizes__size", "colours__colour_red"}
        assert model.score(X, y) > 0.9

    def test_a_fitted_pipeline_is_used_as_it_is(self):
        X, y = numbers()
        pipeline = make_pipeline(SimpleImputer(), RandomForestClassifier(20, max_depth=4, random_state=0)).fit(X, y)
        model = rulekit.build("rcprob", pipeline).fit(X, y)
        assert model.ensemble_ is pipeline
        assert model.predict(X).shape == (200,)

    def test_one_sample_is_explained_after_the_steps(self):
        X, y = numbers()
        pipeline = make_pipeline(SimpleImputer(), RandomForestClassifier(20, max_depth=4, random_state=0))
        model = rulekit.build("rcprob", pipeline).fit(X, y)
        assert model.explain(X.iloc[[0]]).label == model.predict(X.iloc[[0]])[0]


@pytest.mark.parametrize("name", [component.name for component in rulekit.list_components("ensemble")])
@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (3, 7)])
def test_class_labels_may_be_of_any_type(name, labels):
    X, y = numbers()
    y = np.where(y == "yes", labels[1], labels[0])
    model = rulekit.build("rcprob", named_ensemble(name, 0)).fit(X.fillna(0.0), y)
    assert model.classes_.tolist() == list(labels)
    assert set(model.predict(X.fillna(0.0)).tolist()) <= set(labels)
