"""Tables as plain values: what a configuration holds, and the line of Python that makes a frame or an array of it."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs

#: Types of columns that hold labels instead of numbers.
LABELLED = ("category", "ordered", "object", "str")


@attrs.frozen
class Column:
    """One column.

    Attributes
    ----------
    name : str
    kind : str
        "category" or "ordered" for pandas' type `category`, "codes" for codes of categories, otherwise the column's
        type.
    values : tuple
        None for a missing value.
    categories : tuple
        The labels of pandas' type `category`, in order.
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    categories: tuple[Any, ...] = ()

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return None in self.values

    @property
    def is_numeric(self) -> bool:
        """Whether values are compared with thresholds."""
        return self.kind not in (*LABELLED, "codes")

    def take(self, rows: Sequence[int]) -> "Column":
        """The column with some of its values."""
        return attrs.evolve(self, values=tuple(self.values[row] for row in rows))

    @property
    def code(self) -> str:
        """The expression that makes the column of a frame."""
        if self.kind in ("category", "ordered"):
            order = ", ordered=True" if self.kind == "ordered" else ""
            return f"pd.Categorical({list(self.values)!r}, {list(self.categories)!r}{order})"
        if self.kind in LABELLED:
            return f"pd.Series({list(self.values)!r}, dtype={self.kind!r})"
        if self.kind in ("Float64", "Int64", "boolean"):
            return f"pd.array([{', '.join(map(_or_none, self.values))}], dtype={self.kind!r})"
        if self.kind == "codes":
            return numbers(self.values) if self.has_missing else repr(list(self.values))
        return numbers(self.values) if self.kind == "float64" else f"np.array({numbers(self.values)}, {self.kind!r})"


@attrs.frozen
class Table:
    """Samples.

    Attributes
    ----------
    columns : tuple of Column
    container : str
        "frame", or the type of an array.
    """

    columns: tuple[Column, ...]
    container: str = "frame"

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def take(self, rows: Sequence[int]) -> "Table":
        """The table with some of its samples."""
        return self.with_columns(lambda column: column.take(rows))

    def with_columns(self, changed: Callable[[Column], Column]) -> "Table":
        """The table with each column changed."""
        return attrs.evolve(self, columns=tuple(changed(column) for column in self.columns))

    def positions(self, *kinds: str) -> list[int]:
        """The positions of the columns of these kinds."""
        return [position for position, column in enumerate(self.columns) if column.kind in kinds]

    @property
    def code(self) -> str:
        """The expression that makes the frame or array."""
        if self.container == "frame":
            return f"pd.DataFrame({{{', '.join(f'{column.name!r}: {column.code}' for column in self.columns)}}})"
        rows = zip(*(column.values for column in self.columns), strict=True)
        values = ", ".join(map(numbers, rows))
        return f"np.array([{values}], {self.container!r})"


def numbers(values: Sequence[Any]) -> str:
    """A list of numbers as Python spells them; missing values become NaN."""
    return f"[{', '.join(map(_number, values))}]"


def _or_none(value: Any) -> str:
    return "None" if value is None else _number(value)


def _number(value: Any) -> str:
    if value is None:
        return "np.nan"
    if isinstance(value, float) and math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)
