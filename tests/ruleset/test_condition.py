"""Conditions on one feature combined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.ruleset import Condition, Requirement
from rulekit.ruleset.condition import requirements

F32 = float(np.finfo(np.float32).max)
COLOURS = ("blue", "green", "red", "white")


def number(operator: str, threshold: float, *, or_missing: bool = False, feature: int = 0) -> Condition:
    return Condition("age", feature, operator, threshold, threshold, or_missing=or_missing)


def members(operator: str, *codes: int, or_missing: bool = False) -> Condition:
    labels = tuple(COLOURS[code] for code in sorted(codes))
    return Condition("colour", 1, operator, None, None, None, labels, frozenset(codes), or_missing)


def printed(*conditions: Condition) -> str:
    return str(Requirement(conditions))


class TestString:
    @pytest.mark.parametrize(
        ("conditions", "expected"),
        [
            ([number("<=", 50)], "age <= 50"),
            ([number(">", 16.5)], "age > 16.5"),
            ([number("<=", 50), number(">", 16.5)], "16.5 < age <= 50"),
            ([number(">", 16.5), number("<=", 50)], "16.5 < age <= 50"),
            ([number("<=", 50), number("<=", 40), number(">", 10), number(">", 16.5)], "16.5 < age <= 40"),
            ([number("<=", 3), number(">", 5)], "5 < age <= 3"),
        ],
    )
    def test_thresholds_become_an_interval(self, conditions, expected):
        assert printed(*conditions) == expected

    @pytest.mark.parametrize(
        ("conditions", "expected"),
        [
            ([members("in", 2, 0)], "colour in {blue, red}"),
            ([members("not in", 1)], "colour not in {green}"),
            ([members("in", 0, 1, 2), members("in", 1, 2, 3)], "colour in {green, red}"),
            ([members("not in", 3), members("not in", 1)], "colour not in {green, white}"),
            ([members("in", 0, 1), members("not in", 1)], "colour in {blue}"),
            ([members("in", 0), members("in", 1)], "colour in {}"),
        ],
    )
    def test_sets_become_one_set_of_labels(self, conditions, expected):
        assert printed(*conditions) == expected

    @pytest.mark.parametrize(
        ("conditions", "expected"),
        [
            ([number("<=", 50, or_missing=True)], "age <= 50 or missing"),
            ([number("<=", 50, or_missing=True), number(">", 1, or_missing=True)], "1 < age <= 50 or missing"),
            ([number("<=", 50, or_missing=True), number(">", 1)], "1 < age <= 50"),
            ([number("<=", math.inf)], "age is not missing"),
            ([number(">", math.inf, or_missing=True)], "age is missing"),
            ([number("<=", math.inf), number(">", 3, or_missing=True)], "age > 3"),
            ([number("<=", -F32), number(">", 3)], "3 < age <= -3.403e+38"),
            ([number("<=", -F32, or_missing=True)], "age is missing"),
            ([number(">", -F32)], "age is not missing"),
            ([number(">", F32, or_missing=True)], "age is missing"),
            ([number("<=", F32, or_missing=True)], "age <= 3.403e+38 or missing"),
            ([members("in", or_missing=True)], "colour is missing"),
            ([members("not in")], "colour is not missing"),
            ([members("in", 0, or_missing=True)], "colour in {blue} or missing"),
        ],
    )
    def test_it_says_whether_a_missing_value_is_accepted(self, conditions, expected):
        assert printed(*conditions) == expected

    def test_the_rounded_threshold_is_shown(self):
        assert str(Condition("age", 0, "<=", 957.4500122, 957.4500122, 960.0)) == "age <= 960"


class TestGroups:
    def test_the_order_is_that_of_the_first_condition_on_a_feature(self):
        found = requirements([number("<=", 5, feature=3), members("in", 0), number(">", 1, feature=3)])
        assert [len(each.conditions) for each in found] == [2, 1]

    def test_thresholds_and_sets_of_one_feature_stay_apart(self):
        found = requirements([number("<=", 5, feature=1), members("in", 0)])
        assert [str(each) for each in found] == ["age <= 5", "colour in {blue}"]


VALUES = st.sampled_from([math.nan, -1.0, 0.0, 1.0, 2.0, 3.0])
NUMBERS = st.builds(
    number, st.sampled_from(["<=", ">"]), st.sampled_from([-1.0, 0.0, 1.5, 2.0, math.inf]), or_missing=st.booleans()
)
SETS = st.builds(
    lambda operator, codes, or_missing: members(operator, *codes, or_missing=or_missing),
    st.sampled_from(["in", "not in"]),
    st.sets(st.integers(0, 3)),
    st.booleans(),
)


class TestMeaning:
    """The interval and the set, read on their own, hold where all conditions do."""

    @given(st.lists(NUMBERS, min_size=1, max_size=4), VALUES)
    def test_of_the_interval(self, conditions, value):
        combined = Requirement(tuple(conditions))
        ends = [end for end in (combined.low, combined.high) if end is not None]
        holds = combined.or_missing if math.isnan(value) else all(end.holds(value) for end in ends)
        assert holds == all(condition.holds(value) for condition in conditions) == combined.holds(value)

    @given(st.lists(SETS, min_size=1, max_size=4), VALUES)
    def test_of_the_set(self, conditions, value):
        combined = Requirement(tuple(conditions))
        assert combined.members.holds(value) == all(condition.holds(value) for condition in conditions)
