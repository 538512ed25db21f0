"""Rulesets that are too long to read."""

import warnings

import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.errors import ManyRulesWarning


@pytest.fixture(scope="module")
def noisy():
    """Classes in many small regions: the deeper the trees, the more rules."""
    X, y = make_classification(3000, 8, n_informative=8, n_redundant=0, n_clusters_per_class=8, random_state=0)
    return RandomForestClassifier(4, max_depth=12, random_state=0).fit(X, y), X, y


def test_are_warned_of_once_with_the_remedy(noisy):
    forest, X, y = noisy
    with pytest.warns(ManyRulesWarning) as caught:
        rulekit.build("rc+", forest).fit(X, y)
    assert len(caught) == 1
    assert "Raise min_coverage, for example from 0 to 0.0017," in str(caught[0].message)
    assert caught[0].filename == __file__


def test_are_not_there_once_the_remedy_is_taken(noisy):
    forest, X, y = noisy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(rulekit.build("rc+", forest, min_coverage=0.02).fit(X, y).ruleset_) <= 201


def test_are_warned_of_in_every_fit(noisy):
    forest, X, y = noisy
    model = rulekit.build("rc+", forest)
    for _ in range(2):
        with pytest.warns(ManyRulesWarning):
            model.fit(X, y)


def test_are_what_the_warning_says(noisy):
    forest, X, y = noisy
    with pytest.warns(ManyRulesWarning) as caught:
        history = rulekit.build("rc+", forest).fit(X, y).history_
    first = next(step for step in history if step.accepted and step.n_after_simplify > 200)
    assert f"There are {first.n_after_simplify} rules after {first.tree + 1} trees" in str(caught[0].message)


def test_short_ones_are_not_warned_of():
    rulekit.build("rcprob", "rf", random_state=0).fit(*load_breast_cancer(return_X_y=True))
