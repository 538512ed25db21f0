"""scikit-learn: bagging over trees."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.recognise import derives_from
from rulekit.adapters.sklearn_trees import TREE_CLASSIFIERS, allows_missing, check_fitted, read_classifier
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter


class SklearnBaggingAdapter(Adapter):
    """Reads `BaggingClassifier` over tree classifiers, also when each tree sees only some columns."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is a scikit-learn `BaggingClassifier` whose base estimator is a tree."""
        if not derives_from(model, "sklearn", frozenset({"BaggingClassifier"})):
            return False
        base = getattr(model, "estimator_", model.estimator)
        return base is None or derives_from(base, "sklearn", TREE_CLASSIFIERS)

    def forest(self, model: Any) -> Forest:
        """Describe the trees; a leaf's prior is its class distribution."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_)
        n_classes = len(model.classes_)
        # The trees were trained on class positions, so a tree's own classes are columns of the ensemble.
        trees = tuple(
            (read_classifier(tree, tree.classes_.astype(np.int64), n_classes, features),)
            for tree, features in zip(model.estimators_, model.estimators_features_, strict=True)
        )
        return Forest(
            rounds=trees,
            classes=model.classes_,
            n_features=model.n_features_in_,
            link="mean",
            handles_missing=allows_missing(model),
        )
