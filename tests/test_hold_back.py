"""An estimator that counts samples which did not help to choose the rules."""

import attrs
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.inference.decision_list import DecisionList


class EveryThird(ProbabilityEstimator):
    """Smoothed class fractions of every third sample."""

    def hold_back(self, y):
        return np.arange(len(y)) % 3 == 0

    def estimate(self, rules):
        counts = rules.counts + 1.0
        return counts / counts.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    return X, y, np.arange(len(y)) % 3 == 0


def settings():
    return {"final_estimator": EveryThird(), "random_state": 0}


def exact(ruleset):
    """The conditions without their rounding for people, which looks at all samples."""
    return [tuple(attrs.evolve(condition, display=None) for condition in rule.conditions) for rule in ruleset]


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize("ensemble", [RandomForestClassifier, GradientBoostingClassifier])
def test_ensemble_and_search_see_the_other_samples_only(data, ensemble, method):
    X, y, held = data
    unfitted = ensemble(n_estimators=20, max_depth=3, random_state=0)
    model = rulekit.build(method, unfitted, **settings()).fit(X, y)
    others = rulekit.build(method, unfitted, random_state=0).fit(X[~held], y[~held])
    assert exact(others.ruleset_) == exact(model.ruleset_)
    assert len(model.ruleset_) > 3


def test_rules_state_what_the_held_back_samples_say(data):
    X, y, held = data
    ruleset = rulekit.build("rcprob", "gbm", **settings()).fit(X, y).ruleset_
    for matches, rule in zip(ruleset.matches(X), ruleset[:-1], strict=True):
        counts = np.bincount(y[held & matches], minlength=2) + 1
        assert (counts / counts.sum()).tolist() == rule.probabilities.tolist()
    unanswered = held & ~ruleset.matches(X).any(axis=0)
    counts = np.bincount(y[unanswered if unanswered.any() else held], minlength=2)
    assert (counts / counts.sum()).tolist() == ruleset.probabilities[-1].tolist()


def test_rules_count_all_training_samples(data):
    X, y, _ = data
    ruleset = rulekit.build("rcprob", "gbm", **settings()).fit(X, y).ruleset_
    for matches, rule in zip(ruleset.matches(X), ruleset[:-1], strict=True):
        assert np.bincount(y[matches], minlength=2).tolist() == rule.counts.tolist()
    assert ruleset.n_samples == len(y)


def test_a_fitted_ensemble_is_used_as_it_is_and_the_search_alone_sees_less(data):
    X, y, held = data
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    model = rulekit.build("rcprob", forest, **settings()).fit(X, y)
    others = rulekit.build("rcprob", forest).fit(X[~held], y[~held])
    assert model.ensemble_ is forest
    assert exact(others.ruleset_) == exact(model.ruleset_)


def test_as_search_estimator_it_holds_nothing_back(data):
    X, y, _ = data
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    guided = rulekit.build("rcprob", forest, search_estimator=EveryThird(), final_estimator="laplace").fit(X, y)
    assert isinstance(guided.ruleset_.inference, DecisionList)
    np.testing.assert_array_equal(
        (guided.ruleset_.counts[:-1] + 1) / (guided.ruleset_.counts[:-1] + 1).sum(axis=1, keepdims=True),
        guided.ruleset_.probabilities[:-1],
    )


def test_data_frames_are_divided_too(data):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X.columns = [f"x{column}" for column in range(X.shape[1])]  # names decide between rules that are equally good
    from_frame = rulekit.build("rcprob", "gbm", **settings()).fit(X, y).ruleset_
    from_array = rulekit.build("rcprob", "gbm", **settings()).fit(X.to_numpy(), y).ruleset_
    np.testing.assert_array_equal(from_array.probabilities, from_frame.probabilities)


def test_out_of_bag_predictions_are_known_where_the_forest_did_not_see_the_samples_held_back(data):
    """They were taken for unknown, so `soft` fitted five more forests."""
    X, y, held = data
    forest = RandomForestClassifier(n_estimators=20, max_depth=3, random_state=0)
    model = rulekit.build("rclist", forest, **settings())
    own = model.prepare(X, y).out_of_bag_probabilities
    expected = RandomForestClassifier(n_estimators=20, max_depth=3, random_state=0, oob_score=True)
    expected.fit(X[~held], y[~held])
    known = ~np.isnan(own).any(axis=1)
    assert np.allclose(expected.oob_decision_function_[known[~held]], own[~held & known])
    assert np.allclose(expected.predict_proba(X[held]), own[held])
    assert model.fit(X, y).history_[-1].report["honest"] == "out-of-bag"
