"""The average weighted by supports."""

import numpy as np
from hypothesis import given
from priors.pairs import combined, pairs

from rulekit.priors.weighted_mean import WeightedMean


def test_more_samples_weigh_more():
    np.testing.assert_allclose(combined(WeightedMean(), [1.0, 0.0], [0.0, 1.0], [30], [10]), [0.75, 0.25])


def test_equal_supports_give_the_mean():
    np.testing.assert_allclose(combined(WeightedMean(), [0.2, 0.8], [0.6, 0.4], [7], [7]), [0.4, 0.6])


def test_a_rule_without_samples_has_no_say():
    assert combined(WeightedMean(), [0.2, 0.8], [0.6, 0.4], [7], [0]) == [0.2, 0.8]


def test_without_any_samples_both_weigh_the_same():
    np.testing.assert_allclose(combined(WeightedMean(), [0.2, 0.8], [0.6, 0.4], [0], [0]), [0.4, 0.6])


@given(pairs())
def test_every_pair_follows_the_formula(pair):
    left, right, left_support, right_support = pair
    result = WeightedMean().combine(*pair)
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            a, b = left_support[i], right_support[j]
            expected = (a * p + b * q) / (a + b) if a + b else (p + q) / 2
            np.testing.assert_allclose(result[i, j], expected, rtol=1e-12, atol=1e-15)
