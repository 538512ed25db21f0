"""Looking at a neutral forest: whether its trees are valid, and samples that lie on their thresholds."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import match
from rulekit.core.forest import Forest, Tree
from rulekit.core.tree_rules import leaf_rules
from rulekit.testing.comparison import expect_distributions
from rulekit.testing.conformance import expect

MOST_THRESHOLDS = 40


def expect_trees(forest: Any, what: str) -> None:
    """Raise unless this is a `Forest` whose nodes are reached once from the roots, and whose leaves have values."""
    expect(isinstance(forest, Forest), f"{what}: an object of type {type(forest).__name__}.")
    expect(forest.rounds and all(forest.rounds), f"{what}: a forest without trees.")
    for position, tree in _numbered_trees(forest):
        _expect_tree(tree, forest, f"{what}, tree {position}")


def _expect_tree(tree: Tree, forest: Forest, what: str) -> None:
    n_nodes, n_classes = len(tree.features), len(forest.classes)
    lengths = {name: len(getattr(tree, name)) for name in ("thresholds", "left", "right", "values", "priors")}
    wrong = [name for name, length in lengths.items() if length != n_nodes]
    expect(not wrong, f"{what}: {n_nodes} features, but other numbers of {', '.join(wrong)}.")
    n_values = 1 if forest.link == "logistic" else n_classes
    expect(tree.values.shape == (n_nodes, n_values), f"{what}: values of shape {tree.values.shape}.")
    leaves, inner = leaves_and_inner_nodes(tree, what)
    columns = tree.features[inner]
    expect((columns < forest.n_features).all(), f"{what}: a split on feature {columns.max(initial=0)}.")
    expect(not np.isnan(tree.thresholds[inner]).any(), f"{what}: a threshold that is NaN.")
    expect(np.isfinite(tree.values[leaves]).all(), f"{what}: the value of a leaf is not finite.")
    expect_distributions(tree.priors[leaves], (len(leaves), n_classes), f"{what}, priors of the leaves")


def leaves_and_inner_nodes(tree: Tree, what: str) -> tuple[IntArray, IntArray]:
    """Leaves, from left to right, and inner nodes; raise if a path leads out of the tree or to a node twice."""
    leaves, inner, ahead, seen = [], [], [0], set()
    while ahead:
        node = ahead.pop()
        expect(0 <= node < len(tree.features), f"{what}: a child {node}, but only {len(tree.features)} nodes.")
        expect(node not in seen, f"{what}: two paths to node {node}.")
        seen.add(node)
        if tree.features[node] < 0:
            leaves.append(node)
        else:
            inner.append(node)
            ahead += [int(tree.right[node]), int(tree.left[node])]
    return np.array(leaves, dtype=np.int64), np.array(inner, dtype=np.int64)


def samples_at_thresholds(forest: Forest, X: FloatArray) -> FloatArray:
    """Samples of `X` with one value replaced by a threshold, or by a number next to it or to a rounding boundary.

    Parameters
    ----------
    forest : Forest
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    samples : ndarray of shape (n, n_features)
    """
    rng = np.random.default_rng(0)
    splits = thresholds(forest)
    if len(splits) > MOST_THRESHOLDS:
        splits = [splits[position] for position in rng.choice(len(splits), MOST_THRESHOLDS, replace=False)]
    found = [X[:0]]
    for feature, threshold in splits:
        values = values_around(threshold)
        # Several backgrounds: some of them must reach the split.
        for sample in X[rng.integers(len(X), size=3)]:
            copies = np.tile(sample, (len(values), 1))
            copies[:, feature] = values
            found.append(copies)
    return np.concatenate(found)


def thresholds(forest: Forest) -> list[tuple[int, float]]:
    """Distinct features and finite thresholds of the numeric splits of all trees, sorted."""
    return sorted({split for _, tree in _numbered_trees(forest) for split in _splits(tree)})


def _splits(tree: Tree) -> Iterator[tuple[int, float]]:
    for node in np.flatnonzero(tree.features >= 0).tolist():
        if node not in tree.category_splits and np.isfinite(tree.thresholds[node]):
            yield int(tree.features[node]), float(tree.thresholds[node])


def values_around(threshold: float) -> FloatArray:
    """The threshold, its neighbours in float32, what lies halfway, and the next float64 on either side of each."""
    with np.errstate(over="ignore"):
        nearest = np.float32(threshold)
        neighbours = [np.nextafter(nearest, np.float32(side)) for side in (-np.inf, np.inf)]
        exact = [float(value) for value in (threshold, nearest, *neighbours)]
        halfway = [(float(nearest) + float(neighbour)) / 2 for neighbour in neighbours]
        centres = np.array(exact + halfway)
        values = np.concatenate([centres, np.nextafter(centres, -np.inf), np.nextafter(centres, np.inf)])
        # Libraries reject numbers beyond the largest float32 as infinite.
        return values[np.isfinite(values.astype(np.float32))]


def satisfies_other_rules(forest: Forest, X: FloatArray) -> BoolArray:
    """Whether a sample satisfies other rules of a tree than the one of the leaf that it reaches.

    Returns
    -------
    satisfies_other_rules : ndarray of shape (n_trees, n_samples)
    """
    missing = frozenset(range(forest.n_features)) if np.isnan(X).any() else frozenset()
    conditions, rounds = leaf_rules(forest, [f"x{column}" for column in range(forest.n_features)], missing)
    rows = [row for leaves in rounds for row in leaves.antecedents.tolist()]
    satisfied = match(conditions, [[condition for condition in row if condition < len(conditions)] for row in rows], X)
    return matches_other_leaves(forest, X, satisfied)


def matches_other_leaves(forest: Forest, X: FloatArray, satisfied: BoolArray) -> BoolArray:
    """Whether the rules that a sample satisfies are others than those of the leaves that it reaches.

    Parameters
    ----------
    forest : Forest
    X : ndarray of shape (n_samples, n_features)
    satisfied : ndarray of shape (n_leaves, n_samples)
        For the rule of each leaf, from left to right and tree by tree.

    Returns
    -------
    matches_other_leaves : ndarray of shape (n_trees, n_samples)
    """
    found, start = [], 0
    for (_, tree), nodes in zip(_numbered_trees(forest), reached_leaves(forest, X), strict=True):
        leaves, _ = leaves_and_inner_nodes(tree, "")
        found.append((satisfied[start : start + len(leaves)] != (leaves[:, None] == nodes)).any(axis=0))
        start += len(leaves)
    return np.array(found)


def reached_leaves(forest: Forest, X: FloatArray) -> list[IntArray]:
    """The node that each sample ends in, of shape (n_samples,), for each tree."""
    with np.errstate(over="ignore"):  # numbers beyond the largest float32 become infinite, as in the libraries
        rounded = X.astype(forest.input_dtype).astype(np.float64)
    return [tree.apply(rounded) for _, tree in _numbered_trees(forest)]


def _numbered_trees(forest: Forest) -> Iterator[tuple[int, Tree]]:
    yield from enumerate(tree for trees in forest.rounds for tree in trees)
