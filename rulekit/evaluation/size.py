"""Size of a ruleset, and of the ensemble that it comes from."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.forest import Forest
from rulekit.core.nodes import Nodes
from rulekit.core.tree_rules import LeafPaths
from rulekit.ruleset import RuleSet


def n_rules(ruleset: RuleSet) -> int:
    """Rules, the default rule included."""
    return len(ruleset)


def n_conditions(ruleset: RuleSet) -> int:
    """Conditions of all rules together."""
    return ruleset.n_conditions


def n_distinct_conditions(ruleset: RuleSet) -> int:
    """Conditions that differ in feature, direction, threshold, categories, or in how they treat missing values."""
    return len({ruleset.conditions.key(row) for antecedent in ruleset.antecedents for row in antecedent})


def conditions_per_rule(ruleset: RuleSet) -> float:
    """Mean number of conditions of the rules other than the default, 0 if there are none."""
    return ruleset.n_conditions / max(len(ruleset) - 1, 1)


def uniqueness(ruleset: RuleSet) -> float:
    """Fraction of distinct conditions among all conditions; NaN if there are no conditions."""
    return n_distinct_conditions(ruleset) / ruleset.n_conditions if ruleset.n_conditions else float("nan")


def n_leaf_rules(forest: Forest) -> int:
    """Number of rules in the ensemble itself: one for each leaf."""
    return len(_leaf_paths(forest))


def n_leaf_conditions(forest: Forest) -> int:
    """Number of conditions on the paths to all leaves of the ensemble."""
    return int(_leaf_paths(forest).sum())


def _leaf_paths(forest: Forest) -> IntArray:
    """One row for each leaf, with a 1 for each condition on its path."""
    nodes = Nodes.of([tree for trees in forest.rounds for tree in trees])
    one = np.ones_like(nodes.features)
    paths = LeafPaths.of(nodes, one, one, nothing=0)
    return paths.to(paths.leaves)
