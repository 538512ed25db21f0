"""Conditions: the order of their strings, and when they hold."""

import numpy as np
import pytest
from core.splits import conditions_of_splits
from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.conditions import ConditionKey, Conditions, _as_string
from rulekit.core.validation import Categories


def ordered(splits, names):
    features = np.array([feature for feature, _ in splits], dtype=np.int64)
    thresholds = np.array([threshold for _, threshold in splits], dtype=np.float64)
    return conditions_of_splits(features, thresholds, names)


def printed(conditions):
    """Each condition as (name, sign, exact threshold)."""
    return [
        (conditions.feature_names[feature], "≤" if upper else ">", threshold)
        for feature, upper, threshold in zip(
            conditions.features.tolist(), conditions.is_upper.tolist(), conditions.thresholds.tolist(), strict=True
        )
    ]


def test_above_stands_before_at_most():
    conditions, _, _ = ordered([(0, 1.0)], ["a"])
    assert printed(conditions) == [("a", ">", 1.0), ("a", "≤", 1.0)]


def test_the_sign_counts_before_the_value():
    conditions, _, _ = ordered([(0, 1.0), (0, 2.0)], ["a"])
    assert printed(conditions) == [("a", ">", 1.0), ("a", ">", 2.0), ("a", "≤", 1.0), ("a", "≤", 2.0)]


def test_values_are_compared_as_strings():
    conditions, _, _ = ordered([(0, 9.0), (0, 10.0), (0, -1.0)], ["a"])
    assert [threshold for _, sign, threshold in printed(conditions) if sign == ">"] == [-1.0, 10.0, 9.0]


def test_upper_and_lower_case_count_the_same():
    conditions, _, _ = ordered([(0, 1.0), (1, 1.0)], ["Area", "age"])
    assert [name for name, _, _ in printed(conditions)] == ["age", "age", "Area", "Area"]


def test_names_that_differ_in_case_only_stand_upper_case_first():
    conditions, _, _ = ordered([(0, 1.0), (1, 1.0)], ["age", "AGE"])
    assert [name for name, sign, _ in printed(conditions) if sign == ">"] == ["AGE", "age"]


def test_thresholds_that_print_alike_stand_by_their_exact_value():
    conditions, _, _ = ordered([(0, 1.0004), (0, 1.0001), (0, 0.9996)], ["a"])
    assert [threshold for _, sign, threshold in printed(conditions) if sign == ">"] == [0.9996, 1.0001, 1.0004]


def test_the_fourth_decimal_does_not_count_across_features():
    conditions, _, _ = ordered([(0, 1.0004), (1, 1.0001)], ["A", "a"])
    assert [name for name, sign, _ in printed(conditions) if sign == ">"] == ["A", "a"]


splits_of_three_features = st.lists(
    st.tuples(st.integers(0, 2), st.one_of(st.floats(-5, 5), st.sampled_from([1.0, 1.0001, 1.00049, -1.0, 10.0]))),
    unique=True,
    max_size=12,
)


@given(splits_of_three_features)
def test_ids_are_ranks_of_the_strings(splits):
    names = ["b", "Ab", "aB"]
    both = [(feature, sign, threshold) for feature, threshold in splits for sign in ">≤"]
    expected = sorted(
        both,
        key=lambda it: (
            f"({names[it[0]]} {it[1]} {it[2]:.3f})".casefold(),
            f"({names[it[0]]} {it[1]} {it[2]:.3f})",
            it[2],
        ),
    )
    conditions, _, _ = ordered(splits, names)
    assert [(names[feature], sign, threshold) for feature, sign, threshold in expected] == printed(conditions)


@given(splits_of_three_features)
def test_each_split_is_told_the_id_of_its_upper_condition(splits):
    names = ["b", "Ab", "aB"]
    conditions, at_most, _ = ordered(splits, names)
    rows = printed(conditions)
    assert [(names[feature], "≤", threshold) for feature, threshold in splits] == [rows[row] for row in at_most]


@given(splits_of_three_features)
def test_each_split_is_told_the_id_of_its_lower_condition(splits):
    names = ["b", "Ab", "aB"]
    conditions, _, above = ordered(splits, names)
    rows = printed(conditions)
    assert [(names[feature], ">", threshold) for feature, threshold in splits] == [rows[row] for row in above]


def test_names_of_any_type_become_strings():
    conditions, _, _ = ordered([(0, 1.0)], [7])
    assert conditions.feature_names == ("7",)


def test_no_split_gives_no_condition():
    conditions, at_most, above = ordered([], ["a"])
    assert (len(conditions), len(at_most), len(above)) == (0, 0, 0)


