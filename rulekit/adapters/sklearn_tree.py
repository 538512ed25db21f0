"""scikit-learn: a single tree."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.recognise import derives_from
from rulekit.adapters.sklearn_trees import TREE_CLASSIFIERS, allows_missing, check_single_output, read_classifier
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter


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
