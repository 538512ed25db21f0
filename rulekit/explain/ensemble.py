"""What the ensemble itself says of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.explain.samples import read_samples

if TYPE_CHECKING:
    from rulekit.classifier import RuleClassifier


def ensemble_says(model: RuleClassifier, X: Any) -> FloatArray | None:
    """Its class probabilities, of shape (n_samples, n_classes); None if it states none or cannot take the samples.

    A single sample with categories has lost the types of its columns, and a pipeline's steps may want anything: these
    are taken from tables only.
    """
    ensemble = model.ensemble_
    if not hasattr(ensemble, "predict_proba"):
        return None
    if model.transformer_ is not None or model.ruleset_.conditions.categories.by_feature:
        is_table = hasattr(X, "columns") or (isinstance(X, np.ndarray) and X.ndim == 2)
        return _asked(ensemble, X, model.classes_) if is_table else None
    numbers = read_samples(X, model.ruleset_.feature_names).values
    names = getattr(ensemble, "feature_names_in_", None)
    return _asked(ensemble, numbers if names is None else _frame(numbers, names), model.classes_)


def _asked(ensemble: Any, X: Any, classes: LabelArray) -> FloatArray | None:
    """What it answers, None if it refuses what rules can speak of.

    Such are numbers like 1e300 for a library that works in single precision, and numbers in the place of labels, which
    rules take for unknown ones.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            probabilities = np.asarray(ensemble.predict_proba(X))
    except (ValueError, TypeError):
        return None
    own = np.asarray(getattr(ensemble, "classes_", classes))
    if np.array_equal(np.sort(own), classes) and not np.array_equal(own, classes):
        # CatBoost does not sort its labels as scikit-learn does.
        return probabilities[:, np.argsort(own)]
    return probabilities


def _frame(numbers: FloatArray, names: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(numbers, columns=list(names))
