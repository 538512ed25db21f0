"""What scikit-learn itself says of its trees, and samples around all of their thresholds."""

import numpy as np
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier
from sklearn.tree import BaseDecisionTree

MOST_SPLITS = 60


def library_trees(model):
    """(tree, columns that it sees) for every tree, in the order of the ensemble."""
    everything = np.arange(model.n_features_in_)
    if isinstance(model, BaseDecisionTree):
        return [(model, everything)]
    if isinstance(model, BaggingClassifier):
        return list(zip(model.estimators_, model.estimators_features_, strict=True))
    if isinstance(model, GradientBoostingClassifier):
        return [(tree, everything) for tree in model.estimators_.ravel()]
    return [(tree, everything) for tree in model.estimators_]


def library_leaves(model, X):
    """The leaf that each sample reaches in each tree, as the library says; a list of (n_samples,)."""
    if isinstance(model, BaseDecisionTree):
        return [model.apply(X)]
    if isinstance(model, BaggingClassifier):
        return [tree.apply(X[:, columns]) for tree, columns in library_trees(model)]
    return list(model.apply(X).reshape(len(X), -1).T.astype(np.int64))


def leaves_from_left_to_right(estimator, node=0):
    tree = estimator.tree_
    if tree.children_left[node] < 0:
        return [node]
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    return leaves_from_left_to_right(estimator, left) + leaves_from_left_to_right(estimator, right)


def splits(model):
    """Distinct (column, threshold) pairs of all trees."""
    found = set()
    for estimator, columns in library_trees(model):
        tree = estimator.tree_
        inner = tree.children_left >= 0
        found.update(zip(columns[tree.feature[inner]].tolist(), tree.threshold[inner].tolist(), strict=True))
    return sorted(found)


def values_around(threshold):
    """The threshold, its float32 neighbours, the points where rounding tips over, and one ulp either side of each."""
    nearest = np.float32(threshold)
    neighbours = [np.nextafter(nearest, np.float32(side)) for side in (-np.inf, np.inf)]
    exact = [float(value) for value in (threshold, nearest, *neighbours)]
    tipping = [(float(nearest) + float(neighbour)) / 2 for neighbour in neighbours]
    centres = np.array(exact + tipping)
    return np.concatenate([centres, np.nextafter(centres, -np.inf), np.nextafter(centres, np.inf)])


def samples_around_thresholds(model, X):
    """The training samples and, for each split, samples that differ from one of them in that column only."""
    rng = np.random.default_rng(0)
    edges = [X]
    some = splits(model)
    if len(some) > MOST_SPLITS:
        some = [some[position] for position in rng.choice(len(some), MOST_SPLITS, replace=False)]
    for column, threshold in some:
        values = values_around(threshold)
        # Several backgrounds: the split must be reached by some of them.
        for sample in X[rng.integers(len(X), size=3)]:
            copies = np.tile(sample, (len(values), 1))
            copies[:, column] = values
            edges.append(copies)
    return np.concatenate(edges)
