import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

import rulekit
from rulekit.calibration import CalibratedRules, CalibratedRuleSet


@pytest.fixture(scope="module")
def calibrated():
    """Rules of iris, of which two state a certainty that they do not deserve."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))
    rules = rulekit.build("tree", max_leaves=3, final_estimator="empirical", random_state=0).fit(X[::3], y[::3])
    return CalibratedRules(rules, prefit=True).fit(X[1::3], y[1::3])


@pytest.fixture(scope="module")
def ruleset(calibrated):
    return calibrated.ruleset_


def test_is_a_ruleset_with_calibrated_probabilities(calibrated, ruleset):
    assert isinstance(ruleset, rulekit.RuleSet)
    predicted = calibrated.model_.ruleset_.probabilities
    assert np.array_equal(ruleset.probabilities, calibrated.calibrate(predicted))
    assert np.array_equal(ruleset.uncalibrated, predicted)


def test_prints_both_probabilities_of_each_rule(calibrated, ruleset):
    own, plain = str(ruleset).splitlines(), str(calibrated.model_.ruleset_).splitlines()
    assert own[0] == plain[0]
    headings = "rule class uncalibrated calibrated answered precision coverage samples if"
    assert own[1].split() == headings.split()
    for line, before, rule in zip(own[3:-1], plain[3:-1], ruleset, strict=True):
        cells, old = line.split(), before.split()
        assert cells[:4] == [*old[:3], f"{rule.probability:.3f}"]
        assert cells[4:] == old[3:]


def test_shows_both_probabilities_in_a_notebook(ruleset):
    html = ruleset._repr_html_()
    assert html.count("<tr>") == len(ruleset) + 1
    assert "<th style='text-align:left'>calibrated</th>" in html
    assert f">{ruleset[0].probability:.3f}</td>" in html


def test_has_both_probabilities_in_a_frame(calibrated, ruleset):
    frame = ruleset.to_frame()
    before = calibrated.model_.ruleset_.to_frame()
    assert frame["uncalibrated_probability"].tolist() == before["probability"].tolist()
    assert frame["probability"].tolist() == [rule.probability for rule in ruleset]
    assert frame.drop(columns=["uncalibrated_probability", "probability"]).equals(before.drop(columns="probability"))


def test_of_a_class_that_calibration_changed_shows_what_was_stated_of_the_new_one(calibrated):
    plain = calibrated.model_.ruleset_
    turned = CalibratedRuleSet.of(plain, plain.probabilities[:, [1, 0, 2]])
    first = str(turned).splitlines()[3].split()
    assert first[1:4] == ["versicolor", "0.000", "1.000"]


def test_is_saved_with_calibrated_probabilities(ruleset):
    X, _ = load_iris(return_X_y=True, as_frame=True)
    again = rulekit.RuleSet.from_dict(json.loads(json.dumps(ruleset.to_dict())))
    assert again == ruleset
    assert np.array_equal(again.predict_proba(X), ruleset.predict_proba(X))


def test_explains_with_calibrated_probabilities(ruleset):
    X, _ = load_iris(return_X_y=True, as_frame=True)
    explanation = ruleset.explain(X.iloc[0])
    assert explanation.rule.probability == explanation.probabilities.max()


def test_cannot_be_changed(ruleset):
    with pytest.raises(ValueError, match="read-only"):
        ruleset.uncalibrated[0, 0] = 0.5


def test_leaves_the_plain_rules_as_they_were(calibrated, ruleset):
    assert not np.array_equal(calibrated.model_.ruleset_.probabilities, ruleset.probabilities)
