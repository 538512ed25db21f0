"""What the ensemble itself predicts for samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.explain.samples import read_samples
from rulekit.model import check_readable, known_names, library_errors

if TYPE_CHECKING:
    from rulekit.classifier import RuleClassifier


def ensemble_probabilities(model: RuleClassifier, X: Any) -> FloatArray | None:
    """Class probabilities, of shape (n_samples, n_classes); None if the ensemble cannot predict them.

    A single sample with categories has lost the types of its columns, and the steps of a pipeline may depend on them:
    both need a table.
    """
    ensemble = model.ensemble_
    if not hasattr(ensemble, "predict_proba"):
        return None
    if model.transformer_ is not None or model.ruleset_.conditions.categories.by_feature:
        is_table = hasattr(X, "columns") or (isinstance(X, np.ndarray) and X.ndim == 2)
        return _predicted(ensemble, X, model.classes_) if is_table else None
    numbers = read_samples(X, model.ruleset_.feature_names).values
    names = known_names(ensemble)
    return _predicted(ensemble, numbers if names is None else _frame(numbers, names), model.classes_)


def _predicted(ensemble: Any, X: Any, classes: LabelArray) -> FloatArray | None:
    """What the ensemble predicts, None if it rejects samples that rules accept.

    Examples are numbers like 1e300, for a library that works in single precision, and numbers instead of labels, which
    rules treat as unknown categories.
    """
    try:
        check_readable(ensemble, X)
        with np.errstate(over="ignore", invalid="ignore"), library_errors(ensemble):
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
