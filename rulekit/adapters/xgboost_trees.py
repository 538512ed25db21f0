"""From the JSON of one of XGBoost's trees to arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.forest import CategorySplit, Tree


def read_tree(nodes: Mapping[str, Any], values: FloatArray, priors: FloatArray) -> Tree:
    """A tree with the given node values and priors; nodes keep their indices.

    Parameters
    ----------
    nodes : mapping
        The JSON of the tree.
    values : ndarray of shape (n_nodes, n_values)
    priors : ndarray of shape (n_nodes, n_classes)
    """
    left = np.array(nodes["left_children"], dtype=np.int64)
    is_leaf = left < 0
    category_splits = read_category_splits(nodes)
    has_threshold = ~is_leaf
    has_threshold[list(category_splits)] = False
    # Pruned nodes stay in the document as unreachable leaves, with a feature that does not exist.
    return Tree(
        features=np.where(is_leaf, -1, np.array(nodes["split_indices"], dtype=np.int64)),
        thresholds=np.where(has_threshold, just_below(nodes["split_conditions"]), 0.0),
        left=left,
        right=np.array(nodes["right_children"], dtype=np.int64),
        values=values,
        priors=priors,
        missing_left=np.array(nodes["default_left"], dtype=bool),
        category_splits=category_splits,
    )


def just_below(thresholds: list[float]) -> FloatArray:
    """The largest float32 numbers below the thresholds: XGBoost's `x < t` is `x <= just_below(t)`."""
    return np.nextafter(np.array(thresholds, dtype=np.float32), np.float32(-np.inf)).astype(np.float64)


def read_category_splits(nodes: Mapping[str, Any]) -> dict[int, CategorySplit]:
    """The splits on categories, by node.

    XGBoost sends the categories listed at a node to the right. All others go left, whether seen in training or not, and
    so do values that cannot be codes, such as negative numbers.
    """
    starts = zip(nodes["categories_nodes"], nodes["categories_segments"], nodes["categories_sizes"], strict=True)
    return {
        node: CategorySplit(frozenset(nodes["categories"][start : start + size]), goes_left=False)
        for node, start, size in starts
    }


def leaf_scores(nodes: Mapping[str, Any]) -> FloatArray:
    """The stored scores of the leaves and zero at inner nodes, of shape (n_nodes,)."""
    is_leaf = np.array(nodes["left_children"]) < 0
    stored = np.array(nodes["split_conditions"], dtype=np.float32).astype(np.float64)
    return np.where(is_leaf, stored, 0.0)