@pytest.mark.parametrize("keys", [[], [ConditionKey(0, True, 1, None, False)]], ids=["none", "a whole number"])
def test_the_columns_of_conditions_have_their_types_however_few_there_are(keys):
    conditions = Conditions.of_keys(keys, ("a",), np.float32, Categories(), frozenset())
    types = [getattr(conditions, name).dtype for name in ("features", "is_upper", "thresholds", "holds_missing")]
    assert types == [np.int64, np.bool_, np.float64, np.bool_]
    assert conditions.is_set.dtype == np.bool_


@pytest.mark.parametrize(("value", "expected"), [(0.9, True), (1.0, True), (1.1, False)])
def test_an_upper_condition_holds_up_to_its_threshold(value, expected):
    conditions, at_most, _ = ordered([(0, 1.0)], ["a"])
    assert [expected] == conditions.hold(at_most[0], np.array([[value]])).tolist()


@pytest.mark.parametrize(("value", "expected"), [(0.9, False), (1.0, False), (1.1, True)])
def test_a_lower_condition_holds_above_its_threshold(value, expected):
    conditions, _, above = ordered([(0, 1.0)], ["a"])
    assert [expected] == conditions.hold(above[0], np.array([[value]])).tolist()


def test_a_condition_looks_at_its_own_feature():
    conditions, at_most, _ = ordered([(1, 1.0)], ["a", "b"])
    columns = np.array([[9.0, 0.0], [0.0, 9.0]])
    assert conditions.hold(at_most[0], columns).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_kept_in_float32_are_decided_like_the_same_samples_in_float64(dtype):
    threshold = 0.1
    neighbours = np.array([np.nextafter(np.float32(threshold), np.float32(side)) for side in (-1, 1)] + [0.1])
    columns = neighbours.astype(np.float32)[None].astype(dtype)
    conditions, at_most, _ = ordered([(0, threshold)], ["a"])
    expected = [float(value) <= threshold for value in columns[0]]
    assert expected == conditions.hold(at_most[0], columns).tolist()


@given(splits_of_three_features, st.lists(st.floats(-6, 6, width=32), min_size=1, max_size=8))
def test_of_the_two_conditions_of_a_split_exactly_one_holds(splits, values):
    conditions, at_most, above = ordered(splits, ["b", "Ab", "aB"])
    columns = np.tile(values, (3, 1))
    both = [conditions.hold(a, columns) ^ conditions.hold(b, columns) for a, b in zip(at_most, above, strict=True)]
    assert all(one.all() for one in both)


@given(splits_of_three_features, st.randoms(use_true_random=False))
def test_taking_some_conditions_keeps_what_they_say(splits, random):
    conditions, _, _ = ordered(splits, ["b", "Ab", "aB"])
    ids = [row for row in range(len(conditions)) if random.random() < 0.5]
    some = conditions.take(np.array(ids, dtype=np.int64))
    assert [printed(conditions)[row] for row in ids] == printed(some)


def test_conditions_hold_for_no_missing_value_and_are_not_rounded_unless_somebody_says_so():
    conditions = Conditions(np.array([0, 0]), np.array([True, False]), np.array([1.0, 2.0]), ("a",))
    assert (conditions.holds_missing.dtype, conditions.holds_missing.tolist()) == (np.bool_, [False, False])
    assert np.isnan(conditions.displays).tolist() == [True, True]


def test_taking_some_conditions_keeps_their_cutoffs():
    conditions, _, _ = ordered([(0, 0.1), (0, 0.7)], ["a"])
    ids = np.array([2, 0])
    assert conditions.cutoffs[ids].tolist() == conditions.take(ids).cutoffs.tolist()


@pytest.mark.parametrize(
    ("key", "string"),
    [
        (ConditionKey(0, True, 1.23456, None, False), "(age ≤ 1.235)"),
        (ConditionKey(0, False, -2.0, None, False), "(age > -2.000)"),
        (ConditionKey(0, False, 0.5, None, True), "(age > 0.500 or missing)"),
        (ConditionKey(1, True, 0.0, frozenset({1, 0}), False), "(Colour in {blue, red})"),
        (ConditionKey(1, False, 0.0, frozenset({1}), True), "(Colour not in {red} or missing)"),
        (ConditionKey(1, True, 0.0, frozenset({5}), False), "(Colour in {5})"),
    ],
)
def test_conditions_are_ordered_by_what_people_read(key, string):
    assert _as_string(key, ["age", "Colour"], Categories({1: ("blue", "red")})) == string
