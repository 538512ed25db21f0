"""Jeffreys' interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rulekit.core.statistics import precision_interval


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_inside_it_is_that_of_the_beta_distribution(n, data):
    right = data.draw(st.integers(0, n))
    low, high = precision_interval(right, n)
    expected = stats.beta(right + 0.5, n - right + 0.5).interval(0.95)
    assert low == pytest.approx(0.0 if right == 0 else expected[0])
    assert high == pytest.approx(1.0 if right == n else expected[1])


def test_without_samples_it_says_nothing():
    low, high = precision_interval(0, 0)
    assert (low, high) == (0.0, 1.0)


@pytest.mark.parametrize("fraction", [0.6, 0.9, 0.97])
def test_its_coverage_is_nominal_on_average(fraction):
    """Over a range of sizes, it contains the true fraction in about 95 of 100 cases, summed over all outcomes."""
    held = []
    for n in range(20, 120, 5):
        low, high = precision_interval(np.arange(n + 1), np.full(n + 1, n))
        held.append(stats.binom.pmf(np.arange(n + 1), n, fraction)[(low <= fraction) & (fraction <= high)].sum())
    assert 0.92 < np.mean(held) < 0.98
