"""The ruleset: a sequence of rules that predicts on its own."""

import pickle

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ruleset.handmade import BOTH, FIRST, NAMES, NONE, SECOND, handmade
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.conditions import Conditions
from rulekit.core.interfaces import InferenceMode
from rulekit.inference.aggregate import Aggregate
from rulekit.ruleset import Rule

SAMPLES = np.array([BOTH, FIRST, SECOND, NONE])


class Cautious(InferenceMode):
    """Always the default; registered nowhere."""

    def infer(self, matches, ruleset):
        return np.tile(ruleset.probabilities[-1], (matches.shape[1], 1))


class TestSequence:
    def test_its_length_counts_the_default(self):
        assert len(handmade()) == 3

    def test_its_items_are_rules(self):
        assert {type(rule) for rule in handmade()} == {Rule}

    def test_iterating_gives_the_rules_in_order(self):
        assert [rule.position for rule in handmade()] == [1, 2, 3]

    def test_a_negative_position_counts_from_the_end(self):
        assert handmade()[-1].is_default

    def test_a_numpy_integer_is_a_position(self):
        assert handmade()[np.int64(1)].position == 2

    def test_a_position_beyond_the_end_raises(self):
        with pytest.raises(IndexError):
            handmade()[3]

    def test_a_slice_gives_a_list_of_rules(self):
        assert [rule.position for rule in handmade()[:-1]] == [1, 2]

    def test_a_slice_may_go_backwards(self):
        assert [rule.position for rule in handmade()[::-1]] == [3, 2, 1]

    def test_an_empty_slice_is_an_empty_list(self):
        assert handmade()[5:] == []

    def test_a_rule_is_in_its_ruleset(self):
        assert handmade()[1] in handmade()

    def test_the_index_of_a_rule_is_found(self):
        ruleset = handmade()
        assert ruleset.index(ruleset[2]) == 2

    def test_rules_can_be_reversed(self):
        assert [rule.position for rule in reversed(handmade())] == [3, 2, 1]

    def test_conditions_are_counted(self):
        assert handmade().n_conditions == 3

    def test_feature_names(self):
        assert handmade().feature_names == NAMES


class TestPrediction:
    def test_the_first_rule_that_matches_answers(self):
        expected = [[0.0625, 0.9375], [0.0625, 0.9375], [0.875, 0.125], [0.75, 0.25]]
        assert handmade().predict_proba(SAMPLES).tolist() == expected

    def test_labels(self):
        assert handmade().predict(SAMPLES).tolist() == ["yes", "yes", "no", "no"]

    def test_matches(self):
        expected = [[True, True, False, False], [True, False, True, False]]
        assert handmade().matches(SAMPLES).tolist() == expected

    def test_first_matches(self):
        assert handmade().first_matches(SAMPLES).tolist() == [0, 0, 1, 2]

    def test_the_inference_mode_decides(self):
        expected = [(0.0625 + 0.875) / 2, (0.9375 + 0.125) / 2]
        assert handmade(inference=Aggregate()).predict_proba([BOTH])[0].tolist() == expected

    def test_pandas(self):
        frame = pd.DataFrame(SAMPLES, columns=list(NAMES))
        np.testing.assert_array_equal(handmade().predict_proba(SAMPLES), handmade().predict_proba(frame))

    def test_polars(self):
        frame = pl.DataFrame(SAMPLES, schema=list(NAMES))
        np.testing.assert_array_equal(handmade().predict_proba(SAMPLES), handmade().predict_proba(frame))

    def test_lists(self):
        np.testing.assert_array_equal(handmade().predict_proba(SAMPLES), handmade().predict_proba(SAMPLES.tolist()))

    def test_more_samples_than_one_block(self):
        many = np.tile(SAMPLES, (10_000, 1))
        expected = np.tile(handmade().predict_proba(SAMPLES), (10_000, 1))
        np.testing.assert_array_equal(expected, handmade().predict_proba(many))

    @pytest.mark.parametrize("name", ["rc+", "rcprob"])
    @pytest.mark.parametrize("inference", ["decision-list", "aggregate"])
    @pytest.mark.parametrize(
        "ensemble",
        [
            RandomForestClassifier(4, max_depth=3, random_state=0),
            GradientBoostingClassifier(n_estimators=3, random_state=0),
        ],
        ids=["forest", "boosting"],
    )
    def test_it_answers_as_its_model_does(self, name, inference, ensemble):
        generator = np.random.default_rng(0)
        X = generator.normal(size=(150, 3))
        y = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * generator.normal(size=150), [0.0, 0.8])
        model = rulekit.build(name, ensemble, inference=inference).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), model.ruleset_.predict_proba(X))


