"""Class labels of a CSV file: numbers only where no two labels become one."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

#: How labels are read: as numbers or booleans where each of them is written as Python writes it, or as strings.
Labels = Literal["auto", "string"]

INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
BOOLEANS = ({"True": True, "False": False}, {"TRUE": True, "FALSE": False}, {"true": True, "false": False})
#: Integers up to this are exact in float64.
EXACT = 2**53


def typed(column: pd.Series) -> pd.Series:
    """Labels that were read as strings, as numbers or booleans if that merges none of them; missing ones stay missing.

    "01" beside "1", or "1.0" beside "1", are different labels and stay strings.

    Parameters
    ----------
    column : Series of str

    Examples
    --------
    >>> import pandas as pd
    >>> typed(pd.Series(["0", "1"])).tolist(), typed(pd.Series(["01", "1"])).tolist()
    ([0, 1], ['01', '1'])
    """
    values = _values(column.dropna().unique().tolist())
    if values is None or not values:
        return column
    converted = column.map(values)
    return converted if column.isna().any() else converted.astype(type(next(iter(values.values()))))


def _values(labels: list[str]) -> dict[str, Any] | None:
    """The value of each label; None unless all have one and no two have the same."""
    for booleans in BOOLEANS:
        if set(labels) <= set(booleans):
            return booleans
    # Files with a blank after each comma have one before each label.
    plain = {label: label.strip() for label in labels}
    if all(INTEGER.fullmatch(string) for string in plain.values()):
        values: dict[str, Any] = {label: int(string) for label, string in plain.items()}
    elif all(_is_plain_float(string) for string in plain.values()):
        values = {label: float(string) for label, string in plain.items()}
    else:
        return None
    return values if len(set(values.values())) == len(labels) else None


def _is_plain_float(string: str) -> bool:
    if INTEGER.fullmatch(string):
        return abs(int(string)) <= EXACT
    try:
        number = float(string)
    except ValueError:
        return False
    return math.isfinite(number) and repr(number) == string
