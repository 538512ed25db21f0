"""Nodes of all trees side by side, against one tree at a time by recursion."""

import attrs
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier

from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.core.nodes import Nodes
from rulekit.core.tree_rules import LeafPaths


def leaves_below(tree, node=0, path=()):
    """(leaf, path) from left to right; a path is the nodes that were left, negative to the right."""
    if tree.features[node] < 0:
        return [(node, path)]
    left = leaves_below(tree, tree.left[node], (*path, node + 1))
    return left + leaves_below(tree, tree.right[node], (*path, -(node + 1)))


def trees_of(seed, n_trees, depth):
    X, y = make_classification(60, 5, random_state=seed)
    model = ExtraTreesClassifier(n_trees, max_depth=depth, random_state=seed).fit(X, y)
    return [tree for (tree,) in SklearnForestAdapter().forest(model).rounds]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 5), st.sampled_from([1, 3, None]))
def test_leaves_and_paths_are_those_of_each_tree(seed, n_trees, depth):
    trees = trees_of(seed, n_trees, depth)
    nodes = Nodes.of(trees)
    number = np.concatenate([np.arange(len(tree.features)) for tree in trees]) + 1
    ways = LeafPaths.of(nodes, number, -number, nothing=0)
    leaves, starts, paths = ways.leaves, ways.starts, ways.to(ways.leaves)
    for tree, root, start, stop in zip(trees, nodes.roots, starts[:-1], starts[1:], strict=True):
        expected = leaves_below(tree)
        assert [leaf for leaf, _ in expected] == (leaves[start:stop] - root).tolist()
        found = [tuple(step for step in row[::-1] if step) for row in paths[start:stop].tolist()]
        assert [path for _, path in expected] == found


def test_trees_without_splits_have_one_leaf_and_no_path():
    (tree,) = trees_of(0, 1, 1)
    alone = type(tree)(
        tree.features[1:2],
        *(getattr(tree, name)[1:2] for name in ("thresholds", "left", "right")),
        tree.values[1:2],
        tree.priors[1:2],
    )
    nothing = np.zeros(2, dtype=np.int64)
    ways = LeafPaths.of(Nodes.of([alone, alone]), nothing, nothing, nothing=0)
    assert (ways.leaves.tolist(), ways.starts.tolist(), ways.to(ways.leaves).shape) == ([0, 1], [0, 1, 2], (2, 0))


def test_features_and_thresholds_have_room_whatever_types_the_trees_have():
    (tree,) = trees_of(0, 1, 1)
    narrow = attrs.evolve(tree, features=tree.features.astype(np.int8), thresholds=tree.thresholds.astype(np.float32))
    nodes = Nodes.of([narrow])
    assert (nodes.features.dtype, nodes.thresholds.dtype) == (np.int64, np.float64)
