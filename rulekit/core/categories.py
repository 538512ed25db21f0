"""Labels of categorical features, and tables with such features as numbers."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray

#: The code of a category that the model has never seen: it is in no set.
UNKNOWN = -1.0


@attrs.frozen
class Categories:
    """Which features are categorical, and the labels of their categories by code.

    Attributes
    ----------
    by_feature : mapping of int to tuple
    unknown_as_missing : bool
        Whether a label that is not listed counts as a missing value.
    """

    by_feature: Mapping[int, tuple[Any, ...]] = attrs.field(factory=dict)
    unknown_as_missing: bool = False

    def labels(self, feature: int, codes: Iterable[int]) -> list[Any]:
        """Labels of categories, in the order of their codes; a code that has no label stands for itself."""
        known = self.by_feature.get(feature, ())
        return [known[code] if 0 <= code < len(known) else code for code in sorted(codes)]

    def encode(self, X: Any) -> FloatArray:
        """Records as numbers, of shape (n_records, n_features): labels become codes, missing values NaN."""
        if not self.by_feature:
            return np.asarray(X, dtype=np.float64)
        columns = [np.asarray(column) for column in _columns(X)]
        return np.column_stack(
            [
                self._codes(feature, column) if feature in self.by_feature else _numbers(column)
                for feature, column in enumerate(columns)
            ]
        )

    def _codes(self, feature: int, column: np.ndarray[Any, Any]) -> FloatArray:
        code_of = {label: float(code) for code, label in enumerate(self.by_feature[feature])}
        unknown = np.nan if self.unknown_as_missing else UNKNOWN
        try:
            return np.array([np.nan if is_missing(value) else code_of.get(value, unknown) for value in column.tolist()])
        except (TypeError, ValueError) as error:  # neither has a list a hash, nor an array a truth value
            raise ValueError(
                f"Column {feature + 1} of X is one of categories, and holds something that cannot be the label of one, "
                "such as a list or an array. Pass texts, numbers or missing values."
            ) from error


def categorical_columns(X: Any) -> list[str]:
    """Names of a frame's columns that are no plain numbers; empty for arrays."""
    if not hasattr(X, "columns"):
        return []
    names = [str(name) for name in X.columns]
    return [name for name, column in zip(names, _columns(X), strict=True) if not _is_numeric(column)]


def _columns(X: Any) -> list[Any]:
    if hasattr(X, "iloc"):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must be a table, of shape (n_records, n_features); an array of shape {array.shape} came.")
    return list(array.T)


def _is_numeric(column: Any) -> bool:
    # Categories that are numbers turn into plain numbers as an array, so the type has to be asked for by name.
    is_category = str(getattr(column, "dtype", "")).lower().startswith(("category", "categorical", "enum"))
    return not is_category and np.asarray(column).dtype.kind in "biuf"


def is_missing(value: Any) -> bool:
    """Whether this stands for a missing value: None, NaN, or what pandas has for one."""
    # The types come first: `NA` is neither equal to itself nor not.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _numbers(column: np.ndarray[Any, Any]) -> FloatArray:
    if column.dtype.kind == "c":
        raise ValueError("Complex numbers are not supported: no rule compares them.")
    return column.astype(np.float64)
