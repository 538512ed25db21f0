"""Checking that records have the columns that the rules speak of."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _get_feature_names

from rulekit.core.arrays import FloatArray


def check_columns(X: Any, feature_names: Sequence[str]) -> None:
    """Raise unless `X` has as many columns as there are names and, if they are named, the same names in order."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[1] != len(feature_names):
        raise ValueError(
            f"X has {shape[1]} columns, but the rules were made from {len(feature_names)}: "
            f"{_some(feature_names)}. Pass the same columns in the same order."
        )
    names = _get_feature_names(X)
    if names is None or list(names) == list(feature_names):
        return
    missing = [name for name in feature_names if name not in set(names)]
    extra = [name for name in names if name not in set(feature_names)]
    if missing or extra:
        raise ValueError(
            f"X has other columns than the rules were made from. Missing: {_some(missing)}; unknown: {_some(extra)}. "
            "Pass the same columns in the same order."
        )
    raise ValueError("X has its columns in another order than the rules were made from. Pass X[feature_names].")


def check_missing(X: FloatArray, missing_features: frozenset[int], feature_names: Sequence[str]) -> None:
    """Raise if a value is missing in a column that had none in training: no rule says where such a record goes."""
    has_missing = np.flatnonzero(np.isnan(X).any(axis=0)).tolist()
    untaught = [str(feature_names[feature]) for feature in has_missing if feature not in missing_features]
    if untaught:
        raise ValueError(
            f"X has missing values in {_some(untaught)}, which had none in training, so that no rule says what to do "
            "with them. Fill them in, or train on records where such values are missing."
        )


def _some(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(repr(str(name)) for name in names[:most])
    return f"{listed or 'none'}{', …' if len(names) > most else ''}"
