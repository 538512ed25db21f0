"""The classical m-estimate."""

import re

import numpy as np
import pytest
from probability.batches import random_batch, small_case

from rulekit.core.errors import InvalidParameterError
from rulekit.probability.laplace import Laplace
from rulekit.probability.m_estimate import MEstimate


def predicted(batch, **parameters):
    return MEstimate(**parameters).fit(batch.index).estimate(batch)


def test_the_class_prior_weighs_m_samples():
    """The classes have fractions 0.4 and 0.6; m is 5."""
    expected = [[(1 + 2) / 10, (4 + 3) / 10], [(3 + 2) / 10, (2 + 3) / 10], [(4 + 2) / 15, (6 + 3) / 15]]
    np.testing.assert_allclose(predicted(small_case())[:3], expected, rtol=1e-14)


def test_a_rule_that_covers_nothing_states_the_class_prior():
    np.testing.assert_allclose(predicted(small_case())[3], [0.4, 0.6], rtol=1e-15)


def test_a_rule_without_conditions_states_the_class_prior():
    np.testing.assert_allclose(predicted(small_case(), strength=17.0)[2], [0.4, 0.6], rtol=1e-15)


def test_a_huge_m_leaves_the_class_prior_only():
    np.testing.assert_allclose(predicted(small_case(), strength=1e12), [[0.4, 0.6]] * 4, rtol=1e-9)


def test_laplace_is_the_special_case_of_equal_classes():
    _, batch = random_batch(0, n_classes=2)
    even = MEstimate(strength=2.0).fit(batch.index)
    even.class_prior_ = np.array([0.5, 0.5])
    np.testing.assert_allclose(even.estimate(batch), Laplace().fit(batch.index).estimate(batch), rtol=1e-14)


@pytest.mark.parametrize("value", [0, -1.0, None])
def test_a_strength_that_is_not_positive_is_rejected(value):
    expected = f"MEstimate: strength must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        predicted(small_case(), strength=value)
