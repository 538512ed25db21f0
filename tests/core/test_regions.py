"""Regions against one value at a time, and the conditions that they describe."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.conditions import OPERATORS, ConditionKey, Conditions, drop_redundant
from rulekit.core.regions import Codes, Numbers
from rulekit.core.validation import Categories

VALUES = [-1e300, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e300, math.nan]
CODES = [-1.0, 0.0, 1.0, 2.0, 3.0, 9.0, math.nan]
ends = st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 1.0, 2.0, math.inf])
intervals = st.builds(Numbers.between, ends, ends, st.booleans())
numbers = st.one_of(intervals, intervals.map(Numbers.complement))
codes = st.builds(Codes, st.frozensets(st.integers(0, 3)), st.booleans(), st.booleans())
pairs = st.one_of(st.tuples(numbers, numbers, st.just(VALUES)), st.tuples(codes, codes, st.just(CODES)))


def belonging(region, values):
    return [region.holds(value) for value in values]


class TestRegions:
    @given(pairs)
    def test_a_value_belongs_to_an_intersection_if_it_belongs_to_both(self, pair):
        one, other, values = pair
        expected = [a and b for a, b in zip(belonging(one, values), belonging(other, values), strict=True)]
        assert belonging(one.intersect(other), values) == expected

    @given(pairs)
    def test_a_value_belongs_to_a_region_or_to_its_complement(self, pair):
        region, _, values = pair
        assert belonging(region.complement(), values) == [not holds for holds in belonging(region, values)]
        assert region.complement().complement() == region

    @given(pairs)
    def test_one_region_implies_another_if_no_value_tells_otherwise(self, pair):
        one, other, values = pair
        held = zip(belonging(one, values), belonging(other, values), strict=True)
        assert one.implies(other) == all(b for a, b in held if a)

    @given(numbers, st.sampled_from(VALUES))
    def test_the_nearest_number_belongs_and_no_value_that_belongs_is_nearer(self, region, value):
        nearest = region.nearest(value)
        if nearest is None:
            assert not any(belonging(region, VALUES[:-1]))
            return
        assert region.holds(nearest)
        own = 0.0 if math.isnan(value) else value
        if not math.isnan(nearest):
            assert all(abs(nearest - own) <= abs(each - own) for each in VALUES[:-1] if region.holds(each))
            low, high = region.around(nearest)
            assert low < nearest <= high

    def test_a_missing_value_stays_missing_where_that_will_do(self):
        assert math.isnan(Numbers.between(1.0, 2.0, missing=True).nearest(math.nan))
        assert Numbers.between(1.0, 2.0, missing=False).nearest(math.nan) == math.nextafter(1.0, 2.0)
        assert math.isnan(Codes(frozenset({2, 5}), missing=True).nearest(math.nan))
        assert Codes(frozenset({2, 5}), missing=False).nearest(math.nan) == 2.0

    def test_of_codes_the_first_is_the_nearest_and_an_unknown_one_is_never_proposed(self):
        assert Codes(frozenset({2, 5})).nearest(7.0) == 2.0
        assert Codes(frozenset({-1})).nearest(7.0) is None
        assert Codes(frozenset({7}), is_inside=False).nearest(7.0) is None


thresholds = st.builds(
    lambda is_upper, threshold, missing: ConditionKey(0, is_upper, threshold, None, missing),
    st.booleans(),
    st.sampled_from([-1.0, 0.1, 0.5, 2.0]),
    st.booleans(),
)
sets = st.builds(
    lambda is_upper, members, missing: ConditionKey(1, is_upper, 0.0, members, missing),
    st.booleans(),
    st.frozensets(st.integers(0, 3)),
    st.booleans(),
)
keys = st.lists(st.one_of(thresholds, sets), min_size=1, max_size=6, unique=True)


def conditions_of(given_keys, dtype=np.float64):
    return Conditions.of_keys(given_keys, ("x", "colour"), dtype, Categories(), frozenset({0, 1}))


class TestConditions:
    @given(keys, st.sampled_from([np.float32, np.float64]))
    def test_a_condition_holds_where_its_region_says(self, given_keys, dtype):
        conditions = conditions_of(given_keys, dtype)
        near = [np.nextafter(value, side) for value in conditions.cutoffs.tolist() for side in (-np.inf, np.inf)]
        values = np.array([*VALUES, *CODES, *conditions.cutoffs, *near])
        columns = np.vstack([values, values])
        for row in range(len(conditions)):
            expected = conditions.hold(row, columns, np.isnan(columns)).tolist()
            assert belonging(conditions.region(row), values.tolist()) == expected

    @given(st.lists(thresholds, min_size=1, max_size=5, unique=True))
    def test_of_thresholds_those_are_redundant_that_another_one_implies(self, given_keys):
        """The search drops them by comparing arrays; this is the slow way."""
        conditions = conditions_of(given_keys)
        rows = range(len(conditions))
        implied = {b for a in rows for b in rows if a != b and conditions.implies(a, b)}
        same_side = {
            b for b in implied if any(conditions.bounds[a] == conditions.bounds[b] for a in rows if a not in implied)
        }
        kept = drop_redundant(np.array([list(rows)]), conditions)[0]
        assert sorted({*rows} - same_side) == kept[kept < len(conditions)].tolist()

    def test_conditions_on_different_features_imply_nothing(self):
        conditions = conditions_of([ConditionKey(0, True, 1.0, None, False), ConditionKey(1, True, 2.0, None, False)])
        assert not conditions.implies(0, 1)
        assert not conditions.implies(1, 0)

    @given(keys)
    def test_the_plain_form_goes_there_and_back(self, given_keys):
        for key in given_keys:
            assert ConditionKey.from_plain(key.to_plain()) == key
            assert key.to_plain(0.5)["display"] == 0.5
            assert key.to_plain()["operator"] in OPERATORS.values()

    @given(keys)
    def test_a_condition_or_its_opposite_holds(self, given_keys):
        conditions = conditions_of(given_keys)
        opposite = conditions_of([key.opposite(conditions.missing_features) for key in given_keys])
        for row in range(len(conditions)):
            assert opposite.region(row) == conditions.region(row).complement()

    def test_where_nothing_is_missing_neither_a_condition_nor_its_opposite_holds_for_it(self):
        opposite = ConditionKey(0, True, 1.0, None, False).opposite(frozenset())
        assert opposite == ConditionKey(0, False, 1.0, None, False)

    @given(st.lists(sets, min_size=1, max_size=4, unique=True))
    def test_a_row_of_bits_says_what_the_region_says(self, given_keys):
        conditions = conditions_of(given_keys)
        bits, order = conditions.set_bits, conditions.set_order
        for row in range(len(conditions)):
            feature = int(conditions.features[row])
            values = [math.nan, 99.0, *bits.codes[feature].tolist()]
            (holds,) = bits.holds(order.ranks[[row]], bits.n_values(feature)).tolist()
            assert holds == belonging(conditions.region(row), values)
            assert bits.positions(feature, np.array(values)).tolist() == list(range(len(values)))

    def test_codes_and_limits_are_listed_by_feature(self):
        given_keys = [
            ConditionKey(0, True, 1.5, None, False),
            ConditionKey(0, False, math.inf, None, False),
            ConditionKey(1, True, 0.0, frozenset({4}), False),
        ]
        labels = Categories({1: ("red", "green")})
        conditions = Conditions.of_keys(given_keys, ("x", "colour"), np.float64, labels, frozenset())
        assert conditions.codes_by_feature == {1: frozenset({0, 1, 4})}
        assert {feature: limits.tolist() for feature, limits in conditions.limits_by_feature.items()} == {0: [1.5]}


@pytest.mark.parametrize("region", [Numbers.between(0.0, 1.0, missing=False), Codes(frozenset({1}), missing=False)])
def test_regions_without_missing_values_say_so(region):
    assert not region.holds(math.nan)
    assert region.complement().holds(math.nan)
