"""The order of categories, and the growth of a tree on codes."""

from itertools import combinations

import numpy as np
import pytest

from rulekit.trees.growth import Growth, category_ranks, leaves_of, node_counts


def impurity(y):
    fractions = np.bincount(y, minlength=2) / max(len(y), 1)
    return len(y) * (1 - (fractions**2).sum())


@pytest.mark.parametrize("seed", range(5))
def test_a_split_of_two_classes_is_the_best_into_two_sets_of_categories(seed):
    """Against all sets of categories, one by one."""
    rng = np.random.default_rng(seed)
    codes, y = rng.integers(0, 6, 200).astype(float), rng.integers(0, 2, 200)
    y[np.isin(codes, [1, 4])] = rng.random(np.isin(codes, [1, 4]).sum()) < 0.7
    sets = [chosen for size in range(1, 6) for chosen in combinations(range(6), size)]
    best = min(impurity(y[np.isin(codes, some)]) + impurity(y[~np.isin(codes, some)]) for some in sets)
    tree = Growth(max_leaves=2, random_state=0).tree(codes[:, None], y, 2, categorical={0})
    goes_left = tree.apply(codes[:, None]) == tree.left[0]
    assert impurity(y[goes_left]) + impurity(y[~goes_left]) == pytest.approx(best)


def test_categories_of_many_classes_are_ordered_along_their_main_difference():
    codes = np.repeat([0.0, 1.0, 2.0], 100)
    y = np.concatenate([np.repeat([0, 1, 2], counts) for counts in ([90, 5, 5], [5, 90, 5], [50, 45, 5])])
    assert category_ranks(codes, y, 3)[2] == 1.0  # between the other two


def test_weights_count_as_so_many_samples():
    codes, y = np.array([0.0, 0.0, 1.0, 1.0, np.nan]), np.array([0, 1, 0, 1, 1])
    weights = np.array([3, 1, 1, 2, 4])
    repeated = np.repeat(np.arange(5), weights)
    one = Growth(max_leaves=3, random_state=0).tree(codes[:, None], y, 2, {0}, weights.astype(float))
    other = Growth(max_leaves=3, random_state=0).tree(codes[repeated, None], y[repeated], 2, {0})
    np.testing.assert_allclose(one.values, other.values)
    assert one.category_splits == other.category_splits


def test_every_node_counts_the_samples_below_it():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    tree = Growth(max_leaves=9, random_state=0).tree(X, y, 3)
    counts = node_counts(tree, X, y, 3)
    assert counts[0].tolist() == np.bincount(y).tolist()
    assert counts[leaves_of(tree)].sum(axis=0).tolist() == np.bincount(y).tolist()
    np.testing.assert_allclose(counts / counts.sum(axis=1, keepdims=True), tree.values)
