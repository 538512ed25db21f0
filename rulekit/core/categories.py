"""Labels of categorical features, and tables with such features as numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from sklearn.utils.validation import check_array

from rulekit.core.arrays import FloatArray
from rulekit.core.forms import check_no_dates, is_arrow, reading_numbers

#: The code of a category that the model has never seen: it is in no set.
UNKNOWN = -1.0
#: What the label of a category can be; a document of rules holds no other.
LABELS = (str, bool, int, float, np.bool_, np.integer, np.floating)


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
            # It knows what pandas has for a missing value.
            return np.asarray(check_array(X, dtype=np.float64, ensure_all_finite=False))
        columns = [np.asarray(column) for column in _columns(X)]
        return np.column_stack(
            [
                self._codes(feature, column) if feature in self.by_feature else as_doubles(column)
                for feature, column in enumerate(columns)
            ]
        )

    def _codes(self, feature: int, column: np.ndarray[Any, Any]) -> FloatArray:
        if column.dtype.kind in "UT":
            self._check_texts(feature, column)
        code_of = {label: float(code) for code, label in enumerate(self.by_feature[feature])}
        unknown = np.nan if self.unknown_as_missing else UNKNOWN
        try:
            return np.array([np.nan if is_missing(value) else code_of.get(value, unknown) for value in column.tolist()])
        except (TypeError, ValueError) as error:  # neither has a list a hash, nor an array a truth value
            raise ValueError(
                f"Column {feature + 1} of X is one of categories, and holds something that cannot be the label of one, "
                "such as a list or an array. Pass texts, numbers or missing values."
            ) from error

    def _check_texts(self, feature: int, column: np.ndarray[Any, Any]) -> None:
        """Raise if an array of texts may have held numbers or NaN once: nobody could tell them from texts."""
        labels = self.by_feature[feature]
        if not all(isinstance(label, str) for label in labels) or ("nan" not in labels and (column == "nan").any()):
            raise ValueError(
                f"Column {feature + 1} of X is one of categories, and came in an array of texts, which has no numbers "
                "and no missing values. Pass an array with dtype=object, a list of rows or a data frame."
            )


def categorical_columns(X: Any) -> list[int]:
    """Places of a frame's columns that are no plain numbers; empty for arrays."""
    if not hasattr(X, "columns"):
        return []
    return [place for place, column in enumerate(_columns(X)) if not _is_numeric(column)]


def labels_of_frame(X: Any) -> dict[int, tuple[Any, ...]]:
    """Labels of the columns of a pandas frame that are categories, by place."""
    types = X.dtypes if hasattr(X, "iloc") and hasattr(X, "columns") else ()
    return {
        place: tuple(X.iloc[:, place].cat.categories.tolist())
        for place, kind in enumerate(types)
        if str(kind) == "category"
    }


def no_labels(values: Iterable[Any]) -> list[str]:
    """Names of the types among these values that cannot be labels of categories, sorted."""
    return sorted(kind.__name__ for kind in set(map(type, values)) if not issubclass(kind, LABELS))


def check_categories(by_feature: Mapping[int, tuple[Any, ...]], names: Sequence[Any]) -> None:
    """Raise unless all labels of categories are texts, numbers or truth values; names may be empty."""
    for feature, labels in by_feature.items():
        odd = no_labels(labels)
        if odd:
            column = repr(names[feature]) if names else feature + 1
            raise ValueError(
                f"The column {column} of X has categories of type {', '.join(odd)}, and rules speak of texts, numbers "
                "and truth values. Turn them into one of these first (in pandas: astype(str))."
            )


def as_array(X: Any) -> np.ndarray[Any, Any]:
    """A table as an array; lists become one of objects, so that numbers beside texts stay numbers."""
    return np.asarray(X) if hasattr(X, "__array__") else np.asarray(X, dtype=object)


def as_doubles(array: np.ndarray[Any, Any]) -> FloatArray:
    """Values as doubles; whatever stands for a missing value becomes NaN."""
    if array.dtype.kind == "c":
        raise ValueError("Complex numbers are not supported: no rule compares them.")
    check_no_dates(array)
    with reading_numbers():
        try:
            return np.asarray(array, dtype=np.float64)
        except TypeError:  # pandas' own missing value is no number to NumPy
            present = np.frompyfunc(lambda value: np.nan if is_missing(value) else value, 1, 1)(array)
            return np.asarray(present, dtype=np.float64)


def _columns(X: Any) -> list[Any]:
    if hasattr(X, "iloc"):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    if is_arrow(X):
        return list(X.columns)
    array = as_array(X)
    if array.ndim != 2:
        raise ValueError(f"X must be a table, of shape (n_records, n_features); an array of shape {array.shape} came.")
    return list(array.T)


def _is_numeric(column: Any) -> bool:
    # Categories of pandas that are numbers turn into plain numbers as an array: the type has to be asked for by name.
    is_category = str(getattr(column, "dtype", None)) == "category"
    return not is_category and np.asarray(column).dtype.kind in "biuf"


def is_missing(value: Any) -> bool:
    """Whether this stands for a missing value: None, NaN, or what pandas has for one."""
    # The type comes first: `NA` is neither equal to itself nor not.
    return value is None or type(value).__name__ == "NAType" or value != value
