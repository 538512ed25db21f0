"""What the ensemble itself predicts for samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.core.validation import are_mappings, is_missing, is_read_by_name
from rulekit.explain.samples import read_samples
from rulekit.model import check_readable, known_names, library_errors, unwrapped, without_steps
from rulekit.pipelines.columns_of_rules import ColumnsOfRules
from rulekit.ruleset.samples import missing_names

if TYPE_CHECKING:
    from rulekit.classifier import RuleClassifier


def ensemble_probabilities(model: RuleClassifier, X: Any) -> FloatArray | None:
    """Class probabilities, of shape (n_samples, n_classes); None if the ensemble cannot predict them.

    A single sample with categories has lost the types of its columns, and the steps of a pipeline may depend on them:
    both need a table.
    """
    ensemble = model.ensemble_
    if not hasattr(ensemble, "predict_proba") or _lacks_columns(X, model):
        return None
    if model.transformer_ is not None or model.ruleset_.conditions.categories.by_feature:
        is_table = hasattr(X, "columns") or (isinstance(X, np.ndarray) and X.ndim == 2)
        return _predicted(ensemble, X, model.classes_) if is_table else None
    numbers = read_samples(X, model.ruleset_.feature_names).values
    names = known_names(ensemble)
    return _predicted(ensemble, numbers if names is None else _frame(numbers, names), model.classes_)


def probabilities_after_changes(model: RuleClassifier, table: Any, changed: np.ndarray[Any, Any]) -> FloatArray | None:
    """Class probabilities of a sample after changes, of shape (n_samples, n_classes); None if there are none.

    Parameters
    ----------
    model : RuleClassifier
    table : Series, mapping, array or data frame
        The sample before the changes, after the steps of a pipeline. A pandas frame of one row keeps the types of its
        columns; anything else is numbers.
    changed : ndarray of shape (n_samples, n_features)
        As users write them: numbers, and labels of categories.
    """
    ensemble = model.ensemble_
    if isinstance(model.transformer_, ColumnsOfRules):
        # Columns of the table and what becomes of them cannot be changed independently.
        return None
    if model.transformer_ is not None:
        ensemble = without_steps(unwrapped(ensemble))[1]
    if not hasattr(ensemble, "predict_proba"):
        return None
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return _predicted(ensemble, _rows(table, changed, model.ruleset_.feature_names), model.classes_)
    if model.ruleset_.conditions.categories.by_feature:
        return None
    numbers, names = changed.astype(np.float64), known_names(ensemble)
    return _predicted(ensemble, numbers if names is None else _frame(numbers, names), model.classes_)


def _rows(table: Any, changed: np.ndarray[Any, Any], names: tuple[str, ...]) -> Any:
    """Copies of a frame's only row with changed values, which keep the types of their columns where they can."""
    import pandas as pd

    # As `read_samples` does: by name where the columns have names, in any order, else by position.
    is_named = set(names) <= set(table.columns)
    rows = (table[list(names)] if is_named else table).iloc[[0] * len(changed)].reset_index(drop=True)
    for position in range(len(names)):
        old, values = rows.iloc[:, position], changed[:, position].tolist()
        new = [own if is_missing(value) else value for own, value in zip(old, values, strict=True)]
        if all(is_missing(value) or value == own for own, value in zip(old, new, strict=True)):
            continue
        is_whole = all(not isinstance(value, float) or value.is_integer() for value in new)
        keeps_type = old.dtype.kind not in "iub" or is_whole
        rows.isetitem(position, pd.Series(new, dtype=old.dtype if keeps_type else np.float64))
    return rows


def _lacks_columns(X: Any, model: RuleClassifier) -> bool:
    """Whether samples that are read by name lack a feature that the ensemble needs and no rule tests."""
    if model.transformer_ is not None:  # which needs all columns itself
        return False
    names = model.ruleset_.feature_names
    if are_mappings(X):
        mappings = [X] if isinstance(X, Mapping) else X
        return any(name not in mapping for mapping in mappings for name in names)
    return is_read_by_name(X, names) and bool(missing_names(X, names, range(len(names))))


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
