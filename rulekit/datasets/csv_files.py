"""Tables in CSV files: separators are guessed, and what is broken is named by its line."""

from __future__ import annotations

import csv
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from gzip import BadGzipFile
from itertools import islice
from typing import TYPE_CHECKING, Any

from rulekit.core.messages import short, warn_caller
from rulekit.datasets.content import Content
from rulekit.datasets.errors import DatasetError, TableWarning
from rulekit.datasets.reading import Reading

if TYPE_CHECKING:
    import pandas as pd

#: Separators to choose among, the most usual one first.
SEPARATORS = (",", ";", "\t", "|")
#: Rows that a separator is guessed from.
N_GUESSED = 200
NUMBER_WITH_COMMA, NUMBER_WITH_POINT = re.compile(r"-?\d+,\d+"), re.compile(r"-?\d+\.\d+")


def exact_numbers() -> dict[str, Any]:
    """Arguments with which `pandas.read_csv` reads each number as the nearest float64.

    Before 3.1, pandas may be off in the last digit by default; from 3.1 it never is, and warns of the argument.
    """
    import pandas as pd

    major, minor = (int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if (major, minor) < (3, 1) else {}


def read_csv(content: Content, reading: Reading, target: str | None) -> pd.DataFrame:
    """The table in a CSV file; its labels are strings."""
    import pandas as pd

    try:
        separator = _separator(content, reading)
        names = _header(content, separator) if reading.columns is None else list(reading.columns)
        check_names(content.name, names)
        with warnings.catch_warnings(), content.open() as file:
            # Rows longer than the header: pandas would drop the additional values.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                file,
                sep=separator,
                decimal=_decimal(content, separator),
                header=0 if reading.columns is None else None,
                names=names,
                # As numbers, "01" and "1" would be one label.
                dtype=None if target is None else {target: str},
                na_values=list(reading.missing),
                index_col=False,
                # In pieces (low_memory), a column may be read as numbers in one and as strings in the next.
                low_memory=False,
                **exact_numbers(),
            )
    except UnicodeDecodeError as error:
        raise _unreadable(content, _undecodable(content)) from error
    except pd.errors.EmptyDataError as error:
        raise _unreadable(content, f"{error}.") from error
    except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
        raise _unreadable(content, _broken_row(content, separator, len(names)) or f"{error}") from error
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise DatasetError(f"{content.name} is compressed, and damaged: {error}.") from error
    # pandas fills short rows up with missing values: the last value of such a row is missing.
    broken = None
    if table.shape[1] > 1 and table.iloc[:, -1].isna().any():
        broken = _broken_row(content, separator, len(names))
    if broken is not None:
        raise _unreadable(content, broken)
    return table


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise for columns without a name or with the same name: pandas would invent names."""
    unnamed = [str(position) for position, column in enumerate(columns, start=1) if not column.strip()]
    if unnamed:
        raise DatasetError(
            f"{name} has columns without a name, at position {', '.join(unnamed)}. If that is a column of row numbers, "
            "write the file without it (in pandas: to_csv(index=False)); if the first row holds values, give the names "
            "of the columns (on the command line: --columns); otherwise give it a name."
        )
    repeated = [repr(column) for column, times in Counter(columns).items() if times > 1]
    if repeated:
        raise DatasetError(
            f"{name} has several columns called {', '.join(repeated)}. Rename them, so that rules are unambiguous; or, "
            "if its first row holds values, give the names of its columns (on the command line: --columns)."
        )


def guessed_separator(content: Content) -> str:
    """The separator that splits the first rows into equally many values, at least two; the comma if none does."""
    n_values = {separator: _lengths(content, separator) for separator in SEPARATORS}
    regular = [each for each, lengths in n_values.items() if lengths and lengths[0] > 1 and len(set(lengths)) == 1]
    if regular:
        return max(regular, key=lambda separator: n_values[separator][0])
    # In a broken file, the row of names decides.
    return max(SEPARATORS, key=lambda separator: (n_values[separator] or [0])[0])


def _separator(content: Content, reading: Reading) -> str:
    if content.has_tabs:
        return "\t"
    if reading.separator is not None:
        return reading.separator
    found = guessed_separator(content)
    if found != ",":
        warn_caller(
            f"The values of {content.name} are taken to be separated by {found!r}: give the separator if that is "
            "wrong, or to read them without this warning (on the command line: --separator).",
            TableWarning,
        )
    return found


def _decimal(content: Content, separator: str) -> str:
    """What separates the decimals of numbers: a comma if some values are such numbers and none has a point."""
    if separator == ",":
        return "."
    values = [value.strip() for row in _first_rows(content, separator) for value in row]
    has_point = any(NUMBER_WITH_POINT.fullmatch(value) for value in values)
    found = next((value for value in values if NUMBER_WITH_COMMA.fullmatch(value)), None)
    if has_point or found is None:
        return "."
    warn_caller(
        f"Numbers of {content.name} are taken to have a decimal comma, such as {found}. Write them with a point if "
        "that is wrong.",
        TableWarning,
    )
    return ","


def _first_rows(content: Content, separator: str) -> list[list[str]]:
    """The values of the first rows that are not empty."""
    with content.text() as lines:
        try:
            return [row for row in islice(csv.reader(lines, delimiter=separator), N_GUESSED) if row]
        except csv.Error:
            return []


def _lengths(content: Content, separator: str) -> list[int]:
    return [len(row) for row in _first_rows(content, separator)]


def _header(content: Content, separator: str) -> list[str]:
    """The names in the first row."""
    import pandas as pd

    with content.open() as file:
        header = pd.read_csv(file, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    return [str(name) for name in header.iloc[0]]


def _unreadable(content: Content, reason: str) -> DatasetError:
    return DatasetError(f"{content.name} could not be read as a CSV file: {reason}")


def _broken_row(content: Content, separator: str, n_names: int) -> str | None:
    """What is wrong with the first row that has more or fewer values than there are names; None if there is none."""
    for is_strict in (False, True):
        start = 1
        with content.text() as lines:
            rows = csv.reader(lines, delimiter=separator, strict=is_strict)
            try:
                for row in rows:
                    if row and len(row) != n_names and rows.line_num == start:
                        surplus = f" Its first surplus value is {short(row[n_names])}." if len(row) > n_names else ""
                        return f"line {start} has {len(row)} values, but {n_names} columns have a name.{surplus}"
                    start = rows.line_num + 1
            except csv.Error as error:
                is_open = "unexpected end" in str(error)
                return f"line {start} " + ("opens a quote that is never closed." if is_open else f"is broken: {error}.")
    return None


def _undecodable(content: Content) -> str:
    """Where the first bytes are that are not UTF-8."""
    with content.open() as file:
        data = file.read()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        return (
            f"byte {column} of line {line} (0x{data[error.start]:02x}) is not UTF-8. Save the file with that encoding; "
            "in Excel: as 'CSV UTF-8'."
        )
    return "it is not UTF-8."
