"""LightGBM in random configurations: the forest must send samples where the library does, and say the same."""

import numpy as np
import pytest
from adapters.lightgbm_cases import edge_samples, forest_leaves, library_leaves, library_probabilities, random_case

from rulekit.adapters.lightgbm import LightGBMAdapter

configurations = pytest.mark.parametrize("seed", range(150))


@configurations
def test_samples_reach_the_librarys_leaves_also_at_thresholds(seed):
    case = random_case(seed)
    X = edge_samples(case)
    forest = LightGBMAdapter().forest(case.model)
    np.testing.assert_array_equal(library_leaves(case.model, X), forest_leaves(forest, X))


@configurations
def test_probabilities_are_the_librarys_also_at_thresholds(seed):
    """Up to rounding: the library multiplies by the sigmoid after it has added leaves up, and takes 1 - p."""
    case = random_case(seed)
    X = edge_samples(case)
    forest = LightGBMAdapter().forest(case.model)
    np.testing.assert_allclose(forest.predict_proba(X), library_probabilities(case.model, X), rtol=1e-12, atol=1e-15)
