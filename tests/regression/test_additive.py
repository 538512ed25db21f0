"""Forward selection equals its slow twin, and leave-one-out predictions those of actual refits."""

import numpy as np
import pytest
from reference.regression import additive, distinct, node_masks, ridge
from regression.worlds import regression_data

from rulekit.regression.additive import forward_selection
from rulekit.regression.data import MIN_SAMPLES

PENALTY = 5.0


@pytest.mark.parametrize("seed", range(6))
def test_chooses_the_rules_and_weights_of_its_slow_twin(seed):
    data = regression_data(seed)
    masks = distinct(node_masks(data.forest, data.X), MIN_SAMPLES)
    *_, last = forward_selection(data.pool, data.target, 5, PENALTY)
    rules, solution = additive(masks, data.target, 5, PENALTY)
    assert list(last.rules) == rules
    np.testing.assert_allclose([last.intercept, *last.weights], solution, atol=1e-9)


def test_predictions_without_a_sample_are_those_of_a_refit_without_it():
    data = regression_data(1)
    masks = [data.pool.covers(rule) for rule in range(len(data.pool))]
    *_, last = forward_selection(data.pool, data.target, 4, PENALTY)
    columns = np.array([masks[rule] for rule in last.rules], dtype=float)
    for sample in range(0, len(data.y), 7):
        others = np.arange(len(data.y)) != sample
        solution = ridge(columns[:, others], data.target[others], PENALTY)
        np.testing.assert_allclose(last.left_out[sample], solution[0] + solution[1:] @ columns[:, sample], rtol=2e-3)


def test_yields_a_list_of_every_length_and_ends_where_nothing_is_left_to_explain():
    data = regression_data(0)
    assert [len(each.rules) for each in forward_selection(data.pool, data.target, 3, PENALTY)] == [0, 1, 2, 3]
    assert [each.rules for each in forward_selection(data.pool, np.ones(len(data.y)), 3, PENALTY)] == [()]


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_the_unit_of_the_target_does_not_matter(factor):
    data = regression_data(2)
    expected, scaled = (
        [each.rules for each in forward_selection(data.pool, unit * data.target, 4, PENALTY)] for unit in (1.0, factor)
    )
    assert scaled == expected
