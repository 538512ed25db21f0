"""Reading a table from a CSV or Parquet file."""

from __future__ import annotations

import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.datasets.errors import DatasetError, UnknownDatasetError
from rulekit.datasets.labels import Labels, typed
from rulekit.datasets.spelling import hint

if TYPE_CHECKING:
    import pandas as pd

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt")
PARQUET_ENDINGS = (".parquet", ".pq")
ENDINGS = (*CSV_ENDINGS, *PARQUET_ENDINGS)


def is_table(spec: str) -> bool:
    """Whether a string is the name of a file that can be read, judging by its suffix."""
    return spec.lower().endswith(ENDINGS)


def read_table(path: Path, separator: str = ",", *, target: str | None = None, labels: Labels = "auto") -> pd.DataFrame:
    """The table in a file, whose format is known by its suffix; raise unless columns have unique names.

    Parameters
    ----------
    path : Path
        A CSV file with a row of names, or a Parquet file.
    separator : str, default=","
        Separator of the values in a CSV file; a `.tsv` file is always read with tabs.
    target : str, optional
        The column of labels, if there is one: in a CSV file, different strings in it stay different labels.
    labels : {"auto", "string"}, default="auto"
        Whether labels of a CSV file become numbers or booleans where that merges none of them (0, 1, …), or all
        labels are strings.
    """
    if labels not in get_args(Labels):
        raise InvalidParameterError(f"labels must be one of 'auto', 'string', got {labels!r}.")
    if not path.is_file():
        beside = (each.name for each in path.parent.glob("*") if is_table(each.name))
        raise UnknownDatasetError(f"File not found: {path}.{hint(path.name, beside)}")
    if not is_table(path.name):
        raise DatasetError(
            f"The file format of {path} is not supported; its name should end in one of {', '.join(ENDINGS)}."
        )
    name = path.name.lower()
    if name.endswith(PARQUET_ENDINGS):
        table = _read_parquet(path)
    else:
        table = _read_csv(path, "\t" if name.endswith(".tsv") else separator, target)
        if target in table.columns and labels == "auto":
            table[target] = typed(table[target])
    if target in table.columns and labels == "string":
        table[target] = table[target].map(str, na_action="ignore")
    return table


def exact_numbers() -> dict[str, Any]:
    """Arguments with which `pandas.read_csv` reads each number as the nearest float64.

    Before 3.1, pandas may be off in the last digit by default; from 3.1 it never is, and warns of the argument.
    """
    import pandas as pd

    major, minor = (int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if (major, minor) < (3, 1) else {}


def _read_csv(path: Path, separator: str, target: str | None) -> pd.DataFrame:
    import pandas as pd

    try:
        header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
        _check_names(path, [str(name) for name in header.iloc[0]])
        with warnings.catch_warnings():
            # Rows longer than the header: pandas would drop the additional values.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # In pieces (low_memory), a column may be read as numbers in one and as strings in the next.
            options = {"index_col": False, "low_memory": False, **exact_numbers()}
            # As numbers, "01" and "1" would be one label.
            return pd.read_csv(path, sep=separator, dtype=None if target is None else {target: str}, **options)
    except pd.errors.ParserWarning as error:
        raise DatasetError(f"{path} has rows with more values than its first row has names.") from error
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} could not be read as a CSV file: {error}") from error


def _check_names(path: Path, names: list[str]) -> None:
    """Raise for columns without a name or with the same name: pandas would invent names."""
    unnamed = [str(position) for position, name in enumerate(names, start=1) if not name.strip()]
    if unnamed:
        raise DatasetError(
            f"{path} has columns without a name, at position {', '.join(unnamed)}. If that is a column of row numbers, "
            "write the file without it (in pandas: to_csv(index=False)); otherwise give it a name."
        )
    repeated = [repr(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DatasetError(
            f"{path} has several columns called {', '.join(repeated)}. Rename them, so that rules are unambiguous."
        )


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    if find_spec("pyarrow") is None:
        raise MissingExtraError(
            f"Reading {path} needs pyarrow, which is not installed: pip install 'rulekit-rcprob[parquet]'."
        )
    try:
        table = pd.read_parquet(path, engine="pyarrow")
    except ValueError as error:  # pyarrow's own error is one
        raise DatasetError(f"{path} could not be read as a Parquet file: {error}") from error
    # A named index is one of the columns; an unnamed one has only row numbers.
    return table.reset_index(drop=all(name is None for name in table.index.names))
