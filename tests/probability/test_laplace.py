"""Add-one smoothing."""

import re

import numpy as np
import pytest
from probability.batches import published_case, random_batch, small_case

from rulekit.core.errors import InvalidParameterError
from rulekit.probability.laplace import Laplace


def predicted(batch, **parameters):
    return Laplace(**parameters).fit(batch.index).estimate(batch)


def test_one_sample_of_each_class_is_added():
    expected = [[2 / 7, 5 / 7], [4 / 7, 3 / 7], [5 / 12, 7 / 12]]
    np.testing.assert_allclose(predicted(small_case())[:3], expected, rtol=1e-15)


def test_the_smoothing_is_what_is_added():
    np.testing.assert_allclose(predicted(small_case(), smoothing=0.5)[0], [1.5 / 6, 4.5 / 6], rtol=1e-15)


def test_a_rule_that_covers_nothing_predicts_equal_probabilities():
    assert predicted(small_case())[3].tolist() == [0.5, 0.5]


def test_a_pure_rule_is_not_certain():
    np.testing.assert_allclose(predicted(published_case()), [[7 / 8, 1 / 8]], rtol=1e-15)


def test_more_classes_add_more_samples():
    _, batch = random_batch(0, n_classes=5)
    expected = [[(n + 1) / (sum(row) + 5) for n in row] for row in batch.counts.tolist()]
    np.testing.assert_allclose(predicted(batch), expected, rtol=1e-14)


@pytest.mark.parametrize("value", [0, -1.0, "one", float("nan")])
def test_a_smoothing_that_is_not_positive_is_rejected(value):
    expected = f"Laplace: smoothing must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        predicted(small_case(), smoothing=value)
