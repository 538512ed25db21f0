"""Tables of values to try: what a pipeline makes of each category, each interval, and values that it does not know."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from rulekit.core.column_types import library_of


def some_table(table: Any, n_rows: int, values: Mapping[int, Sequence[Any]]) -> Any:
    """A table whose rows repeat the first row of another one but for some values.

    Parameters
    ----------
    table : ndarray or frame of shape (n_samples, n_features)
    n_rows : int
    values : mapping of int to sequence
        New values of some columns; if these are fewer than rows, the first one is repeated.
    """
    rows = np.zeros(n_rows, dtype=np.int64)
    whole = {column: [*own, *[own[0]] * (n_rows - len(own))] for column, own in values.items() if len(own)}
    if isinstance(table, np.ndarray):
        return _array(table, rows, whole)
    repeated = _safe_indexing(table, rows)
    if library_of(table) == "polars":
        columns = repeated.get_columns()
        return repeated.with_columns(
            [type(columns[0])(columns[at].name, new, strict=False) for at, new in whole.items()]
        )
    repeated = repeated.reset_index(drop=True)
    for column, new in whole.items():
        repeated.isetitem(column, _typed(new, table.iloc[:, column].dtype))
    return repeated


def _array(table: np.ndarray[Any, Any], rows: Any, values: Mapping[int, list[Any]]) -> np.ndarray[Any, Any]:
    # An array of strings would truncate longer ones, one of integers fractions.
    dtype = table.dtype if table.dtype.kind == "f" else np.dtype(np.float64 if table.dtype.kind in "iu" else object)
    if table.dtype.kind == "b" and all(isinstance(value, bool) for new in values.values() for value in new):
        dtype = table.dtype
    repeated = table[rows].astype(dtype)
    for column, new in values.items():
        repeated[:, column] = new
    return repeated


def _typed(values: list[Any], dtype: Any) -> Any:
    """Values in the type of a column of pandas where it can hold them: steps compute in a type that depends on it."""
    if not isinstance(dtype, np.dtype):
        return values
    if dtype.kind == "O":
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column
    if dtype.kind not in "biuf" or any(isinstance(value, str) for value in values):
        return values
    array = np.array(values)
    typed = array.astype(dtype)
    return typed if dtype.kind == "f" or (typed == array).all() else values
