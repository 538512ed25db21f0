"""The estimators that stand in for a researcher's must do what the built-in ones do, or their times say nothing."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from benchmarks.runs.swap import PLAIN


@pytest.mark.parametrize("method", PLAIN)
def test_a_plain_estimator_finds_the_rules_of_the_built_in(method):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    expected = rulekit.build(method, forest).fit(X, y).ruleset_
    assert rulekit.build(method, forest, search_estimator=PLAIN[method]()).fit(X, y).ruleset_ == expected
