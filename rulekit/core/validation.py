"""Validation of samples and labels, and their conversion to numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import UnsupportedDataError, UnsupportedFitParameterError

#: How the types of dates, times and durations begin, in NumPy, pandas, polars and Arrow.
DATES = ("date", "time", "duration", "period")


def check_whole(X: Any) -> None:
    """Raise for an array with masked values, a frame that has not been computed, and a batch without column names."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            "Masked values in X are not supported: the mask would be ignored. Pass X.filled(np.nan) to treat them as "
            "missing values."
        )
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which has not been computed. Pass X.collect().")
    if type(X).__name__ == "RecordBatch":
        # Everyone else reads it as an array, and would not notice columns in another order.
        raise TypeError(
            "X is a RecordBatch, whose column names would be ignored. Pass pyarrow.Table.from_batches([X])."
        )


def check_no_dates(X: Any) -> None:
    """Raise for columns of dates, times or durations: as numbers they depend on the unit, and NaT becomes one.

    Integers of 128 bits, which polars has and NumPy has not, are rejected too.
    """
    if isinstance(X, list | tuple):
        X = np.asarray(X, dtype=object)
    if isinstance(X, np.ndarray):
        dates = ["all"] if X.dtype.kind in "mM" else sorted(_dates_among(X))
    else:
        names = column_names(X)
        types = _types(X) if names else []
        dates = [repr(name) for name, kind in zip(names, types, strict=False) if _is_date(kind)]
        wide = [repr(name) for name, kind in zip(names, types, strict=False) if _spelled(kind).endswith("int128")]
        if wide:
            raise UnsupportedDataError(
                f"Columns of 128-bit integers are not supported ({', '.join(wide)}): rules compare doubles. Convert "
                "them to floats first."
            )
    if dates:
        raise ValueError(
            f"Columns of dates, times or durations are not supported ({', '.join(dates)}): rules compare numbers. "
            "Convert them to numbers first, such as days since a reference date."
        )


def column_names(X: Any) -> list[Any]:
    """Names of a frame's columns, not converted to strings; empty for anything else."""
    # The `columns` of an Arrow table are its values, not its names.
    return list(X.column_names if is_arrow(X) else getattr(X, "columns", ()))


def is_arrow(X: Any) -> bool:
    """Whether this is a pyarrow table."""
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "column_names")


def is_frame(X: Any) -> bool:
    """Whether this is a data frame of pandas or polars, or a pyarrow table."""
    return is_arrow(X) or ((hasattr(X, "iloc") or hasattr(X, "get_columns")) and hasattr(X, "columns"))


def are_mappings(X: Any) -> bool:
    """Whether this is a dictionary, or a list that begins with one."""
    return isinstance(X, Mapping) or (isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping))


def is_read_by_name(X: Any, feature_names: Sequence[str]) -> bool:
    """Whether samples are dictionaries, or a frame whose columns have names, but not exactly these in this order.

    Columns that are named by numbers are read by position, as in an array.
    """
    if are_mappings(X):
        return True
    if not is_frame(X):
        return False
    names = column_names(X)
    return any(isinstance(name, str) for name in names) and names != list(feature_names)


def some_rows(X: Any, start: int, stop: int) -> Any:
    """Some rows of an array or frame, as such; they are not copied if the library can avoid it."""
    if isinstance(X, np.ndarray):
        return X[start:stop]
    return X.iloc[start:stop] if hasattr(X, "iloc") else X.slice(start, stop - start)


@contextmanager
def reading_numbers() -> Iterator[None]:
    """Raise a `ValueError` for integers too large for float64; ignore infinities, which are rejected later."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowError as error:
        raise ValueError(
            "X contains a whole number that is too large for float64, whose largest value is about 1.8e308. Replace "
            "it, or pass its logarithm."
        ) from error


def _dates_among(array: np.ndarray[Any, Any]) -> set[str]:
    """Names of NumPy's date types among objects, which NumPy would convert to numbers."""
    kinds = set(map(type, array.ravel().tolist())) if array.dtype.kind == "O" else set()
    return {kind.__name__ for kind in kinds if issubclass(kind, np.datetime64 | np.timedelta64)}


def _types(X: Any) -> list[Any]:
    """Types of a frame's columns, as its library represents them."""
    return list(X.schema.types if is_arrow(X) else getattr(X, "dtypes", ()))


def _spelled(kind: Any) -> str:
    """The type of a column in lower case; nothing for NumPy's numbers, because most columns are, and it takes time."""
    return "" if getattr(kind, "kind", "O") in "biuf" else str(kind).lower()


def _is_date(kind: Any) -> bool:
    return _spelled(kind).startswith(DATES)


#: The code of a category that the model has not seen in training: it is in no set.
UNKNOWN = -1.0
#: Allowed types of category labels; a ruleset's JSON document can hold no others.
LABELS = (str, bool, int, float, np.bool_, np.integer, np.floating)


