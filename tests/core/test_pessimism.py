"""The pessimistic error against SciPy and against the equation that it solves."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from rulekit.core.statistics import deviations, pessimistic_error

confidences = st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.9])


def limit(support, error, confidence):
    return float(pessimistic_error(np.array([support]), np.array([error]), deviations(confidence))[0])


@given(st.integers(1, 500), st.data(), confidences)
def test_the_limit_is_scipys_wilson_limit(n, data, confidence):
    wrong = data.draw(st.integers(0, n))
    expected = binomtest(wrong, n).proportion_ci(confidence_level=1 - confidence, method="wilson").high
    np.testing.assert_allclose(limit(float(n), wrong / n, confidence), 100 * expected, rtol=1e-9)


@given(st.floats(0.01, 1e6), st.floats(0, 1), confidences)
def test_the_limit_solves_wilsons_equation(support, error, confidence):
    """At the limit p, the error lies z standard deviations of a fraction p below it."""
    p = limit(support, error, confidence) / 100
    z = NormalDist().inv_cdf(1 - confidence / 2)
    np.testing.assert_allclose((p - error) ** 2, z**2 * max(p * (1 - p), 0) / support, rtol=1e-6, atol=1e-12)


@given(st.floats(1e-100, 1e6), st.floats(0, 1), confidences)
def test_the_limit_is_a_percentage(support, error, confidence):
    assert -1e-9 <= limit(support, error, confidence) <= 100 + 1e-9


@given(st.floats(0.01, 1e6), st.floats(0, 1), confidences)
def test_the_limit_is_not_below_the_error(support, error, confidence):
    assert limit(support, error, confidence) >= 100 * error - 1e-9


@given(st.floats(0.01, 1e5), st.floats(0, 1), confidences)
def test_more_samples_lower_the_limit(support, error, confidence):
    assert limit(2 * support, error, confidence) <= limit(support, error, confidence) + 1e-9


@given(st.floats(0, 1))
def test_no_support_has_no_error(error):
    assert limit(0.0, error, 0.25) == 0.0


def test_no_support_has_no_error_even_if_nothing_is_added_to_it():
    """With a confidence of 1 the limit is the error itself, a fraction of no samples here."""
    assert (limit(0.0, 0.5, 1.0), limit(10.0, 0.5, 1.0)) == (0.0, 50.0)


@pytest.mark.parametrize("support", [1e-100, 1e-160, 1e-320])
def test_the_limit_of_hardly_any_support_is_everything(support):
    """Under independence, rules with many conditions have supports this small."""
    np.testing.assert_allclose(limit(support, 0.25, 0.25), 100.0, rtol=1e-9)


def test_a_confidence_of_one_leaves_the_error_itself():
    np.testing.assert_allclose(limit(10.0, 0.3, 1.0), 30.0, rtol=1e-12)


def test_each_rule_has_its_own_limit():
    supports, errors = np.array([5.0, 0.0, 50.0]), np.array([0.1, 0.2, 0.3])
    expected = [limit(support, error, 0.25) for support, error in zip(supports, errors, strict=True)]
    assert expected == pessimistic_error(supports, errors, deviations(0.25)).tolist()


@pytest.mark.parametrize("confidence", [1e-15, 1e-16, 1e-17, 1e-100, 1e-300, 5e-324])
def test_next_to_no_confidence_asks_for_many_deviations_not_for_infinitely_many(confidence):
    """At 1e-17, 1 - confidence is 1, whose quantile is infinite: errors became NaN, and a warning was issued."""
    many = deviations(confidence)
    assert 7.5 < many < 40
    np.testing.assert_allclose(many, norm.isf(max(confidence / 2, 1e-307)), rtol=0.02)
    assert np.isfinite(pessimistic_error(np.array([0.0, 3.0]), np.array([0.0, 0.5]), many)).all()
