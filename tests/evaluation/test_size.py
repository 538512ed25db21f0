"""How much there is to read."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.validation import Categories
from rulekit.evaluation import (
    conditions_per_rule,
    n_conditions,
    n_distinct_conditions,
    n_leaf_conditions,
    n_leaf_rules,
    n_rules,
    uniqueness,
)
from rulekit.inference.decision_list import DecisionList
from rulekit.model import find_adapter
from rulekit.ruleset import RuleSet


def ruleset(antecedents, thresholds=(1.0, 1.0, 2.0), is_upper=(True, False, True)):
    """A ruleset with these antecedents and a default rule; its conditions are x <= 1, x > 1 and x <= 2."""
    conditions = Conditions(np.zeros(len(thresholds), dtype=int), np.array(is_upper), np.array(thresholds), ("x",))
    size = (len(antecedents) + 1, 2)
    return RuleSet(
        conditions, (*antecedents, ()), np.full(size, 0.5), np.ones(size, int), np.array([0, 1]), 4, DecisionList()
    )


class TestRuleset:
    rules = ruleset([(0, 2), (1,), (2,)])

    def test_the_default_rule_counts_as_a_rule(self):
        assert n_rules(self.rules) == 4

    def test_conditions_are_counted_in_every_rule(self):
        assert n_conditions(self.rules) == 4

    def test_a_condition_in_two_rules_is_one_distinct_condition(self):
        assert n_distinct_conditions(self.rules) == 3

    def test_the_default_rule_does_not_count_for_conditions_per_rule(self):
        assert conditions_per_rule(self.rules) == pytest.approx(4 / 3)

    def test_uniqueness_is_distinct_among_all(self):
        assert uniqueness(self.rules) == 3 / 4

    def test_conditions_that_no_rule_uses_do_not_count(self):
        assert n_distinct_conditions(ruleset([(0,)])) == 1

    def test_equal_conditions_in_different_rows_are_one(self):
        assert n_distinct_conditions(ruleset([(0,), (1,)], thresholds=(1.0, 1.0), is_upper=(True, True))) == 1


class TestSetsAndMissingValues:
    """Once, only feature, direction and threshold told conditions apart: all sets of a feature counted as one."""

    def distinct(self, *keys):
        conditions = Conditions.of_keys(keys, ("x",), np.float64, Categories({0: ("a", "b", "c")}), frozenset({0}))
        size = (len(keys) + 1, 2)
        antecedents = (*((row,) for row in range(len(keys))), ())
        inference, labels = DecisionList(), np.array([0, 1])
        return n_distinct_conditions(
            RuleSet(conditions, antecedents, np.full(size, 0.5), np.ones(size, int), labels, 4, inference)
        )

    def test_different_sets_are_different_conditions(self):
        sets = [ConditionKey(0, True, 0.0, frozenset(codes), False) for codes in ({0}, {1}, {0, 1})]
        assert self.distinct(*sets) == 3

    def test_equal_sets_are_one_condition(self):
        assert self.distinct(*[ConditionKey(0, True, 0.0, frozenset({0, 1}), False)] * 2) == 1

    def test_a_set_is_not_a_threshold_at_0(self):
        assert self.distinct(*[ConditionKey(0, True, 0.0, codes, False) for codes in (None, frozenset({0}))]) == 2

    def test_a_condition_that_also_holds_for_missing_values_is_another_one(self):
        assert self.distinct(*[ConditionKey(0, True, 1.0, None, missing) for missing in (False, True)]) == 2


class TestOnlyTheDefaultRule:
    rules = ruleset([])

    def test_has_no_conditions(self):
        assert (n_rules(self.rules), n_conditions(self.rules), n_distinct_conditions(self.rules)) == (1, 0, 0)

    def test_has_no_conditions_per_rule(self):
        assert conditions_per_rule(self.rules) == 0.0

    def test_has_no_uniqueness(self):
        assert math.isnan(uniqueness(self.rules))


@pytest.mark.parametrize("ensemble", [RandomForestClassifier(5, random_state=0), GradientBoostingClassifier()])
class TestForest:
    @pytest.fixture
    def trees(self, ensemble):
        ensemble.set_params(n_estimators=5, random_state=0).fit(*load_iris(return_X_y=True))
        return [tree.tree_ for tree in np.ravel(ensemble.estimators_)]

    @pytest.fixture
    def forest(self, ensemble, trees):
        return find_adapter(ensemble).forest(ensemble)

    def test_rules_are_the_leaves_that_sklearn_counts(self, forest, trees):
        assert n_leaf_rules(forest) == sum(tree.n_leaves for tree in trees)

    def test_conditions_are_the_depths_of_the_leaves(self, forest, trees):
        def depths(tree, node=0, depth=0):
            if tree.children_left[node] < 0:
                return depth
            children = (tree.children_left[node], tree.children_right[node])
            return sum(depths(tree, child, depth + 1) for child in children)

        assert n_leaf_conditions(forest) == sum(depths(tree) for tree in trees)
