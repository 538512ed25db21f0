"""Trees that split at random, for worlds that need no library to train a forest."""

from collections.abc import Mapping

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.forest import CategorySplit, Forest, Tree


@attrs.define
class _Nodes:
    """The nodes of a tree while it grows; every list has one entry per node."""

    features: list[int] = attrs.field(factory=list)
    thresholds: list[float] = attrs.field(factory=list)
    children: list[tuple[int, int]] = attrs.field(factory=list)
    priors: list[FloatArray] = attrs.field(factory=list)
    category_splits: dict[int, CategorySplit] = attrs.field(factory=dict)

    def add(self, prior: FloatArray) -> int:
        """Add a leaf and return its index."""
        self.features.append(-1)
        self.thresholds.append(0.0)
        self.children.append((0, 0))
        self.priors.append(prior)
        return len(self.features) - 1


def random_forest(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    categories: Mapping[int, tuple[str, ...]],
    rng: np.random.Generator,
    n_trees: int = 4,
    depth: int = 3,
) -> Forest:
    """A forest whose trees split at random values of the samples; a leaf's prior is close to its class fractions.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        May have missing values; those of categorical features are codes.
    y : ndarray of shape (n_samples,)
    n_classes : int
    categories : mapping of int to tuple
        Labels of the categorical features.
    rng : Generator
    n_trees, depth : int
    """
    rounds = tuple((_random_tree(X, y, n_classes, categories, rng, depth),) for _ in range(n_trees))
    has_gaps = bool(np.isnan(X).any())
    return Forest(rounds, np.arange(n_classes), X.shape[1], "mean", handles_missing=has_gaps, categories=categories)


def _random_tree(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    categories: Mapping[int, tuple[str, ...]],
    rng: np.random.Generator,
    depth: int,
) -> Tree:
    nodes = _Nodes()

    def grow(here: BoolArray, levels: int) -> int:
        counts = np.bincount(y[here], minlength=n_classes) + rng.dirichlet(np.ones(n_classes))
        node = nodes.add(counts / counts.sum())
        if not levels:
            return node
        feature = int(rng.integers(X.shape[1]))
        column = X[:, feature]
        if feature in categories:
            n_codes = len(categories[feature])
            chosen = rng.choice(n_codes, size=int(rng.integers(1, n_codes)), replace=False)
            nodes.category_splits[node] = CategorySplit(frozenset(chosen.tolist()))
            goes_left = np.isin(column, chosen)
        else:
            nodes.thresholds[node] = float(np.float32(np.nanquantile(column, rng.uniform(0.2, 0.8))))
            goes_left = column <= nodes.thresholds[node]
        nodes.features[node] = feature
        nodes.children[node] = (grow(here & goes_left, levels - 1), grow(here & ~goes_left, levels - 1))
        return node

    grow(np.ones(len(y), dtype=bool), depth)
    left, right = np.array(nodes.children, dtype=np.int64).T
    priors = np.array(nodes.priors)
    return Tree(
        features=np.array(nodes.features, dtype=np.int64),
        thresholds=np.array(nodes.thresholds),
        left=np.ascontiguousarray(left),
        right=np.ascontiguousarray(right),
        values=priors,
        priors=priors,
        missing_left=rng.random(len(priors)) < 0.5,
        category_splits=nodes.category_splits,
    )
