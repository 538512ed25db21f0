"""What XGBoost itself says of its models, and samples around all of their thresholds."""

import numpy as np
import pytest
from adapters.data import VALUES
from adapters.library import values_around
from scipy.special import expit, softmax

from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.adapters.xgboost_document import model_document, stored_trees
from rulekit.testing.fuzz.library import xgboost_order

xgboost = pytest.importorskip("xgboost")

MOST_SPLITS = 40
# XGBoost adds scores up and transforms them in float32; the rounding of a few dozen trees stays below this.
TOLERANCE = 1e-6
SMALL = {"n_estimators": 3, "max_depth": 2, "n_jobs": 1, "random_state": 0}


def samples(seed=3, n_classes=2, values="continuous", n_features=4, missing=0.0, n_samples=60):
    """Samples and labels 0, 1, ... with classes that are large and plain enough for XGBoost to split."""
    rng = np.random.default_rng(seed)
    X = VALUES[values](rng, (n_samples, n_features))
    ranks = (X.argsort(axis=0).argsort(axis=0) / n_samples)[:, [0, -1]].mean(axis=1)
    y = (ranks * 2 * n_classes).astype(np.int64) % n_classes
    noisy = rng.random(n_samples) < 0.15
    y[noisy] = rng.integers(n_classes, size=noisy.sum())
    y[:n_classes] = np.arange(n_classes)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def read(model, scores="raw"):
    return XGBoostAdapter(scores).forest(model)


def booster_of(model):
    return model.get_booster() if hasattr(model, "get_booster") else model


def stored_model(model):
    """The part of the document that holds the trees."""
    return stored_trees(model_document(model))


def margins(model, X):
    if hasattr(model, "get_booster"):
        return model.predict(X, output_margin=True)
    return model.predict(xgboost.DMatrix(X, feature_types=model.feature_types), output_margin=True)


def library_probabilities(model, X):
    """`predict_proba`, or what it would be for a model that has none."""
    if hasattr(model, "predict_proba") and model.objective != "binary:logitraw":
        return model.predict_proba(X)
    scores = margins(model, X).astype(np.float64)
    return softmax(scores, axis=1) if scores.ndim == 2 else np.column_stack([expit(-scores), expit(scores)])


def library_leaves(model, X):
    """The leaf that each sample reaches in each tree, in the order of the forest; a list of (n_samples,)."""
    if hasattr(model, "apply"):
        leaves = model.apply(X)
    else:
        leaves = model.predict(xgboost.DMatrix(X, feature_types=model.feature_types), pred_leaf=True)
    leaves = leaves.reshape(len(X), -1).T.astype(np.int64)
    return [leaves[position] for position in xgboost_order(model) if position < len(leaves)]


def splits(model):
    """Distinct (column, threshold) pairs of all trees, thresholds as float32 numbers."""
    found = set()
    for tree in stored_model(model)["trees"]:
        inner = (np.array(tree["left_children"]) >= 0) & (np.array(tree["split_type"]) == 0)
        columns, thresholds = np.array(tree["split_indices"]), np.array(tree["split_conditions"], dtype=np.float32)
        found.update(zip(columns[inner].tolist(), thresholds[inner].tolist(), strict=True))
    return sorted(found)


def edge_samples(model, X, seed=0):
    """The training samples, samples around every threshold, and all of these once more with values missing."""
    rng = np.random.default_rng(seed)
    some = splits(model)
    if len(some) > MOST_SPLITS:
        some = [some[position] for position in rng.choice(len(some), MOST_SPLITS, replace=False)]
    edges = [X]
    for column, threshold in some:
        values = values_around(threshold)
        # XGBoost rejects infinity and values that round to it.
        values = values[np.abs(values) < np.finfo(np.float32).max]
        for sample in X[rng.integers(len(X), size=2)]:
            copies = np.tile(sample, (len(values), 1))
            copies[:, column] = values
            edges.append(copies)
    whole = np.concatenate(edges)
    holes = np.where(rng.random(whole.shape) < 0.3, np.nan, whole)
    return np.concatenate([whole, holes, np.full((1, X.shape[1]), np.nan)])


def assert_same_probabilities(model, X, forest=None):
    forest = read(model) if forest is None else forest
    np.testing.assert_allclose(forest.predict_proba(X), library_probabilities(model, X), rtol=0, atol=TOLERANCE)


def assert_same_leaves(model, X):
    forest = read(model)
    rounded = X.astype(np.float32).astype(np.float64)
    trees = [tree for trees in forest.rounds for tree in trees]
    for expected, tree in zip(library_leaves(model, X), trees, strict=True):
        np.testing.assert_array_equal(expected, tree.apply(rounded))


def assert_agrees(model, X):
    assert_same_probabilities(model, X)
    assert_same_leaves(model, X)


def leaf_scores(tree, node=0):
    """Stored scores of the leaves of a tree's JSON from left to right."""
    left, right = tree["left_children"][node], tree["right_children"][node]
    if left < 0:
        return [tree["split_conditions"][node]]
    return leaf_scores(tree, left) + leaf_scores(tree, right)


def leaf_priors(tree, node=0):
    """Priors of the leaves of a `Tree` from left to right."""
    if tree.features[node] < 0:
        return [tree.priors[node].tolist()]
    return leaf_priors(tree, tree.left[node]) + leaf_priors(tree, tree.right[node])
