"""A rule and its conditions, as they are printed."""

import attrs
import numpy as np
import pytest
from ruleset.handmade import handmade

from rulekit.ruleset import Condition


class TestConditions:
    @pytest.mark.parametrize(
        ("operator", "value", "expected"),
        [("<=", 8.125, True), ("<=", 8.126, False), (">", 8.125, False), (">", 8.126, True)],
    )
    def test_one_holds_on_its_side_of_the_cutoff(self, operator, value, expected):
        assert Condition("Time", 0, operator, 8.125, 8.125).holds(value) is expected

    def test_the_cutoff_decides_and_not_the_threshold(self):
        assert Condition("Time", 0, "<=", 8.0, 8.5).holds(8.4)

    @pytest.mark.parametrize(
        ("threshold", "printed"),
        [
            (16.5, "age <= 16.5"),
            (16.0, "age <= 16"),
            (8.12512, "age <= 8.125"),
            (0.000123456, "age <= 0.0001235"),
            (0.0, "age <= 0"),
            (-0.5, "age <= -0.5"),
            (1234567.0, "age <= 1234567"),
            (1e30, "age <= 1e+30"),
            (-1e-300, "age <= -1e-300"),
            (1e300, "age is not missing"),
            (float("inf"), "age is not missing"),
        ],
    )
    def test_the_threshold_is_printed_with_few_digits(self, threshold, printed):
        assert str(Condition("age", 0, "<=", threshold, threshold)) == printed


class TestRule:
    @pytest.mark.parametrize(
        ("attribute", "expected"),
        [
            ("position", 1),
            ("label", "yes"),
            ("class_index", 1),
            ("probability", 0.9375),
            ("n_samples", 80),
            ("n_covered", 32),
            ("coverage", 32 / 80),
            ("precision", 30 / 32),
            ("support", 30 / 80),
            ("is_default", False),
        ],
    )
    def test_what_it_knows(self, attribute, expected):
        assert getattr(handmade()[0], attribute) == expected

    def test_its_conditions(self):
        expected = (Condition("age", 1, ">", 16.5, 16.5), Condition("Time", 0, "<=", 20.0, 20.0))
        assert handmade()[1].conditions == expected

    def test_its_probabilities(self):
        assert handmade()[1].probabilities.tolist() == [0.875, 0.125]

    def test_its_counts(self):
        assert handmade()[1].counts.tolist() == [30, 10]

    @pytest.mark.parametrize(
        ("labels", "expected"), [((0, 1), int), ((False, True), bool), ((0.5, 1.5), float), (("no", "yes"), str)]
    )
    def test_its_label_is_a_plain_value(self, labels, expected):
        assert type(handmade(labels=labels)[0].label) is expected

    def test_the_default_has_no_conditions(self):
        assert handmade()[-1].conditions == ()

    def test_the_default_says_so(self):
        assert handmade()[-1].is_default

    def test_a_rule_prints_as_a_sentence(self):
        expected = "IF age > 16.5 and Time <= 20 THEN no (p = 0.875, covers 40 of 80 samples)"
        assert str(handmade()[1]) == expected

    def test_the_default_prints_as_a_sentence(self):
        assert str(handmade()[-1]) == "ELSE no (p = 0.750, covers 8 of 80 samples)"

    def test_the_same_rule_is_equal(self):
        assert handmade()[0] == handmade()[0]

    def test_another_rule_is_not_equal(self):
        assert handmade()[0] != handmade()[1]

    def test_a_rule_is_not_equal_to_its_string(self):
        assert handmade()[0] != str(handmade()[0])

    def test_a_rule_without_samples_has_precision_0(self):
        rule = attrs.evolve(handmade()[0], counts=np.zeros(2, dtype=int))
        assert rule.precision == 0.0

    def test_its_numbers_cannot_be_changed_by_accident(self):
        with pytest.raises(ValueError, match="read-only"):
            handmade()[0].probabilities[0] = 0.5
