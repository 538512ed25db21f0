"""Missing values in columns that had none in training: three choices, against a reading of their definition."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from export.worlds import as_array, rulesets, samples
from ruleset.handmade import BOTH, NONE, handmade

import rulekit
from rulekit.core.errors import InvalidParameterError, UnexpectedMissingWarning
from rulekit.export import to_json
from rulekit.inference.aggregate import Aggregate
from rulekit.ruleset import RuleSet

nan = float("nan")
#: Time is missing where age satisfies rule 2 and where it does not; age is missing where rule 1 holds; both are.
GAPS = [[nan, 20.0], [nan, 10.0], [8.0, nan], [nan, nan]]


def matching(ruleset: RuleSet, sample: np.ndarray) -> list[bool]:
    """Which rules match one sample of numbers, condition by condition."""
    conditions, found = ruleset.conditions, []
    tested = {int(conditions.features[row]) for rule in ruleset.antecedents for row in rule}
    missing = {each for each in tested - conditions.missing_features if np.isnan(sample[each])}
    for rule in ruleset.antecedents[:-1]:
        if missing and ruleset.unexpected_missing == "default-rule":
            found.append(False)
            continue
        kept = [row for row in rule if conditions.features[row] not in missing]
        found.append(bool(kept) and all(conditions.region(row).holds(sample[conditions.features[row]]) for row in kept))
    return found


def test_every_choice_matches_as_it_is_defined():
    n_gaps = 0
    for seed, ruleset in enumerate(rulesets()):
        if ruleset.unexpected_missing == "error":
            continue
        numbers = ruleset.as_numbers(as_array(ruleset, samples(ruleset, seed, n_random=6)))
        n_gaps += np.isnan(numbers).any(axis=1).sum()
        expected = np.array([matching(ruleset, row) for row in numbers], dtype=bool).T.reshape(-1, len(numbers))
        np.testing.assert_array_equal(ruleset.matches_of(numbers), expected)
        for row in range(3):
            np.testing.assert_array_equal(ruleset.matches_of(numbers[[row]]), expected[:, [row]])
    assert n_gaps > 200


@pytest.mark.parametrize(
    ("choice", "rules", "warning"),
    [
        (
            "default-rule",
            [3, 3, 3, 3],
            r"4 of 5 samples have missing values in 'Time', 'age', .*: 1, 2, 3, 4, .*default",
        ),
        # Rule 1 has no condition without Time, and rule 2 none at all on the last sample.
        ("other-conditions", [2, 3, 1, 3], r"4 of 5 .* Rules answer by their other conditions"),
    ],
)
def test_the_batch_is_answered_with_one_warning_that_counts_the_samples(choice, rules, warning):
    ruleset = handmade().with_unexpected_missing(choice)
    with pytest.warns(UnexpectedMissingWarning, match=warning) as caught:
        answers = ruleset.predict_proba([NONE, *GAPS])
    assert len(caught) == 1
    np.testing.assert_array_equal(answers[1:], ruleset.probabilities[[rule - 1 for rule in rules]])
    with pytest.warns(UnexpectedMissingWarning):
        explained = ruleset.explain(GAPS)
    assert [each.rule.position for each in explained] == rules
    assert explained[0].unexpected_missing == ("Time",)
    assert explained.to_frame()["n_unexpected_missing"].tolist() == [1, 1, 1, 2]
    assert explained[0].to_dict()["unexpected_missing"] == ["Time"]


def test_an_explanation_says_what_was_left_out():
    with pytest.warns(UnexpectedMissingWarning):
        left_out = str(handmade().with_unexpected_missing("other-conditions").explain({"Time": None, "age": 20.0}))
    assert "Missing, although no training sample lacks it: Time; so conditions on it are left out." in left_out
    assert "value missing, left out" in left_out
    assert "Rule 1 does not match: it requires Time <= 8.125 (value missing)." in left_out
    with pytest.warns(UnexpectedMissingWarning):
        default = str(handmade().with_unexpected_missing("default-rule").explain({"Time": None, "age": 20.0}))
    assert "Time; so the default rule answers." in default


def test_aggregated_rules_leave_the_affected_samples_to_the_default_rule():
    ruleset = handmade(inference=Aggregate()).with_unexpected_missing("default-rule")
    with pytest.warns(UnexpectedMissingWarning):
        np.testing.assert_array_equal(ruleset.predict_proba(GAPS[:1]), ruleset.probabilities[[2]])


def test_complete_samples_are_answered_as_ever_and_nobody_is_warned():
    for choice in ("default-rule", "other-conditions"):
        np.testing.assert_array_equal(
            handmade().with_unexpected_missing(choice).predict_proba([BOTH, NONE]),
            handmade().predict_proba([BOTH, NONE]),
        )


def test_an_error_says_how_many_samples_are_affected_and_what_to_do():
    message = (
        r"missing values in 'Time', 'age', which had none in training.*\(4 of 5 samples\).*with_unexpected_missing"
    )
    with pytest.raises(ValueError, match=message):
        handmade().predict_proba([NONE, *GAPS])


def test_columns_that_no_rule_tests_are_not_looked_at():
    ruleset = handmade(("Time", "age", "other"))
    assert ruleset.predict([[*BOTH, nan]]).tolist() == ["yes"]


def test_documents_keep_the_choice_and_older_ones_have_none():
    ruleset = handmade().with_unexpected_missing("default-rule")
    assert RuleSet.from_json(to_json(ruleset)) == ruleset
    assert ruleset != handmade()
    assert "unexpected_missing" not in json.loads(to_json(handmade()))


def test_other_choices_are_rejected():
    with pytest.raises(
        InvalidParameterError, match="must be one of 'error', 'default-rule', 'other-conditions', got 'no'"
    ):
        handmade().with_unexpected_missing("no")


def test_counterfactuals_are_about_complete_samples():
    with pytest.raises(ValueError, match="missing values in 'Time'"):
        handmade().with_unexpected_missing("default-rule").counterfactual({"Time": None, "age": 20.0})


@pytest.mark.parametrize("as_frame", [True, False])
def test_a_fitted_model_follows_its_ruleset(as_frame):
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"]), rng.integers(0, 2, 200)
    y[X["a"] > 0] = 1
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    given = X if as_frame else X.to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = rulekit.build("rcprob", forest, min_coverage=0.05).fit(given, y)
    assert "a" in model.ruleset_.feature_names or not as_frame
    some = given[:5].copy()
    some[:] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(some)
    model.ruleset_ = model.ruleset_.with_unexpected_missing("default-rule")
    with pytest.warns(UnexpectedMissingWarning, match="5 of 5 samples"):
        np.testing.assert_array_equal(model.predict_proba(some), model.ruleset_.probabilities[[-1] * 5])
