"""Candidates are the nodes of the trees, and sums over their samples those over masks."""

import numpy as np
import pytest
from reference.regression import distinct, node_masks
from regression.worlds import regression_data

from rulekit.regression import pool as module
from rulekit.regression.data import MIN_SAMPLES


@pytest.fixture(scope="module", params=range(4))
def world(request):
    data = regression_data(request.param)
    return data, distinct(node_masks(data.forest, data.X), MIN_SAMPLES)


def test_candidates_are_the_distinct_sets_of_samples_of_all_nodes(world):
    data, masks = world
    assert [data.pool.covers(rule).tolist() for rule in range(len(data.pool))] == [mask.tolist() for mask in masks]
    assert data.pool.n_covered.tolist() == [mask.sum() for mask in masks]


def test_sums_are_those_over_the_covered_samples_however_many_trees_are_summed_at_once(world, monkeypatch):
    data, masks = world
    numbers = np.random.default_rng(0).integers(-(10**12), 10**12, size=len(data.y))
    expected = [numbers[mask].sum() for mask in masks]
    assert data.pool.sums(numbers).tolist() == expected
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 1)
    assert data.pool.sums(numbers).tolist() == expected


def test_sums_among_some_samples_leave_out_the_others(world):
    data, masks = world
    rng = np.random.default_rng(1)
    samples = rng.permutation(len(data.y))[:17]
    numbers = rng.integers(-1000, 1000, size=(2, len(samples)))
    expected = [[row[mask[samples]].sum() for mask in masks] for row in numbers]
    assert data.pool.sums_among(samples, numbers).tolist() == expected


def test_the_conditions_of_a_candidate_hold_for_the_samples_that_it_covers(world):
    data, masks = world
    for rule, antecedent in enumerate(data.antecedents(range(len(data.pool)))):
        holds = np.ones(len(data.y), dtype=bool)
        for condition in antecedent.tolist():
            column = data.X[:, data.conditions.features[condition]]
            below = column <= data.conditions.cutoffs[condition]
            holds &= below if data.conditions.is_upper[condition] else ~below
        assert holds.tolist() == masks[rule].tolist()
