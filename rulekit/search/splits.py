"""From the splits of trees to conditions: which of them lead to the left and to the right of each node."""

from collections.abc import Sequence

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.conditions import ConditionKey
from rulekit.core.forest import Tree
from rulekit.search.nodes import Nodes

# Where missing values of a feature go, if it has any.
NOWHERE, LEFT, RIGHT = range(3)


def conditions_of(
    trees: Sequence[Tree], nodes: Nodes, missing_features: frozenset[int]
) -> tuple[list[ConditionKey], IntArray, IntArray]:
    """Distinct conditions of all trees, and those of each node.

    Parameters
    ----------
    trees : sequence of Tree
    nodes : Nodes
        Of these trees.
    missing_features : frozenset of int
        Features that have missing values: where these go is part of a condition.

    Returns
    -------
    keys : list of ConditionKey
    at_left, at_right : ndarrays of shape (n_nodes,)
        Places in `keys` of the conditions that lead to a node's children, -1 at leaves.
    """
    numbers: dict[ConditionKey, int] = {}
    ways = np.full((2, len(nodes.features)), -1)
    _number_category_splits(trees, nodes, missing_features, numbers, ways)
    _number_thresholds(nodes, missing_features, numbers, ways)
    return list(numbers), ways[0], ways[1]


def _number_category_splits(
    trees: Sequence[Tree],
    nodes: Nodes,
    missing_features: frozenset[int],
    numbers: dict[ConditionKey, int],
    ways: IntArray,
) -> None:
    for root, tree in zip(nodes.roots.tolist(), trees, strict=True):
        for node, split in tree.category_splits.items():
            feature = int(tree.features[node])
            missing = (LEFT if tree.missing_left[node] else RIGHT) if feature in missing_features else NOWHERE
            left = ConditionKey(feature, split.goes_left, 0.0, split.codes, missing == LEFT)
            right = ConditionKey(feature, not split.goes_left, 0.0, split.codes, missing == RIGHT)
            ways[:, root + node] = [numbers.setdefault(key, len(numbers)) for key in (left, right)]


def _number_thresholds(
    nodes: Nodes, missing_features: frozenset[int], numbers: dict[ConditionKey, int], ways: IntArray
) -> None:
    here = np.flatnonzero((nodes.features >= 0) & (ways[0] < 0))
    features = nodes.features[here]
    may_be_missing = np.isin(features, list(missing_features))
    missing = np.where(may_be_missing, np.where(nodes.missing_left[here], LEFT, RIGHT), NOWHERE)
    # NumPy orders complex numbers by their real, then their imaginary part, which tells splits apart in one sort.
    splits = np.empty(len(here), dtype=np.complex128)
    splits.real = 3 * features + missing
    # Adding 0 turns -0 into 0: the two split alike and must be one condition.
    splits.imag = nodes.thresholds[here] + 0.0
    distinct, which = np.unique(splits, return_inverse=True)
    places = np.empty((2, len(distinct)), dtype=np.int64)
    for place, (kind, threshold) in enumerate(zip(distinct.real.tolist(), distinct.imag.tolist(), strict=True)):
        feature, goes = divmod(int(kind), 3)
        for side, (is_upper, direction) in enumerate(((True, LEFT), (False, RIGHT))):
            key = ConditionKey(feature, is_upper, threshold, None, goes == direction)
            places[side, place] = numbers.setdefault(key, len(numbers))
    ways[:, here] = places[:, which]
