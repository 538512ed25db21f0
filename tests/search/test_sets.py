"""Intersections of set conditions that become conditions of their own."""

import numpy as np
import pytest

from rulekit.core.conditions import ConditionKey, Conditions, close_under_intersection, merge_sets
from rulekit.core.validation import Categories


def inside(feature, *codes):
    return ConditionKey(feature, True, 0.0, frozenset(codes), False)


def test_what_two_sets_of_a_feature_have_in_common_is_added():
    assert close_under_intersection([inside(0, 1, 2), inside(0, 2, 3)]) == [inside(0, 2)]


def test_intersections_of_intersections_are_added_too():
    given = [inside(0, 1, 2, 3), inside(0, 2, 3, 4), inside(0, 3, 4, 1)]
    assert set(close_under_intersection(given)) == {inside(0, 2, 3), inside(0, 1, 3), inside(0, 3, 4), inside(0, 3)}


def test_sets_of_different_features_have_nothing_in_common():
    assert close_under_intersection([inside(0, 1, 2), inside(1, 2, 3)]) == []


def test_thresholds_are_left_alone():
    threshold = ConditionKey(0, True, 1.0, None, False)
    assert close_under_intersection([threshold, inside(0, 1), inside(0, 1, 2)]) == []


@pytest.mark.parametrize("most", [0, 1, 3, 5, 1000])
def test_no_more_than_the_most_are_added(most, monkeypatch):
    """Four sets that each lack one of four codes: six pairs, four single codes and nothing are their intersections."""
    monkeypatch.setattr("rulekit.core.conditions.MOST_SETS", most)
    given = [inside(0, *({0, 1, 2, 3} - {code})) for code in range(4)]
    added = close_under_intersection(given)
    assert len(added) == len(set(added)) == min(most, 6 + 4 + 1)


def test_sets_stay_two_conditions_where_their_intersection_is_none():
    keys = [inside(0, 1, 2), inside(0, 2, 3)]
    conditions = Conditions.of_keys(keys, ("c",), np.float64, Categories(), frozenset())
    assert merge_sets(np.array([[0, 1]]), conditions).tolist() == [[0, 1]]
