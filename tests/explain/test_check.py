"""A condition checked against a value."""

import math

import pytest

from rulekit.explain import Check
from rulekit.ruleset import Condition

UP_TO_960 = Condition("area", 0, "<=", 957.45, 957.45, 960.0)
ABOVE_960 = Condition("area", 0, ">", 957.45, 957.45, 960.0)
COLOURS = Condition("colour", 1, "in", None, None, None, ("blue", "red"), frozenset({0, 2}))
PRESENT = Condition("area", 0, "<=", math.inf, math.inf)


def check(condition: Condition, number: float) -> Check:
    return Check(condition, number, number)


class TestMargin:
    @pytest.mark.parametrize(
        ("condition", "value", "margin"),
        [
            (UP_TO_960, 900.0, 957.45 - 900.0),
            (UP_TO_960, 957.45, 0.0),
            (UP_TO_960, 1000.0, 957.45 - 1000.0),
            (ABOVE_960, 1000.0, 1000.0 - 957.45),
            (ABOVE_960, 900.0, 900.0 - 957.45),
            (UP_TO_960, math.nan, None),
            (COLOURS, 2.0, None),
        ],
    )
    def test_it_is_the_distance_to_the_exact_limit(self, condition, value, margin):
        assert check(condition, value).margin == margin


class TestDisplay:
    @pytest.mark.parametrize(
        ("condition", "value", "shown", "comment"),
        [
            (UP_TO_960, 900.0, "area <= 960", "value 900, holds by 60"),
            (ABOVE_960, 900.0, "area > 960", "value 900, fails by 60"),
            (UP_TO_960, 958.0, "area <= 957.45", "value 958, fails by 0.55"),
            (ABOVE_960, 958.0, "area > 957.45", "value 958, holds by 0.55"),
            (UP_TO_960, math.nan, "area <= 960", "value missing"),
            (PRESENT, 3.0, "area is not missing", "value 3"),
        ],
    )
    def test_the_exact_limit_is_shown_where_the_rounded_one_would_mislead(self, condition, value, shown, comment):
        found = check(condition, value)
        assert (str(found.shown), found.comment) == (shown, comment)

    def test_a_category_is_shown_by_its_label(self):
        assert Check(COLOURS, "red", 2.0).comment == "value red"

    @pytest.mark.parametrize("threshold", [8.12512, 0.000123456, 1234567.8912])
    def test_limits_without_a_rounded_value_do_not_mislead_either(self, threshold):
        condition = Condition("x", 0, "<=", threshold, threshold)
        for value in (math.nextafter(threshold, math.inf), threshold, math.nextafter(threshold, -math.inf)):
            shown = check(condition, value).shown
            assert (value <= float(shown.limit)) == condition.holds(value)


def test_it_unpacks_to_condition_and_value():
    condition, value = Check(COLOURS, "red", 2.0)
    assert (condition, value) == (COLOURS, "red")


def test_nothing_that_json_lacks_is_in_its_data():
    assert Check(PRESENT, math.nan, math.nan).to_dict() == {
        "feature": "area",
        "condition": "area is not missing",
        "value": None,
        "holds": False,
        "margin": None,
    }
