"""A hash of a dataset's content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.datasets.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd

#: Integers below this are exact in float64.
EXACT = 2**53


def fingerprint_of(X: pd.DataFrame, y: pd.Series) -> str:
    """SHA-256 of the columns' names and values, in order, and of the labels.

    Equal values give equal hashes: it matters neither whether integers are stored as int or float, nor how strings
    are stored, nor which version of pandas computes it. Rows are taken by position, whatever their index.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
    y : Series of shape (n_samples,)
    """
    digest = hashlib.sha256()
    for position, name in enumerate(X.columns):
        _update(digest, [b"feature", str(name).encode(), *_parts(X.iloc[:, position], str(name))])
    _update(digest, [b"target", *_parts(y, str(y.name))])
    return digest.hexdigest()


def _update(digest: Any, parts: list[bytes]) -> None:
    for part in parts:
        # With its length, so two different lists of parts never give the same bytes.
        digest.update(len(part).to_bytes(8, "little") + part)


def _parts(column: pd.Series, name: str) -> Iterator[bytes]:
    """A column as bytes: its kind, then its values."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        # Ensembles see the codes, so the order of the categories is content, and so are those without samples.
        yield b"ordered" if column.cat.ordered else b"category"
        yield _integers(column.cat.codes.to_numpy())
        yield from (_value(category) for category in column.cat.categories)
        return
    numbers = _as_numbers(column.infer_objects())
    if numbers is not None:
        yield b"number"
        yield numbers.astype("<f8").tobytes()
        return
    try:
        codes, values = pd.factorize(column.astype(object))
    except TypeError as error:  # lists and the like cannot be compared
        raise DatasetError(f"The column {name!r} has values that are neither numbers nor strings: {error}.") from error
    yield b"value"
    yield _integers(codes)
    yield from (_value(value) for value in values)


def _as_numbers(column: pd.Series) -> np.ndarray | None:
    """A column's values as float64, missing ones as NaN; None if they are not numbers, or float64 would round them."""
    import pandas as pd

    if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_complex_dtype(column.dtype):
        return None
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if pd.api.types.is_integer_dtype(column.dtype):
        large = np.abs(numbers) >= EXACT
        if any(int(rounded) != value for rounded, value in zip(numbers[large], column[large], strict=True)):
            return None
    # Zero has two signs and NaN many bit patterns.
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0)


def _integers(codes: np.ndarray) -> bytes:
    return codes.astype("<i8").tobytes()


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return b"text " + value.encode()
    if isinstance(value, Integral):
        return f"number {int(value)}".encode()
    if isinstance(value, Real):
        number = float(value)
        return f"number {int(number) if number.is_integer() else number!r}".encode()
    return f"{type(value).__name__} {value}".encode()