@attrs.frozen
class Categories:
    """Which features are categorical, and the labels of their categories by code.

    Attributes
    ----------
    by_feature : mapping of int to tuple
    unknown_as_missing : bool
        Whether a label that is not listed counts as a missing value.
    missing_value : float or None
        A number that counts as a missing value, besides NaN. A ruleset's JSON document does not hold it.
    missing_dtype : numpy dtype
        What values are rounded to before they are compared with it.
    """

    by_feature: Mapping[int, tuple[Any, ...]] = attrs.field(factory=dict)
    unknown_as_missing: bool = False
    missing_value: float | None = None
    missing_dtype: npt.DTypeLike = np.float32

    def labels(self, feature: int, codes: Iterable[int]) -> list[Any]:
        """Labels of categories, in the order of their codes; the code itself where there is no label."""
        known = self.by_feature.get(feature, ())
        return [known[code] if 0 <= code < len(known) else code for code in sorted(codes)]

    def encode(self, X: Any) -> FloatArray:
        """Samples as numbers, of shape (n_samples, n_features): labels become codes, missing values NaN."""
        if not self.by_feature:
            # It recognises pandas' missing values.
            return np.asarray(check_array(X, dtype=np.float64, ensure_all_finite=False))
        return np.column_stack(
            [
                self.codes_of(feature, column) if feature in self.by_feature else as_doubles(np.asarray(column))
                for feature, column in enumerate(columns_of(X))
            ]
        )

    def mark_missing(self, X: FloatArray) -> FloatArray:
        """Samples with NaN for each number that counts as a missing value once both are rounded."""
        if self.missing_value is None:
            return X
        with np.errstate(over="ignore"):
            missing = np.array(self.missing_value).astype(self.missing_dtype)
            return np.where(X.astype(self.missing_dtype) == missing, np.nan, X)

    def codes_of(self, feature: int, column: Any) -> FloatArray:
        """Codes of a column of any table: those of pandas' categories are looked up once for each category."""
        if not is_categorical(column):
            return self._codes(feature, np.asarray(column))
        return np.append(self._codes(feature, np.asarray(column.cat.categories)), np.nan)[column.cat.codes.to_numpy()]

    def _codes(self, feature: int, column: np.ndarray[Any, Any]) -> FloatArray:
        if column.dtype.kind in "UT":
            self._check_strings(feature, column)
        code_of = {label: float(code) for code, label in enumerate(self.by_feature[feature])}
        unknown = np.nan if self.unknown_as_missing else UNKNOWN
        values = column.tolist()
        try:
            codes = {value: np.nan if is_missing(value) else code_of.get(value, unknown) for value in set(values)}
        except (TypeError, ValueError) as error:  # lists are not hashable, and arrays have no truth value
            raise ValueError(
                f"Column {feature + 1} of X is categorical but contains a value that cannot be a category, such as a "
                "list or an array. Pass strings, numbers or missing values."
            ) from error
        return np.fromiter(map(codes.__getitem__, values), np.float64, len(values))

    def _check_strings(self, feature: int, column: np.ndarray[Any, Any]) -> None:
        """Raise if a string array may have been made from numbers or NaN, which cannot be recovered from strings."""
        labels = self.by_feature[feature]
        if not all(isinstance(label, str) for label in labels) or ("nan" not in labels and (column == "nan").any()):
            raise ValueError(
                f"Column {feature + 1} of X is categorical but was passed as a string array, which cannot hold numbers "
                "or missing values. Pass an array with dtype=object, a list of rows or a data frame."
            )


def categorical_columns(X: Any) -> list[int]:
    """Indices of a frame's columns that are not plain numbers; empty for arrays."""
    if not hasattr(X, "columns"):
        return []
    return [position for position, column in enumerate(columns_of(X)) if not _is_numeric(column)]


def labels_of_frame(X: Any) -> dict[int, tuple[Any, ...]]:
    """Labels of the categorical columns of a pandas frame, by column index."""
    types = X.dtypes if hasattr(X, "iloc") and hasattr(X, "columns") else ()
    return {
        position: tuple(X.iloc[:, position].cat.categories.tolist())
        for position, kind in enumerate(types)
        if str(kind) == "category"
    }


def no_labels(values: Iterable[Any]) -> list[str]:
    """Names of the types among these values that cannot be labels of categories, sorted."""
    return sorted(kind.__name__ for kind in set(map(type, values)) if not issubclass(kind, LABELS))


def check_categories(by_feature: Mapping[int, tuple[Any, ...]], names: Sequence[Any]) -> None:
    """Raise unless all category labels are strings, numbers or booleans; names may be empty."""
    for feature, labels in by_feature.items():
        odd = no_labels(labels)
        if odd:
            column = repr(names[feature]) if names else feature + 1
            raise ValueError(
                f"Column {column} of X has categories of type {', '.join(odd)}, which are not supported. Convert "
                "them to strings, numbers or booleans first (in pandas: astype(str))."
            )


