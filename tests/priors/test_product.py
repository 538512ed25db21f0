"""The normalised product."""

import numpy as np
from hypothesis import given
from priors.pairs import combined, pairs

from rulekit.priors.product import Product


def test_the_product_is_normalised():
    expected = [0.2 * 0.5 / 0.26, 0.8 * 0.2 / 0.26, 0.0]
    np.testing.assert_allclose(combined(Product(), [0.2, 0.8, 0.0], [0.5, 0.2, 0.3]), expected, rtol=1e-14)


@given(pairs(zeros=False))
def test_every_pair_follows_the_formula(pair):
    left, right, _, _ = pair
    result = Product().combine(*pair)
    for i, p in enumerate(left.tolist()):
        for j, q in enumerate(right.tolist()):
            products = [a * b for a, b in zip(p, q, strict=True)]
            np.testing.assert_allclose(result[i, j], [value / sum(products) for value in products], rtol=1e-12)


def test_equal_probabilities_change_nothing():
    np.testing.assert_allclose(combined(Product(), [0.2, 0.8], [0.5, 0.5]), [0.2, 0.8], rtol=1e-15)


def test_a_class_that_one_side_excludes_stays_excluded():
    assert combined(Product(), [0.0, 0.5, 0.5], [0.9, 0.05, 0.05])[0] == 0.0


def test_only_contradicting_pairs_are_averaged():
    left, right = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0]])
    result = Product().combine(left, right, np.ones(2), np.ones(1))
    assert result.tolist() == [[[0.5, 0.5]], [[0.0, 1.0]]]


def test_probabilities_too_small_to_multiply_are_not_taken_for_a_contradiction():
    """Products of many trees' priors shrink fast; the last two classes are the ones that are excluded here."""
    left, right = [1e-200, 2e-200, 1.0, 0.0], [1e-200, 2e-200, 0.0, 1.0]
    np.testing.assert_allclose(combined(Product(), left, right), [0.2, 0.8, 0.0, 0.0], rtol=1e-9)
