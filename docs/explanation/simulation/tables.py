"""Numbers as files, and as the tables that the pages show."""

from pathlib import Path

import pandas as pd

DECIMALS = 3
#: Columns of settings and of mean counts, which are written as short as they can be.
SHORT = ("smoothing", "strength", "crossover", "correlation", "rules")


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table with a digit more than pages show."""
    table.round(DECIMALS + 1).to_csv(path, index=not isinstance(table.index, pd.RangeIndex))


def markdown(path: Path) -> str:
    """A file of numbers as a table of a page."""
    table = pd.read_csv(path)
    cells = [_cells(table[name]) for name in table.columns]
    header = "| " + " | ".join(table.columns) + " |"
    lines = ["| " + " | ".join(row) + " |" for row in zip(*cells, strict=True)]
    return "\n".join([header, "|---" * len(table.columns) + "|", *lines, ""])


def _cells(column: pd.Series) -> list[str]:
    """Strings and whole numbers as they are."""
    if not pd.api.types.is_float_dtype(column):
        return [str(value) for value in column]
    shape = "g" if column.name in SHORT else f".{DECIMALS}f"
    return [f"{value:{shape}}" for value in column]
