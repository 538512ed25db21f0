"""Strings in columns of numbers, and question marks: often what a file writes for a missing value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.core.messages import short, warn_caller
from rulekit.datasets.errors import TableWarning

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.datasets.content import Content

#: A column that is not of numbers, but of which more than this fraction is.
MOST_NUMBERS = 0.9
UNKNOWN = "?"
#: Columns that a message names.
N_NAMED = 5


def warn_of_odd_strings(content: Content, table: pd.DataFrame, target: str | None, *, has_names: bool) -> None:
    """Tell which columns are read as strings although most of their values are numbers, or some are question marks.

    Rows are counted from 1, a row of names included.
    """
    found = {str(name): odd for name in table.columns if name != target and (odd := _odd_string(table[name]))}
    if not found:
        return
    named = [f"{short(column)} ({short(string)} in row {row + has_names})" for column, (string, row) in found.items()]
    more = f" and {len(named) - N_NAMED} more" if len(named) > N_NAMED else ""
    marks = list(dict.fromkeys(string for string, _ in found.values()))[:N_NAMED]
    options = " ".join(f"--missing {string!r}" for string in marks)
    warn_caller(
        f"Columns of {content.name} are read as strings: {', '.join(named[:N_NAMED])}{more}. If such a string stands "
        f"for a missing value, say so (on the command line: {options}).",
        TableWarning,
    )


def _odd_string(column: pd.Series) -> tuple[str, int] | None:
    """The first string that is no number in a column of numbers, or the first question mark, and its row from 1."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return None
    present = column.notna()
    is_odd = present & pd.to_numeric(column.astype(object), errors="coerce").isna()
    if (column == UNKNOWN).any():
        is_odd = column == UNKNOWN
    elif not is_odd.any() or is_odd.sum() >= (1 - MOST_NUMBERS) * present.sum():
        return None
    position = int(is_odd.to_numpy().argmax())
    return str(column.iloc[position]), position + 1
