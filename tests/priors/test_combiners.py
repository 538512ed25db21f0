"""What every prior combiner promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from priors.pairs import COMBINERS, pairs

every_combiner = pytest.mark.parametrize("combiner", COMBINERS, ids=str)
quickly = settings(max_examples=40, deadline=None)


@every_combiner
@quickly
@given(pair=pairs())
def test_combinations_sum_to_one(combiner, pair):
    result = combiner.combine(*pair)
    np.testing.assert_allclose(result.sum(axis=2), np.ones(result.shape[:2]), rtol=1e-12)


@every_combiner
@quickly
@given(pair=pairs())
def test_no_combination_is_negative(combiner, pair):
    assert combiner.combine(*pair).min(initial=0.0) >= 0.0


@every_combiner
@quickly
@given(pair=pairs())
def test_there_is_one_combination_for_each_pair(combiner, pair):
    left, right, _, _ = pair
    assert (len(left), len(right), left.shape[1]) == combiner.combine(*pair).shape


@every_combiner
@quickly
@given(pair=pairs())
def test_left_and_right_can_be_exchanged(combiner, pair):
    left, right, left_support, right_support = pair
    one = combiner.combine(left, right, left_support, right_support)
    other = combiner.combine(right, left, right_support, left_support)
    np.testing.assert_allclose(one, other.transpose(1, 0, 2), rtol=1e-12, atol=1e-300)


@every_combiner
@quickly
@given(pair=pairs())
def test_renaming_the_classes_moves_the_columns(combiner, pair):
    left, right, left_support, right_support = pair
    renamed = combiner.combine(left[:, ::-1], right[:, ::-1], left_support, right_support)
    np.testing.assert_allclose(combiner.combine(*pair)[:, :, ::-1], renamed, rtol=1e-12, atol=1e-300)


@every_combiner
@quickly
@given(pair=pairs())
def test_a_pair_is_combined_alike_alone_and_among_others(combiner, pair):
    left, right, left_support, right_support = pair
    together = combiner.combine(*pair)
    for i in range(len(left)):
        for j in range(len(right)):
            alone = combiner.combine(
                left[i : i + 1], right[j : j + 1], left_support[i : i + 1], right_support[j : j + 1]
            )
            assert alone[0, 0].tolist() == together[i, j].tolist()


@every_combiner
@quickly
@given(pair=pairs())
def test_what_is_combined_stays_as_it_was(combiner, pair):
    before = [array.tolist() for array in pair]
    combiner.combine(*pair)
    assert before == [array.tolist() for array in pair]


@every_combiner
def test_distributions_that_exclude_each_other_are_averaged(combiner):
    ones, twos = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    result = combiner.combine(ones, twos, np.array([3]), np.array([3]))
    assert result[0, 0].tolist() == [0.5, 0.5, 0.0]
