"""Raw rules of trees with thresholds, missing values and categories: each sample satisfies that of its leaf only."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.conditions import match
from rulekit.core.forest import CategorySplit, Forest, Tree
from rulekit.core.nodes import Nodes
from rulekit.core.tree_rules import LeafPaths, conditions_of, leaf_rules

CATEGORICAL = 2


def random_tree(rng: np.random.Generator, depth: int) -> Tree:
    """A tree over two numbers and one category, whose nodes stand in the order in which they were made."""
    features, left, right, splits = [-1], [0], [0], {}
    open_nodes = [(0, 0)]
    while open_nodes:
        node, level = open_nodes.pop(int(rng.integers(len(open_nodes))))
        if level == depth or (level > 0 and rng.random() < 0.2):
            continue
        features[node] = int(rng.integers(3))
        if features[node] == CATEGORICAL:
            codes = frozenset(rng.choice(5, size=int(rng.integers(1, 4)), replace=False).tolist())
            splits[node] = CategorySplit(codes, goes_left=bool(rng.random() < 0.5))
        left[node], right[node] = len(features), len(features) + 1
        features += [-1, -1]
        left += [0, 0]
        right += [0, 0]
        open_nodes += [(left[node], level + 1), (right[node], level + 1)]
    n_nodes = len(features)
    distribution = rng.dirichlet([1, 1], size=n_nodes)
    return Tree(
        features=np.array(features),
        thresholds=rng.integers(0, 5, n_nodes).astype(float),
        left=np.array(left),
        right=np.array(right),
        values=distribution,
        priors=distribution,
        missing_left=rng.random(n_nodes) < 0.5,
        category_splits=splits,
    )


def random_samples(rng: np.random.Generator, n_samples: int) -> np.ndarray:
    X = rng.integers(-1, 6, (n_samples, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


@given(st.integers(0, 10**6), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_a_sample_satisfies_the_rule_of_its_leaf_and_no_other(seed, depth):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng, depth), random_samples(rng, 80)
    forest = Forest(((tree,),), np.array([0, 1]), 3, "mean", input_dtype=np.float64, handles_missing=True)
    conditions, (rules,) = leaf_rules(forest, ["a", "b", "c"], frozenset(range(3)))
    antecedents = [[c for c in row if c < len(conditions)] for row in rules.antecedents.tolist()]
    nowhere = np.zeros(len(tree.features), dtype=int)
    leaves = LeafPaths.of(Nodes.of([tree]), nowhere, nowhere, nothing=0).leaves
    assert (leaves[:, None] == tree.apply(X)).tolist() == match(conditions, antecedents, X).tolist()


@given(st.integers(0, 10**6), st.frozensets(st.integers(0, 2)))
@settings(max_examples=50, deadline=None)
def test_where_missing_values_go_is_said_only_of_features_that_have_some(seed, missing_features):
    """Of the two conditions of a split, one is for missing values; for other features, none is."""
    tree = random_tree(np.random.default_rng(seed), 3)
    forest = Forest(((tree,),), np.array([0, 1]), 3, "mean", input_dtype=np.float64, handles_missing=True)
    conditions, _ = leaf_rules(forest, ["a", "b", "c"], missing_features)
    of_nodes, at_left, at_right = conditions_of([tree], Nodes.of([tree]), missing_features)
    for node in np.flatnonzero(tree.features >= 0):
        held = [of_nodes[way[node]].holds_missing for way in (at_left, at_right)]
        goes_left = bool(tree.missing_left[node])
        assert held == ([goes_left, not goes_left] if tree.features[node] in missing_features else [False, False])
    assert set(conditions.features[conditions.holds_missing].tolist()) <= missing_features
    assert not conditions.thresholds[conditions.is_set].any()
