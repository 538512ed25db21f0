"""Reading a table from a CSV, Parquet or Excel file, or from the standard input."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from rulekit.core.errors import MissingExtraError
from rulekit.core.messages import warn_caller
from rulekit.datasets.content import Content
from rulekit.datasets.csv_files import check_names, read_csv
from rulekit.datasets.errors import DatasetError, TableWarning
from rulekit.datasets.labels import typed
from rulekit.datasets.odd_strings import warn_of_odd_strings
from rulekit.datasets.reading import Reading

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: Path, target: str | None = None, reading: Reading | None = None) -> pd.DataFrame:
    """The table in a file, whose format is known by its ending; raise unless columns have unique names.

    Parameters
    ----------
    path : Path
        A CSV or Excel file with a row of names, or a Parquet file; `-` for the standard input.
    target : str, optional
        The column of labels, if there is one: in a CSV file, different strings in it stay different labels.
    reading : Reading, optional
        What the file does not say itself.
    """
    content, reading = Content.of(path), reading or Reading()
    if content.format == "parquet":
        table = _without(_read_parquet(content, reading), reading.missing)
    elif content.format == "excel":
        table = _without(_read_excel(content, reading), reading.missing)
    else:
        table = read_csv(content, reading, target)
        if target in table.columns and reading.labels == "auto":
            table[target] = typed(table[target])
    if target in table.columns and reading.labels == "string":
        table[target] = table[target].map(str, na_action="ignore")
    if content.format != "parquet":
        warn_of_odd_strings(content, table, target, has_names=reading.columns is None)
    return table


def _read_parquet(content: Content, reading: Reading) -> pd.DataFrame:
    import pandas as pd

    if find_spec("pyarrow") is None:
        raise MissingExtraError(
            f"Reading {content.name} needs pyarrow, which is not installed: pip install 'rulekit-rcprob[parquet]'."
        )
    if reading.columns is not None:
        raise DatasetError(f"{content.name} is a Parquet file, whose columns have names: leave out --columns.")
    try:
        with content.open() as file:
            table = pd.read_parquet(file, engine="pyarrow")
    except (ValueError, OSError) as error:  # pyarrow's own errors are of these classes
        raise DatasetError(f"{content.name} could not be read as a Parquet file: {error}") from error
    # A named index is one of the columns; an unnamed one has only row numbers.
    return table.reset_index(drop=all(name is None for name in table.index.names))


def _read_excel(content: Content, reading: Reading) -> pd.DataFrame:
    """The table on the first sheet; numbers and booleans are what their cells are."""
    import pandas as pd

    if find_spec("openpyxl") is None:
        raise MissingExtraError(
            f"Reading {content.name} needs openpyxl, which is not installed: pip install 'rulekit-rcprob[excel]'."
        )
    try:
        with content.open() as file, pd.ExcelFile(file, engine="openpyxl") as book:
            _say_sheets(content, book.sheet_names)
            header = pd.read_excel(book, header=None, nrows=1, dtype=str, keep_default_na=False)
            table = pd.read_excel(book, header=None, skiprows=1 if reading.columns is None else 0)
    except (ValueError, OSError, KeyError, BadZipFile) as error:
        raise DatasetError(f"{content.name} could not be read as an Excel file: {error}.") from error
    if not len(header):
        raise DatasetError(f"{content.name} could not be read as an Excel file: its first sheet is empty.")
    named = header.iloc[0].tolist() if reading.columns is None else list(reading.columns)
    # Cells with a format but no value count as columns and rows for Excel.
    last = max((position for position, name in enumerate(named) if str(name).strip()), default=0)
    used = [position for position in range(table.shape[1]) if position <= last or table[position].notna().any()]
    names = [str(named[position]) if position < len(named) else "" for position in used]
    if reading.columns is not None and len(used) != len(named):
        raise DatasetError(f"{content.name} has {len(used)} columns, but {len(named)} columns have a name.")
    check_names(content.name, names)
    return table[used].set_axis(names, axis="columns").dropna(how="all").reset_index(drop=True)


def _say_sheets(content: Content, names: list[Any]) -> None:
    if len(names) > 1:
        warn_caller(f"{content.name} has {len(names)} sheets; the first one, {names[0]!r}, is read.", TableWarning)


def _without(table: pd.DataFrame, missing: tuple[str, ...]) -> pd.DataFrame:
    """The table with a missing value wherever one of these strings, or the number that it spells, stands."""
    if not missing:
        return table
    numbers = [float(each) for each in missing if _is_number(each)]
    return table.mask(table.isin([*missing, *numbers]))


def _is_number(string: str) -> bool:
    try:
        float(string)
    except ValueError:
        return False
    return True
