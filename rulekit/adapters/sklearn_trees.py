"""scikit-learn: single trees, random forests, extra trees, and bagging over trees."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.forest import Forest, Tree
from rulekit.core.interfaces import Adapter, derives_from

TREE_CLASSIFIERS = frozenset({"DecisionTreeClassifier", "ExtraTreeClassifier"})
TREE_REGRESSORS = frozenset({"DecisionTreeRegressor", "ExtraTreeRegressor"})
#: Bagging of imbalanced-learn: each of its trees is in a pipeline, behind a sampler.
SAMPLING = frozenset({"BalancedBaggingClassifier", "EasyEnsembleClassifier"})


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
    """A tree classifier, whose class distributions are both leaf values and priors."""
    fractions = class_fractions(estimator, columns, n_classes)
    return read_tree(estimator, fractions, fractions, features)


def read_regressor(estimator: Any, features: IntArray | None = None) -> Tree:
    """A tree regressor, whose nodes predict one number each."""
    values = estimator.tree_.value[:, 0, :1]
    return read_tree(estimator, values, np.empty((len(values), 0)), features)


def is_ensemble_of_trees(model: Any, name: str, trees: frozenset[str] = TREE_CLASSIFIERS) -> bool:
    """Whether the model is a scikit-learn ensemble of this class name, and its base estimator one of these trees."""
    if not derives_from(model, "sklearn", frozenset({name})):
        return False
    base = getattr(model, "estimator_", model.estimator)
    return base is None or derives_from(base, "sklearn", trees)


def averaged_forest(model: Any, trees: Iterable[Tree]) -> Forest:
    """A fitted scikit-learn ensemble that predicts the mean of its trees."""
    return Forest(
        rounds=tuple((tree,) for tree in trees),
        classes=getattr(model, "classes_", np.empty(0)),
        n_features=model.n_features_in_,
        link="mean",
        handles_missing=allows_missing(model),
    )


def allows_missing(estimator: Any) -> bool:
    """Whether the model accepts missing values, by its scikit-learn tags."""
    return bool(get_tags(estimator).input_tags.allow_nan)


def class_fractions(estimator: Any, columns: IntArray, n_classes: int) -> FloatArray:
    """Class distribution at each node of a tree classifier, of shape (n_nodes, n_classes).

    `columns` maps each class of the tree to a class of the ensemble: a bootstrap sample can lack some classes.
    """
    own = estimator.tree_.value[:, 0, :]
    fractions = np.zeros((len(own), n_classes))
    fractions[:, columns] = own / own.sum(axis=1, keepdims=True)
    return fractions


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
    """Raise unless every tree is a classifier of the model's features and classes; a tree inserted later may not be."""
    n_features, n_classes = model.n_features_in_, len(model.classes_)
    for position, tree in enumerate(trees):
        is_classifier = derives_from(tree, "sklearn", TREE_CLASSIFIERS)
        if not is_classifier or (tree.tree_.n_features, tree.tree_.max_n_classes) != (n_features, n_classes):
            raise UnsupportedEnsembleError(
                f"Tree {position} of the {type(model).__name__}, a {type(tree).__name__} of {tree.tree_.n_features} "
                f"features, was not trained with the others: they classify samples of {n_features} features into "
                f"{n_classes} classes. Fit the ensemble again as a whole, or pass it unfitted."
            )


def check_single_output(model: Any) -> None:
    """Raise for a model that predicts several targets at once."""
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} predicts {model.n_outputs_} targets at once. "
            "Fit one ensemble for each target and extract rules from each."
        )


def unseen_samples(model: Any, n_samples: int) -> Iterator[BoolArray] | None:
    """Which samples each tree of a forest or of bagging did not see.

    None if each tree saw all samples, or if the model was fitted on another number of samples.

    Parameters
    ----------
    model : fitted forest or `BaggingClassifier`
    n_samples : int
    """
    if getattr(model, "_n_samples", None) != n_samples:
        return None
    seen = model.estimators_samples_
    # If trees were removed or inserted after `fit`, the model's seeds no longer reproduce the samples.
    is_whole = len(seen) == len(model.estimators_)
    if not is_whole or (not model.bootstrap and all(len(samples) == n_samples for samples in seen)):
        return None
    return (_not_among(samples, n_samples) for samples in seen)


# Trees that are compared with the samples they should have seen.
N_COMPARED = 3


