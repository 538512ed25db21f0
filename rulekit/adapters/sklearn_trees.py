"""Reading the arrays of scikit-learn's classic trees."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from rulekit.adapters.recognise import derives_from
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.forest import Tree

TREE_CLASSIFIERS = frozenset({"DecisionTreeClassifier", "ExtraTreeClassifier"})


def read_tree(estimator: Any, values: FloatArray, priors: FloatArray, features: IntArray | None = None) -> Tree:
    """A scikit-learn tree with the given node values and priors.

    Parameters
    ----------
    estimator : fitted scikit-learn tree
    values : ndarray of shape (n_nodes, n_values)
    priors : ndarray of shape (n_nodes, n_classes)
    features : ndarray, optional
        For a tree that saw only some columns: which ones.
    """
    tree = estimator.tree_
    is_leaf = tree.children_left < 0
    columns = tree.feature if features is None else features[np.where(is_leaf, 0, tree.feature)]
    return Tree(
        features=np.where(is_leaf, -1, columns).astype(np.int64),
        thresholds=np.where(is_leaf, 0.0, tree.threshold),
        left=tree.children_left.astype(np.int64),
        right=tree.children_right.astype(np.int64),
        values=values,
        priors=priors,
        missing_left=tree.missing_go_to_left.astype(bool),
    )


def read_classifier(estimator: Any, columns: IntArray, n_classes: int, features: IntArray | None = None) -> Tree:
    """A tree classifier, whose leaves say and add up class distributions."""
    shares = class_shares(estimator, columns, n_classes)
    return read_tree(estimator, shares, shares, features)


def allows_missing(estimator: Any) -> bool:
    """Whether scikit-learn lets the model see missing values."""
    return bool(get_tags(estimator).input_tags.allow_nan)


def class_shares(estimator: Any, columns: IntArray, n_classes: int) -> FloatArray:
    """Class distribution at each node of a tree classifier, of shape (n_nodes, n_classes).

    `columns` says which of the ensemble's classes each class of the tree is: a bootstrap sample can lack some.
    """
    own = estimator.tree_.value[:, 0, :]
    shares = np.zeros((len(own), n_classes))
    shares[:, columns] = own / own.sum(axis=1, keepdims=True)
    return shares


def check_fitted(model: Any, trees: Any) -> None:
    """Raise unless the model has trees and every one of them has been fitted."""
    if not len(trees):
        raise UnfittedEnsembleError(
            f"The {type(model).__name__} has no trees, although it is fitted. Fit it again, or pass it unfitted."
        )
    for position, tree in enumerate(trees):
        if not hasattr(tree, "tree_"):
            raise UnfittedEnsembleError(
                f"Tree {position} of the {type(model).__name__} is not fitted, although the ensemble is. "
                "Fit the ensemble again as a whole, or pass it unfitted."
            )


def check_alike(model: Any, trees: Any) -> None:
    """Raise unless every tree is a classifier of the model's columns and classes: one that was put in later may not."""
    n_features, n_classes = model.n_features_in_, len(model.classes_)
    for position, tree in enumerate(trees):
        is_classifier = derives_from(tree, "sklearn", TREE_CLASSIFIERS)
        if not is_classifier or (tree.tree_.n_features, tree.tree_.max_n_classes) != (n_features, n_classes):
            raise UnsupportedEnsembleError(
                f"Tree {position} of the {type(model).__name__}, a {type(tree).__name__} of {tree.tree_.n_features} "
                f"features, was not trained with the others: they classify records of {n_features} features into "
                f"{n_classes} classes. Fit the ensemble again as a whole, or pass it unfitted."
            )


def check_single_output(model: Any) -> None:
    """Raise for a model that predicts several targets at once."""
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} predicts {model.n_outputs_} targets at once. "
            "Fit one ensemble for each target and extract rules from each."
        )
