"""Samples in any of the forms in which users pass them."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.validation import are_mappings, as_doubles, check_no_dates, check_whole, column_names
from rulekit.ruleset.samples import frame_of_mappings


@attrs.frozen(eq=False)
class Samples:
    """Samples as arrays that a ruleset accepts.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features)
        Floats, or objects where some are labels of categories.
    index : list
        Names of the samples: the index of a data frame, or their positions.
    """

    values: np.ndarray[Any, Any]
    index: list[Any]


def read_samples(
    X: Any, feature_names: Sequence[str], *, used: Sequence[int] | None = None, numbers_only: bool = True
) -> Samples:
    """Read one sample, or a table of samples.

    Mappings, series and frames are read by name, in any order; anything else, or a table whose names are not strings,
    is read by position. What is read by name needs the features at the positions `used` only, by default all; a value
    that is not passed counts as missing.
    """
    if are_mappings(X) and not isinstance(X, Mapping):
        X = frame_of_mappings(X, feature_names, used)
    check_whole(X)
    check_no_dates(X)
    names, values = _named(X)
    if names is not None and names != list(feature_names):
        needed = feature_names if used is None else [feature_names[feature] for feature in used]
        missing = [name for name in needed if name not in names]
        if missing:
            listed = ", ".join(map(repr, missing))
            which = "every feature" if used is None else "every feature that rules test"
            raise ValueError(f"The sample has no value for {listed}. Pass a value for {which}.")
        values = np.asarray(values)
        if not set(feature_names).issubset(names):
            nothing = np.full((*values.shape[:-1], 1), np.nan)
            values = np.concatenate([values, nothing], axis=-1)
        order = [names.index(name) if name in names else len(names) for name in feature_names]
        values = values[..., order]
    samples = as_doubles(np.asarray(values)) if numbers_only else np.asarray(values, dtype=object)
    samples = samples.reshape(1, -1) if samples.ndim == 1 else samples
    if samples.ndim != 2 or samples.shape[1] != len(feature_names) or not len(samples):
        raise ValueError(
            f"Expected one or more samples with {len(feature_names)} features, got shape {np.shape(X)}. "
            "Pass one row, such as X.iloc[0], or several, such as X[:5]."
        )
    is_frame = hasattr(X, "columns") and hasattr(X, "index")
    return Samples(samples, list(X.index) if is_frame else list(range(len(samples))))


def read_sample(
    x: Any, feature_names: Sequence[str], *, used: Sequence[int] | None = None, numbers_only: bool = True
) -> np.ndarray[Any, Any]:
    """Read one sample, as an array of shape (1, n_features)."""
    values = read_samples(x, feature_names, used=used, numbers_only=numbers_only).values
    if len(values) != 1:
        raise ValueError(f"Expected one sample, got {len(values)}. Pass one row, such as X.iloc[0].")
    return values


def _named(X: Any) -> tuple[list[str] | None, Any]:
    """Names, if the samples have them, and values in the same order."""
    if isinstance(X, Mapping):
        return list(X), np.array(list(X.values()), dtype=object)
    if hasattr(X, "columns"):
        names = column_names(X)
        # Columns named by numbers are read by position: the rules then call them x0, x1, …
        return (names if any(isinstance(name, str) for name in names) else None), np.asarray(X)
    labels = list(getattr(X, "index", [])) if hasattr(X, "to_numpy") and hasattr(X, "index") else []
    is_named = bool(labels) and all(isinstance(label, str) for label in labels)
    return (labels, X.to_numpy()) if is_named else (None, X)
