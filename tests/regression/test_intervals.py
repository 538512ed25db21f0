"""Quantiles are those of split conformal prediction, and hold their level on new samples."""

import numpy as np
import pytest

from rulekit.regression.intervals import conformal_quantiles, scores_of


def test_the_kth_smallest_score_with_k_rounded_up_is_the_quantile():
    scores = np.random.default_rng(0).permutation(np.arange(1.0, 20.0))
    quantiles = conformal_quantiles(scores)
    # Of 19 scores, k = ceil(level * 20): 10, 18, and 19 up to .95; beyond that there are too few.
    assert quantiles[[500, 900, 950, 951]].tolist() == [10.0, 18.0, 19.0, np.inf]


@pytest.mark.parametrize("level", [500, 900])
def test_a_new_score_is_within_the_quantile_with_the_probability_of_the_level(level):
    """Exact for any distribution: between level and level + 1 / (n + 1), here over 2,000 draws of 30 + 1 scores."""
    rng = np.random.default_rng(level)
    draws = rng.exponential(size=(2000, 31)) ** 3
    held = np.mean([draw[-1] <= conformal_quantiles(draw[:-1])[level] for draw in draws])
    error = 3 * np.sqrt(0.25 / 2000)
    assert level / 1000 - error <= held <= level / 1000 + 1 / 31 + error


def test_without_any_error_the_distance_counts_as_nothing_or_as_everything():
    assert scores_of(np.array([1.0, 1.0, 3.0]), np.ones(3), np.array([0.0, 2.0, 0.0])).tolist() == [0.0, 0.0, np.inf]
