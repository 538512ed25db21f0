"""Forms of records that NumPy would turn into wrong numbers, or into none, without a word."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

#: How the types of dates, times and durations begin, in NumPy, pandas, polars and Arrow.
DATES = ("date", "time", "duration", "period")


def check_whole(X: Any) -> None:
    """Raise for an array that hides values, and for a frame that has not been computed."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            "X is an array with masked values, which would be read as if there were no mask. Pass X.filled(np.nan), "
            "so that they are missing values."
        )
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which has no values yet. Pass X.collect().")


def check_no_dates(X: Any) -> None:
    """Raise for columns of dates, times or durations: as numbers they depend on the unit, and NaT is one of them."""
    if isinstance(X, list | tuple):
        X = np.asarray(X, dtype=object)
    if isinstance(X, np.ndarray):
        dates = ["all"] if X.dtype.kind in "mM" else sorted(_dates_among(X))
    else:
        names = column_names(X)
        types = _types(X) if names else []
        dates = [repr(name) for name, kind in zip(names, types, strict=False) if _is_date(kind)]
    if dates:
        raise ValueError(
            f"X has columns of dates, times or durations ({', '.join(dates)}), and rules compare numbers. Turn them "
            "into numbers first, such as days since a day of your choice."
        )


def column_names(X: Any) -> list[Any]:
    """Names of a frame's columns as they are; none for anything else."""
    # The `columns` of an Arrow table are not names, but the values.
    return list(X.column_names if is_arrow(X) else getattr(X, "columns", ()))


def is_arrow(X: Any) -> bool:
    """Whether this is a table of pyarrow."""
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "column_names")


@contextmanager
def reading_numbers() -> Iterator[None]:
    """Whole numbers beyond doubles are a `ValueError`, and infinities, which are refused later, no warning."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowError as error:
        raise ValueError(
            "X holds a whole number that is too large for a double, whose largest value is about 1.8e308. Replace it, "
            "or pass its logarithm."
        ) from error


def _dates_among(array: np.ndarray[Any, Any]) -> set[str]:
    """Names of NumPy's own types of dates among objects, each of which NumPy would turn into a number."""
    kinds = set(map(type, array.ravel().tolist())) if array.dtype.kind == "O" else set()
    return {kind.__name__ for kind in kinds if issubclass(kind, np.datetime64 | np.timedelta64)}


def _types(X: Any) -> list[Any]:
    """Types of a frame's columns, as its library has them."""
    return list(X.schema.types if is_arrow(X) else getattr(X, "dtypes", ()))


def _is_date(kind: Any) -> bool:
    # To spell a type takes time, and most columns are plain numbers.
    return getattr(kind, "kind", "O") not in "biuf" and str(kind).lower().startswith(DATES)
