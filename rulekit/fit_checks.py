"""What `fit` refuses, whatever the method."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from rulekit.core.arrays import LabelArray
from rulekit.core.errors import UnsupportedFitParameterError


def refuse(method: str, unsupported: dict[str, Any]) -> None:
    """Raise if `fit` got more than records and labels."""
    given = [name for name, value in unsupported.items() if value is not None]
    if "sample_weight" in given:
        raise UnsupportedFitParameterError(
            f"{method}.fit does not take sample_weight: rules state counts of records, which weights distort. "
            "Fit the ensemble with weights and pass it fitted."
        )
    if given:
        raise UnsupportedFitParameterError(f"{method}.fit takes X and y only, got {', '.join(given)}.")


def check_present(y: Any) -> None:
    """Raise if labels are hidden by a mask, or are what NumPy, pandas and Python have for a missing value."""
    missing = "masked" if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y) else _missing_label(np.asarray(y))
    if missing and y is not None:
        raise ValueError(f"y has missing labels ({missing}). Drop these records, or give them a label of their own.")


def _missing_label(y: LabelArray) -> str | None:
    """Name of a missing value among labels; None if there is none but perhaps NaN, which scikit-learn refuses."""
    if y.dtype.kind in "mM":
        return "NaT" if np.isnat(y).any() else None
    types = {type(label) for label in y.ravel().tolist()} if y.dtype == object else set()
    names = {"NoneType": "None", "NAType": "NA", "NaTType": "NaT"}
    return next((names[kind.__name__] for kind in types if kind.__name__ in names), None)


def check_labels(y: LabelArray) -> None:
    """Raise unless these are labels of two or more classes."""
    types = {type(label).__name__ for label in y.tolist()} if y.dtype == object else set()
    if len(types) > 1:
        raise ValueError(f"y mixes labels of several types: {', '.join(sorted(types))}. Use one type for all of them.")
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    labels = np.unique(y).tolist()
    if len(labels) < 2:
        raise ValueError(f"y has only one class, {labels[0]!r}; rules need records of at least two classes.")
