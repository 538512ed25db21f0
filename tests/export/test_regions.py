"""Tests of columns against the regions that they express, including regions that no condition has today."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.regions import Codes, Numbers
from rulekit.export import program
from rulekit.export.program import Column, Comparison

NUMBERS = Column(0, "x", None, missing="tested", unknown_is_missing=False)
LABELS = Column(0, "x", ("red", "green", "blue", "grey"), missing="tested", unknown_is_missing=False)
ends = st.sampled_from([-math.inf, -1.0, 0.5, 1.0, 2.0, math.inf])
intervals = st.builds(Numbers.between, ends, ends, st.booleans())
sets = st.builds(Codes, st.frozensets(st.integers(0, 3)), st.booleans(), st.booleans())


def passes(test, value):
    if math.isnan(value):
        return test.or_missing
    if isinstance(test, Comparison):
        return (value <= test.cutoff) == test.is_upper
    return (value in test.codes) == test.is_inside


@given(st.one_of(intervals, sets), st.sampled_from([NUMBERS, LABELS]))
def test_all_tests_pass_where_a_value_belongs_to_the_region(region, column):
    values = [0.0, 1.0, 2.0, 3.0, -1.0, math.nan] + ([-7.5, 0.7, 1e300] if column is NUMBERS else [])
    tests = program.tests_of(column, region)
    assert [all(passes(test, value) for test in tests) for value in values] == [region.holds(each) for each in values]


def test_an_interval_with_two_ends_is_two_comparisons():
    tests = program.tests_of(NUMBERS, Numbers.between(1.0, 2.0, missing=False))
    assert tests == (Comparison(NUMBERS, False, 1.0, False), Comparison(NUMBERS, True, 2.0, False))


def test_cutoffs_are_finite():
    for region in (Numbers(missing=False), Numbers((), missing=False)):
        assert not any(isinstance(test, Comparison) for test in program.tests_of(NUMBERS, region))


def test_what_training_has_never_seen_missing_passes_nowhere():
    column = Column(0, "x", None, missing="rejected", unknown_is_missing=False)
    assert not any(test.or_missing for test in program.tests_of(column, Numbers.between(1.0, 2.0, missing=True)))
