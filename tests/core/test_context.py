"""The thresholds of all stages are strict."""

import numpy as np
import pytest
from core.training_sets import random_training_set

from rulekit.core.context import SearchContext
from rulekit.priors.mean import Mean
from rulekit.probability.empirical import Empirical


def qualifies(counts, classes, **limits):
    context = SearchContext(random_training_set(0, n_samples=100).data(), Mean(), Empirical(), **limits)
    return context.qualifies(np.array(counts), np.array(classes)).tolist()


def test_a_precision_at_the_limit_does_not_qualify():
    assert qualifies([[5, 5, 0], [6, 5, 0]], [0, 0], min_precision=0.5) == [False, True]


def test_a_coverage_at_the_limit_does_not_qualify():
    assert qualifies([[10, 0, 0], [11, 0, 0]], [0, 0], min_coverage=0.1) == [False, True]


@pytest.mark.parametrize("limit", [0.0, 0.5])
def test_a_rule_without_samples_does_not_qualify(limit):
    assert qualifies([[0, 0, 0]], [0], min_precision=limit) == [False]


def test_precision_is_of_the_rules_own_class():
    assert qualifies([[9, 1, 0], [9, 1, 0]], [0, 1]) == [True, False]


def test_coverage_counts_samples_of_every_class():
    assert qualifies([[7, 4, 0]], [0], min_coverage=0.1) == [True]
