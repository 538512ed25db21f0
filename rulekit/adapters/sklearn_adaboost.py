"""scikit-learn: AdaBoost over trees."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.sklearn_trees import (
    allows_missing,
    check_fitted,
    class_fractions,
    is_ensemble_of_trees,
    read_tree,
)
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Tree
from rulekit.core.interfaces import Adapter


class SklearnAdaBoostAdapter(Adapter):
    """Reads `AdaBoostClassifier` over tree classifiers.

    Each tree casts one weighted vote, for the majority class of the leaf. A rule inherits the leaf's whole class
    distribution, under the weights that the samples had when the tree was grown: the vote alone would not distinguish
    a confident leaf from an uncertain one.
    """

    def accepts(self, model: Any) -> bool:
        """Whether the model is a scikit-learn `AdaBoostClassifier` whose base estimator is a tree."""
        return is_ensemble_of_trees(model, "AdaBoostClassifier")

    def forest(self, model: Any) -> Forest:
        """Describe the trees and the weights of their votes."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_)
        # Boosting that ended early leaves trailing weights of zero without a tree.
        weights = model.estimator_weights_[: len(model.estimators_)]
        vote_fractions = weights / model.estimator_weights_.sum()
        return Forest(
            rounds=tuple(
                (_read_voter(model, position, tree, fraction),)
                for position, (tree, fraction) in enumerate(zip(model.estimators_, vote_fractions, strict=True))
            ),
            classes=model.classes_,
            n_features=model.n_features_in_,
            link="logistic" if len(model.classes_) == 2 else "softmax",
            initial_scores=np.zeros(1 if len(model.classes_) == 2 else len(model.classes_)),
            handles_missing=allows_missing(model),
        )


def _read_voter(model: Any, position: int, tree: Any, fraction: float) -> Tree:
    n_classes = len(model.classes_)
    columns = _columns(model, position, tree)
    votes = columns[tree.tree_.value[:, 0, :].argmax(axis=1)]
    return read_tree(tree, fraction * _vote_scores(votes, n_classes), class_fractions(tree, columns, n_classes))


def _vote_scores(votes: IntArray, n_classes: int) -> FloatArray:
    """Scores of a vote of weight one, of shape (n_nodes, 1) for two classes, (n_nodes, n_classes) for more.

    SAMME scores a vote +1 for its class and -1/(K-1) for each other one; scikit-learn's probabilities are the softmax
    of the scores' weighted mean over (K-1). For two classes that is the logistic function of their difference.
    """
    if n_classes == 2:
        return np.where(votes == 1, 2.0, -2.0)[:, None]
    others = max(n_classes - 1, 1)
    is_voted = votes[:, None] == np.arange(n_classes)
    return np.where(is_voted, 1.0, -1.0 / others) / others


def _columns(model: Any, position: int, tree: Any) -> IntArray:
    """The ensemble's column of each class of a tree."""
    unknown = tree.classes_[~np.isin(tree.classes_, model.classes_)].tolist()
    if unknown:
        raise UnsupportedEnsembleError(
            f"Tree {position} of the AdaBoostClassifier votes for the class {unknown[0]!r}, which the ensemble does "
            "not know. Fit the ensemble again as a whole, or pass it unfitted."
        )
    return np.searchsorted(model.classes_, tree.classes_)