def as_array(X: Any) -> np.ndarray[Any, Any]:
    """A table as an array; lists and frames with categories become an object array, in which every value stays itself.

    pandas would make an array of integers of a frame with integer categories, and a number of a missing one.
    """
    if labels_of_frame(X):
        return np.column_stack([np.asarray(column, dtype=object) for column in columns_of(X)])
    return np.asarray(X) if hasattr(X, "__array__") else np.asarray(X, dtype=object)


def as_doubles(array: np.ndarray[Any, Any]) -> FloatArray:
    """Values as doubles; every kind of missing value becomes NaN."""
    if array.dtype.kind == "c":
        raise ValueError("Complex numbers are not supported: rules cannot compare them.")
    check_no_dates(array)
    with reading_numbers():
        try:
            return np.asarray(array, dtype=np.float64)
        except TypeError:  # NumPy cannot convert pandas' missing value
            present = np.frompyfunc(lambda value: np.nan if is_missing(value) else value, 1, 1)(array)
            return np.asarray(present, dtype=np.float64)


def columns_of(X: Any) -> list[Any]:
    """The columns of a table, in order."""
    if hasattr(X, "iloc"):
        return [X.iloc[:, position] for position in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    if is_arrow(X):
        return list(X.columns)
    array = as_array(X)
    if array.ndim != 2:
        raise ValueError(f"Expected X to be a 2-D array of shape (n_samples, n_features), got shape {array.shape}.")
    return list(array.T)


def column_of(X: Any, feature: int) -> Any:
    """One column of a table."""
    return columns_of(X)[feature]


def is_categorical(column: Any) -> bool:
    """Whether this is a column of pandas' type `category`."""
    return str(getattr(column, "dtype", None)) == "category"


def _is_numeric(column: Any) -> bool:
    if is_categorical(column):  # categories that are numbers would become plain numbers in an array
        return False
    array = np.asarray(column)
    return array.dtype.kind in "biuf" and array.ndim == 1  # polars structs have two dimensions


def is_missing(value: Any) -> bool:
    """Whether this is a missing value: None, NaN, or pandas' NA."""
    # The type is checked first: comparing `NA` with itself gives `NA`.
    return value is None or type(value).__name__ == "NAType" or value != value


def check_columns(X: Any, feature_names: Sequence[str]) -> None:
    """Raise unless a table has as many columns as there are names."""
    shape = np.shape(X)
    if len(shape) == 2 and shape[1] != len(feature_names):
        raise ValueError(
            f"X has {shape[1]} columns, but the rules were extracted from {len(feature_names)}: "
            f"{some_names(feature_names)}. Pass the same columns in the same order."
        )


def check_missing(
    X: FloatArray, missing_features: frozenset[int], feature_names: Sequence[str], *, has_choice: bool
) -> None:
    """Raise if a value is missing in a column without missing values in training: the rules do not cover this case.

    `has_choice` says whether these are rules that can answer such samples, by `RuleSet.with_unexpected_missing`.
    """
    missing = np.isnan(X)
    missing[:, list(missing_features)] = False
    unexpected = [str(feature_names[feature]) for feature in np.flatnonzero(missing.any(axis=0)).tolist()]
    if unexpected:
        ways = "Impute them, train on samples with missing values in these columns, or choose how rules answer them by "
        ways += "ruleset.with_unexpected_missing."
        if not has_choice:
            ways = "Impute them, or train on samples with missing values in these columns."
        raise ValueError(
            f"X has missing values in {some_names(unexpected)}, which had none in training, so the rules cannot handle "
            f"them ({np.count_nonzero(missing.any(axis=1))} of {len(X)} samples). {ways}"
        )


def check_codes(X: FloatArray, features: Iterable[int], feature_names: Sequence[str]) -> None:
    """Raise unless these features hold codes of categories: whole numbers, or missing values.

    Libraries truncate fractional codes before they look them up; sets of codes do not.
    """
    for feature in features:
        fractional = X[:, feature][X[:, feature] % 1 > 0]  # NaN is not larger
        if len(fractional):
            raise ValueError(
                f"X has the fractional value {fractional[0]:g} in {str(feature_names[feature])!r}, which holds codes "
                "of categories. Pass whole numbers there."
            )


def some_names(names: Sequence[str], most: int = 5) -> str:
    """The first of these names in quotes, for a message."""
    listed = ", ".join(repr(str(name)) for name in names[:most])
    return f"{listed or 'none'}{', …' if len(names) > most else ''}"


def reject_fit_parameters(method: str, unsupported: dict[str, Any], *, for_classes: bool = True) -> None:
    """Raise if `fit` of a method for classes, or for numbers, got anything that it would have to ignore."""
    given = [name for name, value in unsupported.items() if value is not None]
    if "sample_weight" in given:
        raise UnsupportedFitParameterError(
            f"Not supported: {method}.fit with sample_weight, because this method counts samples. "
            "Fit the ensemble with weights and pass it fitted"
            + (", or use a method that takes weights, such as 'rclist'." if for_classes else ".")
        )
    if given:
        raise UnsupportedFitParameterError(f"{method}.fit takes X and y only, got {', '.join(given)}.")
