"""Records in any of the forms that people have them in."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.categories import as_doubles
from rulekit.core.forms import check_no_dates, check_whole, column_names


@attrs.frozen(eq=False)
class Records:
    """Records as the rules take them.

    Attributes
    ----------
    values : ndarray of shape (n_records, n_features)
        Floats, or objects where some are labels of categories.
    index : list
        What the records are called: the index of a frame, or their places.
    """

    values: np.ndarray[Any, Any]
    index: list[Any]


def read_records(X: Any, feature_names: Sequence[str], *, numbers_only: bool = True) -> Records:
    """One record or a table of them.

    Mappings, series and frames go by name, whatever their order; anything else, or without texts for names, goes by
    position.
    """
    check_whole(X)
    check_no_dates(X)
    names, values = _named(X)
    if names is not None and names != list(feature_names):
        missing = [name for name in feature_names if name not in names]
        if missing:
            raise ValueError(f"The record lacks a value for {', '.join(map(repr, missing))}.")
        values = np.asarray(values)[..., [names.index(name) for name in feature_names]]
    records = as_doubles(np.asarray(values)) if numbers_only else np.asarray(values, dtype=object)
    records = records.reshape(1, -1) if records.ndim == 1 else records
    if records.ndim != 2 or records.shape[1] != len(feature_names) or not len(records):
        raise ValueError(
            f"A record has {len(feature_names)} values, but an array of shape {np.shape(X)} came. "
            "Pass one row, such as X.iloc[0], or a table of some."
        )
    is_frame = hasattr(X, "columns") and hasattr(X, "index")
    return Records(records, list(X.index) if is_frame else list(range(len(records))))


def read_record(x: Any, feature_names: Sequence[str], *, numbers_only: bool = True) -> np.ndarray[Any, Any]:
    """One record, as an array of shape (1, n_features)."""
    values = read_records(x, feature_names, numbers_only=numbers_only).values
    if len(values) != 1:
        raise ValueError(f"Pass one record, such as X.iloc[0]: {len(values)} came.")
    return values


def _named(X: Any) -> tuple[list[str] | None, Any]:
    """Names, if the records have them, and values in the same order."""
    if isinstance(X, Mapping):
        return list(X), np.array(list(X.values()), dtype=object)
    if hasattr(X, "columns"):
        names = column_names(X)
        # Numbers for names are places: rules speak of x0, x1, … then.
        return (names if any(isinstance(name, str) for name in names) else None), np.asarray(X)
    labels = list(getattr(X, "index", [])) if hasattr(X, "to_numpy") and hasattr(X, "index") else []
    is_named = bool(labels) and all(isinstance(label, str) for label in labels)
    return (labels, X.to_numpy()) if is_named else (None, X)
