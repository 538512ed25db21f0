"""The refinement by the number of samples: the second search of the list, or a new list for few samples."""

import numpy as np
import pytest
from search.test_relist import answered, sets_of_samples, setting
from search.test_soft import setting as soft_setting

from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import concatenate
from rulekit.search.by_size import BySize
from rulekit.search.relist import Relist
from rulekit.search.soft import Soft

pytestmark = pytest.mark.usefixtures("engine")


def test_from_the_limit_on_the_list_is_that_of_relist():
    _, context, pool = setting(1)
    by_size = BySize(small_below=200, rule_cost=0.5, node_depth=0).refine(pool[0], pool, context)
    expected = Relist(rule_cost=0.5, node_depth=0).refine(pool[0], pool, context)
    assert sets_of_samples(expected.rules, context.index) == sets_of_samples(by_size.rules, context.index)
    assert by_size.report == expected.report


@pytest.mark.parametrize("parameters", [{}, {"n_virtual": 1, "n_folds": 2, "honest": "cross-fit", "max_rules": 3}])
def test_below_it_the_list_is_that_of_soft(parameters):
    context, pool = soft_setting("cancer")
    by_size = BySize(small_below=61, **parameters).refine(pool[0], pool, context)
    expected = Soft(**parameters).refine(pool[0], pool, context)
    assert by_size.report == expected.report
    assert np.array_equal(by_size.rules.conditions, expected.rules.conditions)


def test_where_nothing_is_known_honestly_rules_that_answer_nothing_are_dropped_and_the_others_stay():
    _, context, pool = setting(1)
    rules = concatenate([pool[0], pool[0].take(np.array([0]))], context.index.pad)
    n_answered = answered(rules, context.index)
    assert n_answered[-1] == 0
    refined = BySize(small_below=201).refine(rules, [rules], context)
    sets = sets_of_samples(rules, context.index)
    alive = [samples for samples, n in zip(sets, n_answered, strict=True) if n]
    assert alive == sets_of_samples(refined.rules, context.index)
    reason = "the ensemble cannot be fitted again"
    assert refined.report == {"stage": "kept", "n_dead": len(sets) - len(alive), "reason": reason}


@pytest.mark.parametrize("wrong", [-1, 0.5, "1000", None])
def test_a_limit_that_is_no_whole_number_is_rejected(wrong):
    _, context, _ = setting(0)
    with pytest.raises(InvalidParameterError, match="small_below"):
        BySize(small_below=wrong).begin(context)
