"""Reading a table from a CSV or Parquet file."""

import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from rulekit.cli.errors import CommandError

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt")
PARQUET_ENDINGS = (".parquet", ".pq")


def read_table(path: Path, separator: str) -> pd.DataFrame:
    """The table in a file, told by the end of its name; raise if its columns are not named one by one.

    Parameters
    ----------
    path : Path
    separator : str
        What stands between the values of a CSV file; a `.tsv` file has tabs in any case.
    """
    name = path.name.lower()
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    if name.endswith(PARQUET_ENDINGS):
        table = _read_parquet(path)
    elif name.endswith(CSV_ENDINGS):
        table = _read_csv(path, "\t" if name.endswith(".tsv") else separator)
    else:
        known = ", ".join((*CSV_ENDINGS, *PARQUET_ENDINGS))
        raise CommandError(f"{path} is not a kind of table that can be read; its name should end in one of {known}.")
    if table.empty:
        raise CommandError(f"{path} has no records.")
    return table.set_axis(table.columns.astype(str), axis="columns")


def _read_csv(path: Path, separator: str) -> pd.DataFrame:
    separator = separator.replace("\\t", "\t")
    if len(separator) != 1:
        raise CommandError(f"--separator takes one character, such as ';' or '\\t'; got {separator!r}.")
    try:
        header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
        _check_names(path, [str(name) for name in header.iloc[0]])
        with warnings.catch_warnings():
            # Rows longer than the header: pandas would drop what is beyond it.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(path, sep=separator, index_col=False)
    except pd.errors.ParserWarning as error:
        raise CommandError(f"{path} has rows with more values than its first row has names.") from error
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} could not be read as a CSV file: {error}") from error


def _check_names(path: Path, names: list[str]) -> None:
    """Raise for columns without a name or with the same name: pandas would make names up."""
    unnamed = [str(position) for position, name in enumerate(names, start=1) if not name.strip()]
    if unnamed:
        raise CommandError(
            f"{path} has columns without a name, at position {', '.join(unnamed)}. If that is a column of row numbers, "
            "write the file without it (in pandas: to_csv(index=False)); otherwise give it a name."
        )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise CommandError(
            f"{path} has several columns called {quoted(repeated)}. Rename them, so that rules are clear."
        )


def _read_parquet(path: Path) -> pd.DataFrame:
    if find_spec("pyarrow") is None:
        raise CommandError(
            f"Reading {path} needs pyarrow, which is not installed: pip install 'rulekit-rcprob[parquet]'."
        )
    return pd.read_parquet(path, engine="pyarrow")


def quoted(names: list[str], most: int = 8) -> str:
    """Names for an error message, the first few if there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
