"""One record in any of the forms that people have it in."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def one_record(x: Any, feature_names: Sequence[str], *, numbers_only: bool = True) -> np.ndarray[Any, Any]:
    """The record as an array of shape (1, n_features), of floats if it has numbers only.

    Mappings, series and frames of one row go by name, whatever their order; anything else goes by position.
    """
    names, values = _named(x)
    if names is not None and names != list(feature_names):
        missing = [name for name in feature_names if name not in names]
        if missing:
            raise ValueError(f"The record lacks a value for {', '.join(map(repr, missing))}.")
        values = [values[names.index(name)] for name in feature_names]
    record = np.asarray(values, dtype=np.float64 if numbers_only else object)
    record = record.reshape(1, -1) if record.ndim == 1 else record
    if record.shape != (1, len(feature_names)):
        raise ValueError(
            f"explain takes one record with {len(feature_names)} values, got an array of shape {np.shape(x)}. "
            "Pass one row, such as X.iloc[0]."
        )
    return record


def _named(x: Any) -> tuple[list[str] | None, Any]:
    """Names, if the record has them, and values in the same order."""
    if isinstance(x, Mapping):
        return list(x), list(x.values())
    if hasattr(x, "columns"):
        table = np.asarray(x)
        return (list(x.columns), table[0]) if len(table) == 1 else (None, table)
    labels = list(getattr(x, "index", [])) if hasattr(x, "to_numpy") and hasattr(x, "index") else []
    is_named = bool(labels) and all(isinstance(label, str) for label in labels)
    return (labels, x.to_numpy()) if is_named else (None, x)
