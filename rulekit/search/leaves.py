"""From trees to rules: one rule per leaf, left to right."""

from collections.abc import Sequence

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.categories import Categories
from rulekit.core.conditions import Conditions
from rulekit.core.forest import Forest
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules, tidy
from rulekit.search.nodes import Nodes
from rulekit.search.sets import close_under_intersection, merge_sets
from rulekit.search.splits import conditions_of


@attrs.frozen(eq=False)
class LeafRules:
    """The rules of one round of trees, before any record is looked at.

    Attributes
    ----------
    antecedents : ndarray of shape (n_leaves, width)
        Condition ids, padded with the number of conditions.
    priors : ndarray of shape (n_leaves, n_classes)
    groups : ndarray of shape (n_leaves,)
        Leaves of different groups share no record; all 0 when several trees form the round.
    """

    antecedents: IntArray
    priors: FloatArray
    groups: IntArray

    def on(self, index: TrainingIndex) -> Rules:
        """The same rules, with their training records."""
        return Rules.of(self.antecedents, self.priors, self.priors.argmax(axis=1), index, self.groups)


def leaf_rules(
    forest: Forest, feature_names: Sequence[str], missing_features: frozenset[int] = frozenset()
) -> tuple[Conditions, list[LeafRules]]:
    """Every condition of a forest, and the rules of each of its rounds.

    Where missing values go is part of a condition only for features that have some.
    """
    trees = [tree for trees in forest.rounds for tree in trees]
    nodes = Nodes.of(trees)
    keys, at_left, at_right = conditions_of(trees, nodes, missing_features)
    listed = keys + close_under_intersection(keys)
    categories = Categories(forest.categories, forest.unknown_as_missing)
    conditions, ids = Conditions.in_text_order(listed, feature_names, forest.input_dtype, categories, missing_features)
    pad = len(conditions)
    ids = np.append(ids, pad)  # where the -1 of leaves, which lead nowhere, can point to
    leaves, starts, paths = nodes.leaf_paths(ids[at_left], ids[at_right], nothing=pad)
    antecedents = merge_sets(tidy(paths, pad), conditions)
    priors = np.concatenate([tree.priors for tree in trees])[leaves]

    rounds, first = [], 0
    for trees_of_round in forest.rounds:
        last = first + len(trees_of_round)
        rows = slice(starts[first], starts[last])
        n_leaves = starts[last] - starts[first]
        groups = np.arange(n_leaves) if len(trees_of_round) == 1 else np.zeros(n_leaves, dtype=np.int64)
        rounds.append(LeafRules(tidy(antecedents[rows], pad), priors[rows], groups))
        first = last
    return conditions, rounds
