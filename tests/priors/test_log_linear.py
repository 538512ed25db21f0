"""The log-linear pool."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from priors.pairs import combined, pairs

from rulekit.core.errors import InvalidParameterError
from rulekit.priors.product import LogLinearPool, Product

quickly = settings(max_examples=50, deadline=None)


def test_temperature_two_is_the_normalised_geometric_mean():
    roots = [math.sqrt(0.2 * 0.5), math.sqrt(0.8 * 0.5)]
    expected = [root / sum(roots) for root in roots]
    np.testing.assert_allclose(combined(LogLinearPool(), [0.2, 0.8], [0.5, 0.5]), expected, rtol=1e-14)


@quickly
@given(pairs())
def test_temperature_one_is_the_product(pair):
    np.testing.assert_allclose(
        LogLinearPool(temperature=1.0).combine(*pair), Product().combine(*pair), rtol=1e-10, atol=1e-300
    )


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0, 5.0])
@quickly
@given(pair=pairs(zeros=False))
def test_every_pair_follows_the_formula(temperature, pair):
    left, right, _, _ = pair
    result = LogLinearPool(temperature).combine(*pair)
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            powers = (p * q) ** (1 / temperature)
            np.testing.assert_allclose(result[i, j], powers / powers.sum(), rtol=1e-9)


def test_pooling_a_distribution_with_itself_at_temperature_two_changes_nothing():
    np.testing.assert_allclose(combined(LogLinearPool(2), [0.2, 0.8], [0.2, 0.8]), [0.2, 0.8], rtol=1e-14)


def test_a_high_temperature_flattens():
    np.testing.assert_allclose(combined(LogLinearPool(1e9), [0.1, 0.9], [0.2, 0.8]), [0.5, 0.5], rtol=1e-6)


def test_a_low_temperature_leaves_the_likeliest_class_only():
    assert combined(LogLinearPool(1e-4), [0.1, 0.9], [0.2, 0.8]) == [0.0, 1.0]


def test_an_excluded_class_stays_excluded():
    assert combined(LogLinearPool(3), [0.0, 0.5, 0.5], [0.9, 0.05, 0.05])[0] == 0.0


@pytest.mark.parametrize("value", [0, -1.0, "hot"])
def test_a_temperature_that_is_not_positive_is_rejected(value):
    expected = f"LogLinearPool: temperature must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        combined(LogLinearPool(value), [0.5, 0.5], [0.5, 0.5])
