"""A table from a file, as the command line takes it."""

from pathlib import Path

import pandas as pd

from rulekit.cli.errors import CommandError
from rulekit.datasets import tables
from rulekit.datasets.labels import Labels


def read_table(path: Path, separator: str, target: str | None = None, labels: Labels = "auto") -> pd.DataFrame:
    """The table in a CSV or Parquet file, with its columns' names as strings; raise if it has no samples.

    Parameters
    ----------
    path : Path
    separator : str
        Separator of the values in a CSV file; a `.tsv` file is always read with tabs.
    target, labels
        See `rulekit.datasets.tables.read_table`.
    """
    separator = separator.replace("\\t", "\t")
    if len(separator) != 1:
        raise CommandError(f"--separator takes one character, such as ';' or '\\t'; got {separator!r}.")
    table = tables.read_table(path, separator, target=target, labels=labels)
    if table.empty:
        raise CommandError(f"{path} has no samples.")
    return table.set_axis(table.columns.astype(str), axis="columns")


def quoted(names: list[str], most: int = 8) -> str:
    """Names for an error message, the first few if there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