def was_fitted_on(model: Any, X: FloatArray, features: Sequence[IntArray] | None = None) -> bool:
    """Whether the first trees of a forest or of bagging have as many of the drawn samples in each leaf as in training.

    If the samples come in another order, the positions that a tree has drawn belong to other samples.

    Parameters
    ----------
    model : fitted forest or `BaggingClassifier`
    X : ndarray of shape (n_samples, n_features)
    features : sequence of ndarrays, optional
        Columns that each tree sees; by default all.
    """
    for position, (tree, drawn) in enumerate(zip(model.estimators_, model.estimators_samples_, strict=True)):
        if position == N_COMPARED:
            break
        columns = slice(None) if features is None else features[position]
        nodes = tree.tree_.apply(np.ascontiguousarray(X[drawn][:, columns], dtype=np.float32))
        is_leaf, n_nodes = tree.tree_.children_left < 0, tree.tree_.node_count
        _, first = np.unique(drawn, return_index=True)
        counts = [np.bincount(some, minlength=n_nodes) for some in (nodes, nodes[first])]
        in_training = (tree.tree_.n_node_samples, tree.tree_.weighted_n_node_samples)
        if not any(np.array_equal(own[is_leaf], known[is_leaf]) for own in counts for known in in_training):
            return False
    return True


def _not_among(samples: IntArray, n_samples: int) -> BoolArray:
    unseen = np.ones(n_samples, dtype=bool)
    unseen[samples] = False
    return unseen


class SklearnTreeAdapter(Adapter):
    """Reads `DecisionTreeClassifier` and `ExtraTreeClassifier`."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is a scikit-learn tree classifier."""
        return derives_from(model, "sklearn", TREE_CLASSIFIERS)

    def forest(self, model: Any) -> Forest:
        """Describe the tree as a forest of one."""
        check_is_fitted(model)
        check_single_output(model)
        n_classes = len(model.classes_)
        tree = read_classifier(model, np.arange(n_classes), n_classes)
        return Forest(
            rounds=((tree,),),
            classes=model.classes_,
            n_features=model.n_features_in_,
            link="mean",
            handles_missing=allows_missing(model),
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is a scikit-learn tree regressor."""
        return derives_from(model, "sklearn", TREE_REGRESSORS)

    def regression_forest(self, model: Any) -> Forest:
        """Describe the tree as a forest of one."""
        check_is_fitted(model)
        check_single_output(model)
        return averaged_forest(model, [read_regressor(model)])


class SklearnForestAdapter(Adapter):
    """Reads scikit-learn's random forests and extra trees."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is one of scikit-learn's forests or inherits from one."""
        return derives_from(model, "sklearn", frozenset({"RandomForestClassifier", "ExtraTreesClassifier"}))

    def forest(self, model: Any) -> Forest:
        """Describe the trees; a leaf's prior is its class distribution."""
        check_is_fitted(model)
        check_single_output(model)
        check_fitted(model, model.estimators_)
        check_alike(model, model.estimators_)
        n_classes = len(model.classes_)
        columns = np.arange(n_classes)
        return averaged_forest(model, (read_classifier(tree, columns, n_classes) for tree in model.estimators_))

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is one of scikit-learn's forests of regressors or inherits from one."""
        return derives_from(model, "sklearn", frozenset({"RandomForestRegressor", "ExtraTreesRegressor"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees."""
        check_is_fitted(model)
        check_single_output(model)
        check_fitted(model, model.estimators_)
        return averaged_forest(model, map(read_regressor, model.estimators_))

    def unseen_samples(self, model: Any, n_samples: int) -> Iterator[BoolArray] | None:
        """Which samples each tree did not see; None if each tree saw all of them."""
        return unseen_samples(model, n_samples)

    def was_fitted_on(self, model: Any, X: FloatArray) -> bool:
        """Whether the trees have as many of the samples in each leaf as in training."""
        return was_fitted_on(model, X)


class SklearnBaggingAdapter(Adapter):
    """Reads bagging over trees, also when each tree sees only some columns."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is a scikit-learn `BaggingClassifier` whose base estimator is a tree."""
        return is_ensemble_of_trees(model, "BaggingClassifier") and not derives_from(model, "imblearn", SAMPLING)

    def forest(self, model: Any) -> Forest:
        """Describe the trees; a leaf's prior is its class distribution."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_)
        n_classes = len(model.classes_)
        # The trees were trained on class positions, so a tree's own classes are columns of the ensemble.
        trees = (
            read_classifier(tree, tree.classes_.astype(np.int64), n_classes, features)
            for tree, features in zip(model.estimators_, model.estimators_features_, strict=True)
        )
        return averaged_forest(model, trees)

    def unseen_samples(self, model: Any, n_samples: int) -> Iterator[BoolArray] | None:
        """Which samples each tree did not see; None if each tree saw all of them."""
        return unseen_samples(model, n_samples)

    def was_fitted_on(self, model: Any, X: FloatArray) -> bool:
        """Whether the trees have as many of the samples in each leaf as in training."""
        return was_fitted_on(model, X, model.estimators_features_)

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is a scikit-learn `BaggingRegressor` whose base estimator is a tree."""
        return is_ensemble_of_trees(model, "BaggingRegressor", TREE_REGRESSORS)

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_)
        pairs = zip(model.estimators_, model.estimators_features_, strict=True)
        return averaged_forest(model, (read_regressor(tree, features) for tree, features in pairs))
