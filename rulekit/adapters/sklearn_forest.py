"""scikit-learn: random forests and extra trees."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.recognise import derives_from
from rulekit.adapters.sklearn_trees import (
    allows_missing,
    check_alike,
    check_fitted,
    check_single_output,
    read_classifier,
)
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter


class SklearnForestAdapter(Adapter):
    """Reads `RandomForestClassifier` and `ExtraTreesClassifier`."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is one of scikit-learn's forests, or inherits from one."""
        return derives_from(model, "sklearn", frozenset({"RandomForestClassifier", "ExtraTreesClassifier"}))

    def forest(self, model: Any) -> Forest:
        """Describe the trees; a leaf's prior is its class distribution."""
        check_is_fitted(model)
        check_single_output(model)
        check_fitted(model, model.estimators_)
        check_alike(model, model.estimators_)
        n_classes = len(model.classes_)
        columns = np.arange(n_classes)
        return Forest(
            rounds=tuple((read_classifier(tree, columns, n_classes),) for tree in model.estimators_),
            classes=model.classes_,
            n_features=model.n_features_in_,
            link="mean",
            handles_missing=allows_missing(model),
        )
