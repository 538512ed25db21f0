"""Samples as the rules compare them, read by name (dictionaries, frames with other columns) or by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_array

from rulekit.core.arrays import FloatArray
from rulekit.core.conditions import Conditions
from rulekit.core.messages import short
from rulekit.core.validation import (
    are_mappings,
    as_doubles,
    check_columns,
    check_no_dates,
    check_whole,
    column_names,
    columns_of,
    some_names,
)

if TYPE_CHECKING:
    import pandas as pd

#: Columns by the position of their feature.
Columns = dict[int, Any]


def missing_names(X: Any, feature_names: Sequence[str], used: Sequence[int]) -> list[str]:
    """Names of used features that a frame has no column for."""
    found = set(column_names(X))
    return [feature_names[feature] for feature in used if feature_names[feature] not in found]


def numbers_by_position(X: Any, conditions: Conditions) -> FloatArray:
    """Samples with all features in order as the rules compare them, of shape (n_samples, n_features)."""
    check_whole(X)
    check_no_dates(X)
    check_columns(X, conditions.feature_names)
    categories = conditions.categories
    # Missing values are rejected later, by column.
    return np.asarray(
        check_array(
            categories.encode(X) if categories.by_feature else X, dtype=np.float64, ensure_all_finite="allow-nan"
        )
    )


def numbers_by_name(X: Any, conditions: Conditions, used: Sequence[int]) -> FloatArray:
    """Samples as the rules compare them, of shape (n_samples, n_features); NaN in features that are not used.

    Parameters
    ----------
    X : mapping, list of mappings, or DataFrame
    conditions : Conditions
    used : sequence of int
        The features that are read.
    """
    n_samples, columns = used_columns(X, conditions.feature_names, used)
    numbers = np.full((n_samples, len(conditions.feature_names)), np.nan)
    categories = conditions.categories
    for feature, column in columns.items():
        if feature in categories.by_feature:
            numbers[:, feature] = categories.codes_of(feature, column)
        else:
            numbers[:, feature] = _doubles(column, conditions.feature_names[feature])
    _check_finite(numbers, conditions.feature_names)
    return numbers


def _check_finite(numbers: FloatArray, feature_names: Sequence[str]) -> None:
    """Raise for infinite values."""
    if np.isinf(numbers).any():
        names = [feature_names[feature] for feature in np.flatnonzero(np.isinf(numbers).any(axis=0)).tolist()]
        raise ValueError(f"X contains infinity in {some_names(names)}, which is not supported. Pass finite numbers.")


def used_columns(X: Any, feature_names: Sequence[str], used: Sequence[int]) -> tuple[int, Columns]:
    """The number of samples, and the columns of the features that are used; raise if there is none for a feature."""
    names = [feature_names[feature] for feature in used]
    repeated = [name for name in names if feature_names.count(name) > 1]
    if repeated:
        raise ValueError(f"Several features are called {repeated[0]!r}. Pass an array with all columns in order.")
    if are_mappings(X):
        mappings = [X] if isinstance(X, Mapping) else list(X)
        return len(mappings), dict(zip(used, _columns_of_mappings(mappings, names), strict=True))
    check_whole(X)
    lacking = missing_names(X, feature_names, used)
    if lacking:
        raise ValueError(f"X has no column {some_names(lacking)}, which the rules use. Pass a column for each of them.")
    found = column_names(X)
    twice = [name for name in names if found.count(name) > 1]
    if twice:
        raise ValueError(f"X has several columns called {twice[0]!r}. Rename or drop all but one.")
    columns = columns_of(X)
    _check_no_dates([columns[found.index(name)] for name in names], names)
    return len(X), {feature: columns[found.index(feature_names[feature])] for feature in used}


def frame_of_mappings(X: Any, names: Sequence[str] | None, used: Sequence[int] | None = None) -> pd.DataFrame:
    """Dictionaries as a data frame with these columns, or those at the positions `used`."""
    import pandas as pd

    if names is None:
        raise ValueError("The model was fitted on samples without column names, so it cannot read dictionaries.")
    names = names if used is None else [names[feature] for feature in used]
    mappings = [X] if isinstance(X, Mapping) else list(X)
    return pd.DataFrame(dict(zip(names, map(list, _columns_of_mappings(mappings, names)), strict=True)))


def _columns_of_mappings(mappings: Sequence[Any], names: Sequence[str]) -> list[np.ndarray[Any, Any]]:
    columns = []
    for name in names:
        column = np.empty(len(mappings), dtype=object)
        try:
            for row, mapping in enumerate(mappings):
                column[row] = mapping[name]
        except (KeyError, TypeError):
            raise ValueError(_lacking(mappings, names)) from None
        columns.append(column)
    return columns


def _lacking(mappings: Sequence[Any], names: Sequence[str]) -> str:
    """What to say about the first of them that is not a dictionary with all of these names."""
    for row, mapping in enumerate(mappings):
        which = "The sample" if len(mappings) == 1 else f"Sample {row}"
        if not isinstance(mapping, Mapping):
            return f"{which} is no dictionary, but the first one is: {short(mapping)}. Pass dictionaries only."
        lacking = [name for name in names if name not in mapping]
        if lacking:
            return f"{which} has no value for {some_names(lacking)}. Pass None for a missing value."
    raise AssertionError("every dictionary has all names")


def _doubles(column: Any, name: str) -> FloatArray:
    try:
        return as_doubles(np.asarray(column))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name!r} holds a value that is no number: {error}. Pass numbers, or None for a missing value."
        ) from error


def _check_no_dates(columns: Sequence[Any], names: Sequence[str]) -> None:
    """Raise for columns of dates, whichever library they come from."""
    for column, name in zip(columns, names, strict=True):
        try:
            check_no_dates(np.asarray(column))
        except ValueError as error:
            raise ValueError(f"Column {name!r}: {error}") from error
