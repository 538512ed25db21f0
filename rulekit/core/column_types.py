"""The types of a table's columns, whichever library the table comes from."""

from collections.abc import Container
from typing import Any, Literal

import attrs

from rulekit.core.errors import UnsupportedDataError
from rulekit.core.validation import column_names, is_arrow

Kind = Literal["number", "category", "string", "other"]
TableLibrary = Literal["pandas", "polars", "pyarrow"]

#: Numbers as pandas, polars and Arrow spell their types, in lower case; every library of ensembles reads these.
NUMBERS = frozenset(
    ["bool", "boolean", "float", "float32", "float64", "double"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
CATEGORIES = ("categor", "enum", "dictionary")
STRINGS = ("str", "large_string", "utf8")


@attrs.frozen
class ColumnType:
    """The type of a column.

    Attributes
    ----------
    position : int
    name : object
        As the table has it, not converted to a string.
    kind : {"number", "category", "string", "other"}
    spelled : str
        The type as its library spells it.
    """

    position: int
    name: Any
    kind: Kind
    spelled: str


def library_of(X: Any) -> TableLibrary | None:
    """The library that a table comes from; None for arrays and lists."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return "pandas"
    if hasattr(X, "get_columns"):
        return "polars"
    return "pyarrow" if is_arrow(X) else None


def column_types(X: Any) -> list[ColumnType]:
    """The types of a table's columns, in order; empty for arrays and lists."""
    if library_of(X) is None:
        return []
    types = X.schema.types if is_arrow(X) else X.dtypes
    pairs = zip(column_names(X), types, strict=True)
    return [ColumnType(position, name, _kind(each), str(each)) for position, (name, each) in enumerate(pairs)]


def check_column_types(X: Any, library: str, kinds: Container[Kind], advice: str) -> None:
    """Raise if a table has columns of a kind that a library of ensembles does not read.

    Parameters
    ----------
    X : array or table of shape (n_samples, n_features)
    library : str
        Name of the library, for the message.
    kinds : container of str
        Kinds that it reads.
    advice : str
        What to do, as whole sentences.
    """
    reject_columns([each for each in column_types(X) if each.kind not in kinds], X, library, advice)


def reject_columns(columns: list[ColumnType], X: Any, library: str, advice: str) -> None:
    """Raise if there are any columns in this list."""
    if columns:
        listed = ", ".join(f"{each.name!r} ({each.spelled})" for each in columns[:5])
        more = ", …" if len(columns) > 5 else ""
        raise UnsupportedDataError(
            f"{library} cannot read these columns of a {library_of(X)} table: {listed}{more}. {advice}"
        )


def _kind(type_: Any) -> Kind:
    spelled = str(type_).lower().removesuffix("[pyarrow]")
    # NumPy's own half precision is converted; that of polars and Arrow is not.
    if spelled in NUMBERS or (type(type_).__module__.startswith("numpy") and type_.kind in "biuf"):
        return "number"
    if spelled.startswith(CATEGORIES):
        return "category"
    return "string" if spelled.startswith(STRINGS) and not spelled.startswith("struct") else "other"
