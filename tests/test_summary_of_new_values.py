"""A summary on samples with categories and missing values that training had not."""

from copy import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rulekit
from rulekit.evaluation import evaluate


@pytest.fixture(scope="module")
def behind_steps():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"colour": rng.choice(["blue", "red", "white"], 300), "size": rng.normal(size=300)})
    y = np.where((X["colour"] == "red") | (X["size"] > 0.5), "a", "b")
    encoder = OneHotEncoder(handle_unknown="ignore")
    steps = make_column_transformer((encoder, ["colour"]), (SimpleImputer(), ["size"]))
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    return rulekit.build("rcprob", make_pipeline(steps, forest)).fit(X, y), X, y


class TestSamplesUnlikeTraining:
    def test_have_categories_that_no_tree_takes_for_missing_values(self, behind_steps):
        model, X, y = behind_steps
        new = X.assign(colour=np.where(X.index % 5 == 0, "green", X["colour"]))
        found = model.summary(new, y, (X, y))
        as_categories = X.assign(colour=X["colour"].astype("category"))
        tree = rulekit.build("tree", max_leaves=len(model.ruleset_), random_state=0).fit(as_categories, y)
        expected = evaluate(tree, new, y)
        assert found.to_frame().loc["tree", "log_loss"] == pytest.approx(expected["log_loss"])

    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.UnexpectedMissingWarning")
    def test_are_answered_by_trees_as_by_the_rules_where_values_are_missing(self, behind_steps):
        model, X, y = behind_steps
        model = copy(model)
        model.ruleset_ = model.ruleset_.with_unexpected_missing("default-rule")
        found = model.summary(X.assign(size=np.nan), y, (X, y), measures=["log_loss"])
        assert found.to_frame().index.tolist() == ["rules", "ensemble", "tree", "shrunk-tree"]
