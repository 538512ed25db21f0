"""Cutoffs decide unrounded samples as the library decides rounded ones."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulekit.core.conditions import exact_cutoffs

LARGEST = float(np.finfo(np.float32).max)
TINIEST = float(np.finfo(np.float32).smallest_subnormal)
SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)

float32_range = st.floats(-LARGEST, LARGEST)
near_float32_numbers = st.builds(
    lambda number, steps: float(np.clip(number + steps * np.spacing(np.float64(number)), -LARGEST, LARGEST)),
    st.floats(-LARGEST, LARGEST, width=32),
    st.integers(-2, 2),
)
subnormal = st.floats(-2 * SMALLEST_NORMAL, 2 * SMALLEST_NORMAL)
thresholds = st.one_of(float32_range, near_float32_numbers, subnormal)


def cutoff(threshold: float) -> float:
    return float(exact_cutoffs(np.array([threshold]), np.float32)[0])


def is_at_most_once_rounded(value: float, threshold: float) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.float64(np.float32(value)) <= threshold)


@given(thresholds)
@example(LARGEST)
@example(-LARGEST)
@example(0.0)
@example(-0.0)
@example(TINIEST)
@example(-TINIEST)
@example(TINIEST / 2)
@example(-TINIEST / 2)
@example(1e-300)
@example(-1e-300)
def test_the_cutoff_itself_rounds_to_at_most_the_threshold(threshold):
    assert is_at_most_once_rounded(cutoff(threshold), threshold)


@given(thresholds)
@example(LARGEST)
@example(-LARGEST)
@example(0.0)
@example(-0.0)
@example(TINIEST)
@example(-TINIEST)
@example(TINIEST / 2)
@example(-TINIEST / 2)
@example(1e-300)
@example(-1e-300)
def test_one_ulp_above_the_cutoff_rounds_to_more_than_the_threshold(threshold):
    above = float(np.nextafter(cutoff(threshold), np.inf))
    assert not is_at_most_once_rounded(above, threshold)


@given(thresholds, float32_range)
@settings(max_examples=300)
def test_any_value_is_decided_as_its_float32_rounding_is(threshold, value):
    assert is_at_most_once_rounded(value, threshold) == (value <= cutoff(threshold))


@given(thresholds, st.integers(-3, 3), st.integers(-3, 3))
@settings(max_examples=300)
def test_values_around_the_threshold_are_decided_as_their_float32_rounding_is(threshold, steps32, steps64):
    value = np.float32(threshold)
    for _ in range(abs(steps32)):
        value = np.nextafter(value, np.float32(np.copysign(LARGEST, steps32)))
    value = float(np.float64(value) + steps64 * np.spacing(np.float64(value)))
    assert is_at_most_once_rounded(value, threshold) == (value <= cutoff(threshold))


@pytest.mark.parametrize("value", [-1e300, -LARGEST * 2, -LARGEST, 0.0, LARGEST, LARGEST * 2, 1e300])
@pytest.mark.parametrize("threshold", [-1e300, -LARGEST * 2, LARGEST * 2, 1e300])
def test_thresholds_beyond_float32_are_decided_as_rounding_decides_them(threshold, value):
    assert is_at_most_once_rounded(value, threshold) == (value <= cutoff(threshold))


@given(st.lists(thresholds, max_size=5))
def test_many_thresholds_at_once_give_what_each_gives_alone(several):
    together = exact_cutoffs(np.array(several, dtype=np.float64), np.float32)
    assert [cutoff(threshold) for threshold in several] == together.tolist()


@given(st.lists(st.floats(allow_nan=False), max_size=5))
def test_a_library_that_compares_in_float64_has_its_thresholds_as_cutoffs(several):
    assert several == exact_cutoffs(np.array(several, dtype=np.float64), np.float64).tolist()


@pytest.mark.parametrize("threshold", [np.inf, 1e308, 3.5e38, 3.4028235e38, -3.4028235e38, -3.5e38, -1e308, -np.inf])
def test_values_that_float32_rounds_to_infinity_are_decided_as_infinities(threshold):
    ends = [np.inf, 1.7e308, 1e300, 2.0**128, 3.4028235677973366e38, 3.4e38, 0.0]
    for value in [*ends, *(-end for end in ends)]:
        assert (value <= cutoff(threshold)) == is_at_most_once_rounded(value, threshold)
