"""The list search equals its slow twin, step by step."""

import numpy as np
import pytest
from reference.regression import best_insertion, distinct, left_out_error, list_loss, node_masks
from regression.worlds import regression_data

from rulekit.regression.data import MIN_SAMPLES
from rulekit.regression.listing import ListSearch, Prices, found_lists

PRICES = Prices(min_answered=5)


@pytest.fixture(scope="module", params=range(3))
def world(request):
    data = regression_data(request.param, n_samples=40, n_estimators=3, max_depth=2)
    return data, distinct(node_masks(data.forest, data.X), MIN_SAMPLES), data.target - data.target.mean()


def test_inserts_the_rules_of_its_slow_twin(world):
    data, masks, target = world
    search, rules = ListSearch(data.pool, data.target, PRICES), []
    for _ in range(4):
        gain, rule, position = best_insertion(rules, masks, target, PRICES.shrinkage, PRICES.min_answered)
        found = search._best_insertion()
        assert found[0] == pytest.approx(gain, abs=1e-6)
        longer = [*rules[: found[2]], found[1], *rules[found[2] :]]
        loss = list_loss(rules, masks, target, PRICES.shrinkage)
        assert loss - list_loss(longer, masks, target, PRICES.shrinkage) == pytest.approx(gain, abs=1e-6)
        rules.insert(position, rule)
        search.insert(rule, position)


def test_tables_stay_those_of_a_new_search_whatever_is_inserted_and_deleted(world):
    data, masks, target = world
    search, rng = ListSearch(data.pool, data.target, PRICES), np.random.default_rng(0)
    for _ in range(12):
        if search.rules and rng.random() < 0.4:
            search.delete(int(rng.integers(len(search.rules))))
        else:
            unused = [rule for rule in range(len(masks)) if rule not in search.rules]
            search.insert(int(rng.choice(unused)), int(rng.integers(len(search.rules) + 1)))
        left = np.ones(len(target), dtype=bool)
        for position, rule in enumerate([*search.rules, None]):
            part = left if rule is None else left & masks[rule]
            left = left & ~part
            assert (search.answering[part] == position).all()
            counts = [(part & mask).sum() for mask in masks]
            assert search.tables[position][0].tolist() == counts
        assert search.loss() == pytest.approx(list_loss(search.rules, masks, target, PRICES.shrinkage), abs=1e-6)


def test_errors_of_a_part_are_those_of_leaving_out_each_sample():
    data = regression_data(0)
    search = ListSearch(data.pool, data.target, PRICES)
    numbers = np.random.default_rng(0).normal(size=9)
    statistics = np.array([9.0, numbers.sum(), (numbers**2).sum()])
    assert search._errors(statistics) == pytest.approx(left_out_error(numbers, PRICES.shrinkage), rel=1e-12)


def test_sweeps_never_make_a_list_worse_and_shorter_lists_come_first():
    data = regression_data(3, n_samples=200, n_estimators=10)
    swept, grown = (found_lists(data.pool, data.target, 8, Prices(max_sweeps=sweeps)) for sweeps in (3, 0))
    masks = [data.pool.covers(rule) for rule in range(len(data.pool))]
    target = data.target - data.target.mean()
    price = np.log(len(data.pool))

    def cost(rules):
        return list_loss(rules, masks, target, 2.0) + price * len(rules)

    assert cost(swept[-1]) <= cost(grown[-1]) + 1e-6
    lengths = [len(rules) for rules in swept]
    assert lengths == sorted(set(lengths))
    assert lengths[0] == 0


def test_a_constant_target_has_no_rule():
    data = regression_data(0)
    assert found_lists(data.pool, np.ones(len(data.y)), 5, PRICES) == [()]
