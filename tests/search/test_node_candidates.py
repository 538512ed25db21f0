"""The upper nodes of the trees as candidates of relist: which ones, and what becomes of them."""

import attrs
import numpy as np
import pytest
from reference.relist import SlowRelist
from search.test_relist import sets_of_samples
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.context import Budget, SearchContext
from rulekit.priors.product import Product
from rulekit.probability.naive_bayes import NaiveBayes
from rulekit.search.pool import most_rules, with_nodes
from rulekit.search.relist import Relist
from rulekit.search.simplify import Simplify

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def context():
    X, y = make_classification(150, 4, n_informative=3, n_redundant=0, random_state=0)
    forest = RandomForestClassifier(4, max_depth=4, random_state=0).fit(X, y)
    data = rulekit.build("rcprob", forest).prepare(X, y)
    return SearchContext(data, Product().fit(data), NaiveBayes().fit(data))


def pool_of(context):
    return [Simplify().simplify(rules, context) for rules in context.data.tree_rules()]


def nodes_of(context, max_depth, n_rulesets=0):
    return with_nodes(pool_of(context)[:n_rulesets], max_depth, context)


def test_they_are_the_nodes_down_to_that_depth_that_exceed_the_limits(context):
    limited = attrs.evolve(context, min_coverage=0.3)
    for found, antecedents in zip(nodes_of(limited, 2), context.data.shallow_antecedents(2), strict=True):
        counts = context.index.count(context.index.cover(antecedents))
        wide = counts.sum(axis=1) > 0.3 * context.index.n_samples
        precise = counts.max(axis=1) > 0.5 * counts.sum(axis=1)
        assert found.conditions.tolist() == antecedents[wide & precise].tolist()
        assert 0 < len(found) < len(antecedents)
        assert found.classes.tolist() == counts[wide & precise].argmax(axis=1).tolist()
        np.testing.assert_allclose(found.priors.sum(axis=1), 1)


def test_none_has_more_conditions_than_any_rule_may_have(context):
    found = nodes_of(attrs.evolve(context, max_conditions=1), 3)
    assert {int((rules.conditions != context.index.pad).sum(axis=1).max()) for rules in found if len(rules)} == {1}


def test_those_of_a_tree_join_the_rules_that_it_led_to_and_later_trees_have_their_own(context):
    made, alone, joined = pool_of(context), nodes_of(context, 2), nodes_of(context, 2, n_rulesets=2)
    assert [len(rules) for rules in joined] == [
        len(alone[0]) + len(made[0]),
        len(alone[1]) + len(made[1]),
        len(alone[2]),
        len(alone[3]),
    ]


def test_without_a_depth_there_are_none(context):
    made = pool_of(context)
    assert with_nodes(made, 0, context) == made


def test_a_list_that_may_have_them_is_that_of_the_slow_twin(context):
    pool = pool_of(context)
    refined = Relist(node_depth=2).refine(pool[0], pool, context)
    rulesets = [*with_nodes(pool, 2, context), pool[0]]
    distinct = list(dict.fromkeys(s for rules in rulesets for s in sets_of_samples(rules, context.index) if s))
    start = list(dict.fromkeys(distinct.index(s) for s in sets_of_samples(pool[0], context.index)))
    expected = SlowRelist(context.data.y.tolist(), 2, distinct).relist(start, len(pool[0]))
    assert [distinct[row] for row in expected] == sets_of_samples(refined.rules, context.index)
    assert refined.report["n_pool"] == len(distinct)


def test_the_pool_is_limited_by_memory_and_the_list_of_the_loop_is_always_part_of_it(context):
    n_bytes = 8 * 10 * 8 * context.index.n_words
    narrow = attrs.evolve(context, budget=Budget(max_bytes=n_bytes))
    assert most_rules(narrow) == 10
    pool = pool_of(context)
    refined = Relist().refine(pool[-1], pool, narrow)
    assert 10 <= refined.report["n_pool"] <= 10 + len(pool[-1])
    assert len(refined.rules) > 0
