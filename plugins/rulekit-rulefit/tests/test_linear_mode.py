"""The inference mode `linear`: log-odds worked out by hand, terms, refusals, and rulesets that come back from JSON."""

import json

import numpy as np
import pytest
from rulekit_rulefit import Linear, RuleFit
from rulekit_rulefit.logistic import normalised
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit.testing import parametrize_with_checks

DATA = {"two classes": load_breast_cancer, "three classes": load_wine}


def small_forest():
    return RandomForestClassifier(10, max_depth=3, random_state=0)


@parametrize_with_checks([Linear()])
def test_the_mode_keeps_what_inference_modes_promise(component, check):
    check(component)


def two_rules(mode, predicted=((0.9, 0.1), (0.3, 0.7), (0.6, 0.4))):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    rules = rulekit.build("tree", random_state=0, max_leaves=3).fit(X, y).ruleset_
    return rulekit.RuleSet(
        rules.conditions.take(np.arange(2)),
        ((0,), (1,), ()),
        np.array(predicted),
        rules.counts[:3],
        rules.classes,
        569,
        mode,
    )


def test_weights_of_matching_rules_add_up_to_log_odds():
    ruleset = two_rules(Linear([[-0.5, 0.5], [1.0, -1.0]], [-0.25, 0.25]))
    matches = np.array([[True, True, False, False], [True, False, True, False]])
    log_odds = np.array([0.25 + 0.5 - 1.0, 0.25 + 0.5, 0.25 - 1.0, 0.25])
    second = 1 / (1 + np.exp(-log_odds))
    expected = np.column_stack([1 - second, second])
    np.testing.assert_allclose(ruleset.inference.infer(matches, ruleset), expected, rtol=1e-12)


def test_without_weights_a_rule_that_matches_alone_answers_what_it_states():
    ruleset = two_rules(Linear())
    matches = np.array([[True, False, False], [False, True, False]])
    np.testing.assert_allclose(ruleset.inference.infer(matches, ruleset), ruleset.probabilities, rtol=1e-9)


def test_a_term_counts_from_its_centre_within_its_limits():
    term = {"feature": 1, "low": 10.0, "high": 20.0, "centre": 14.0, "weights": [-0.5, 0.5]}
    ruleset = two_rules(Linear([[0, 0], [0, 0]], [0.0, 0.0], [term]))
    X = np.zeros((5, 30))
    X[:, 1] = [14.0, 16.0, 99.0, -99.0, np.nan]
    second = 1 / (1 + np.exp(-0.5 * np.array([0.0, 2.0, 6.0, -4.0, 0.0])))
    answers = ruleset.inference.infer_samples(np.zeros((2, 5), dtype=bool), X, ruleset)
    np.testing.assert_allclose(answers[:, 1], second, rtol=1e-12)


def test_terms_without_samples_are_refused():
    term = {"feature": 1, "low": 10.0, "high": 20.0, "centre": 14.0, "weights": [-0.5, 0.5]}
    ruleset = two_rules(Linear([[0, 0], [0, 0]], [0.0, 0.0], [term]))
    with pytest.raises(InvalidParameterError, match="linear terms need the samples' values"):
        ruleset.inference.infer(np.zeros((2, 1), dtype=bool), ruleset)


@pytest.mark.parametrize(("weights", "intercepts"), [([[1, -1]], [0, 0]), ([[1, 1, 1]] * 2, [0, 0]), (None, [0.0])])
def test_weights_of_another_ruleset_are_refused(weights, intercepts):
    ruleset = two_rules(Linear(weights, intercepts))
    with pytest.raises(InvalidParameterError, match=r"weights must have the shape \(2, 2\), a row for each rule"):
        ruleset.inference.infer(np.zeros((2, 1), dtype=bool), ruleset)


def test_log_odds_far_out_still_give_a_distribution():
    answers = np.exp(normalised(np.array([[-2000.0, -2001.0, -5000.0], [900.0, 900.0, -900.0]])))
    np.testing.assert_allclose(answers, [[0.7310585786, 0.2689414214, 0.0], [0.5, 0.5, 0.0]], rtol=1e-9)


@pytest.mark.parametrize("linear_terms", [False, True])
@pytest.mark.parametrize("data", DATA)
def test_a_ruleset_with_weights_survives_json(data, linear_terms):
    X, y = DATA[data](return_X_y=True)
    ruleset = RuleFit(small_forest(), linear_terms=linear_terms, C=1.0, random_state=0).fit(X, y).ruleset_
    back = rulekit.RuleSet.from_dict(json.loads(json.dumps(ruleset.to_dict())))
    assert back == ruleset
    np.testing.assert_array_equal(back.predict_proba(X), ruleset.predict_proba(X))


def test_other_rulesets_can_answer_with_it():
    X, y = load_wine(return_X_y=True)
    answers = rulekit.build("rcprob", small_forest(), inference="linear").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(answers.sum(axis=1), 1.0, rtol=1e-12)