class TestWrongSamples:
    def test_too_few_columns_are_counted(self):
        message = (
            "^X has 1 columns, but the rules were extracted from 2: 'Time', 'age'. "
            "Pass the same columns in the same order.$"
        )
        with pytest.raises(ValueError, match=message):
            handmade().predict_proba([[1.0]])

    def test_missing_names_are_listed(self):
        message = r"^X has no column 'age', which the rules use\. Pass a column for each of them\.$"
        with pytest.raises(ValueError, match=message):
            handmade().predict_proba(pd.DataFrame(SAMPLES, columns=["Time", "Age"]))

    def test_missing_names_in_polars_are_listed(self):
        with pytest.raises(ValueError, match="X has no column 'age'"):
            handmade().predict_proba(pl.DataFrame(SAMPLES, schema=["Time", "Age"]))

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_values_that_are_not_finite_are_rejected(self, value):
        with pytest.raises(ValueError, match=r"missing values in 'Time'|contains infinity"):
            handmade().predict_proba([[value, 1.0]])

    def test_a_one_dimensional_sample_is_rejected(self):
        with pytest.raises(ValueError, match=r"Reshape your data"):
            handmade().predict_proba(np.array([1.0, 2.0]))

    def test_strings_are_rejected(self):
        with pytest.raises(ValueError, match="could not convert string to float: 'old'"):
            handmade().predict_proba([[1.0, "old"]])


def changed(**parts: object) -> rulekit.RuleSet:
    return attrs.evolve(handmade(), **parts)


def other_conditions(**parts: object) -> Conditions:
    return attrs.evolve(handmade().conditions, **parts)


class TestEquality:
    def test_the_same_rules_are_equal(self):
        assert handmade() == handmade()

    @pytest.mark.parametrize(
        "other",
        [
            changed(probabilities=np.array([[0.0625, 0.9375], [0.875, 0.125], [0.5, 0.5]])),
            changed(counts=np.array([[2, 30], [30, 10], [6, 3]])),
            changed(classes=np.array(["no", "maybe"])),
            changed(classes=np.array([0, 1])),
            changed(n_samples=81),
            changed(antecedents=((0,), (1,), ())),
            changed(antecedents=((0, 2), (1, 2), ())),
            changed(inference=Aggregate()),
            changed(conditions=other_conditions(thresholds=np.array([8.125, 16.5, np.nextafter(20.0, 21.0)]))),
            changed(conditions=other_conditions(is_upper=np.array([True, True, True]))),
            changed(conditions=other_conditions(features=np.array([0, 0, 0]))),
            changed(conditions=other_conditions(feature_names=("Time", "Age"))),
            changed(conditions=other_conditions(input_dtype=np.dtype(np.float32))),
        ],
        ids=[
            "probabilities",
            "counts",
            "classes",
            "type of classes",
            "samples",
            "shorter rule",
            "longer rule",
            "inference",
            "threshold",
            "operator",
            "feature",
            "name",
            "precision of the input",
        ],
    )
    def test_one_that_differs_in_one_part_is_not_equal(self, other):
        assert handmade() != other

    def test_a_ruleset_is_not_equal_to_its_document(self):
        assert handmade() != handmade().to_dict()

    def test_rulesets_with_an_unregistered_inference_mode_can_be_compared(self):
        """Equality asked for the document, which cannot name an unregistered inference mode, and raised."""
        assert handmade(inference=Cautious()) == handmade(inference=Cautious())

    def test_a_ruleset_has_no_hash(self):
        with pytest.raises(TypeError, match="unhashable"):
            hash(handmade())

    def test_a_pickled_ruleset_is_equal(self):
        assert pickle.loads(pickle.dumps(handmade())) == handmade()

    def test_a_pickled_ruleset_predicts_the_same(self):
        copy = pickle.loads(pickle.dumps(handmade()))
        np.testing.assert_array_equal(handmade().predict_proba(SAMPLES), copy.predict_proba(SAMPLES))


class TestFrozen:
    def test_a_part_cannot_be_replaced(self):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            handmade().n_samples = 3
