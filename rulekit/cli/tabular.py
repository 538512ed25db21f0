"""A table from a file or the standard input, as the command line takes it."""

import csv
from pathlib import Path

import pandas as pd

from rulekit.cli.errors import CommandError
from rulekit.datasets import tables
from rulekit.datasets.reading import Reading


def parse_reading(
    separator: str | None, missing: list[str] | None, columns: str | None, string_labels: bool
) -> Reading:
    """How tables are written, from the options of a command."""
    if separator is not None:
        separator = separator.replace("\\t", "\t")
        if len(separator) != 1:
            raise CommandError(f"--separator takes one character, such as ';' or '\\t'; got {separator!r}.")
    return Reading(separator, missing or (), parse_names("--columns", columns), "string" if string_labels else "auto")


def parse_names(option: str, value: str | None) -> list[str] | None:
    """Names that commas separate; None if the option is not given."""
    if value is None:
        return None
    names = [name.strip() for name in next(csv.reader([value]), [])]
    if not names or not all(names):
        raise CommandError(f"{option} takes names separated by commas, such as a,b,c; got {value!r}.")
    return names


def read_table(path: Path, reading: Reading, target: str | None = None) -> pd.DataFrame:
    """The table at a path, with its columns' names as strings; raise if it has no samples.

    Parameters
    ----------
    path : Path
        `-` is the standard input.
    reading, target
        See `rulekit.datasets.tables.read_table`.
    """
    table = tables.read_table(path, target, reading)
    if table.empty:
        raise CommandError(f"{source_name(path)} has no samples.")
    return table.set_axis(table.columns.astype(str), axis="columns")


def source_name(path: Path) -> str:
    """What messages call a path."""
    return "standard input" if str(path) == "-" else str(path)


def quoted(names: list[str], most: int = 8) -> str:
    """Names for an error message, the first few if there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
