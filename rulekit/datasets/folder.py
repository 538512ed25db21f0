"""Datasets in a folder of CSV files."""

import os
from pathlib import Path

from rulekit.datasets.bundled import BUNDLED
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError, UnknownDatasetError
from rulekit.datasets.reading import Reading
from rulekit.datasets.spelling import hint, listed
from rulekit.datasets.splitting import split
from rulekit.datasets.tables import read_table

VARIABLE = "RULEKIT_DATA"

#: Type of the argument `folder` of every function here.
Folder = str | os.PathLike[str] | None


def names(folder: Folder = None) -> list[str]:
    """Names of the datasets in a folder, sorted: its files `<name>.csv`.

    Parameters
    ----------
    folder : path, optional
        By default that of the environment variable RULEKIT_DATA.
    """
    return sorted(path.stem for path in find_folder(folder).glob("*.csv"))


def find_folder(folder: Folder = None) -> Path:
    """The given folder, or that of RULEKIT_DATA; raise if it does not exist."""
    named = os.environ.get(VARIABLE)
    if folder is None and not named:
        raise DatasetError(
            f"No folder of datasets given. Pass folder=, or set the environment variable {VARIABLE} to a folder of "
            "CSV files."
        )
    path, how = (Path(named or ""), VARIABLE) if folder is None else (Path(folder), "folder=")
    if not path.expanduser().is_dir():
        raise DatasetError(f"Folder not found: {path}, given by {how}.")
    return path.expanduser()


def load_from_folder(
    name: str, folder: Folder = None, *, target: str | None = None, reading: Reading | None = None
) -> Dataset:
    """The dataset `<name>.csv` in a folder.

    Parameters
    ----------
    name : str
    folder : path, optional
        By default that of RULEKIT_DATA.
    target : str, default="target"
        The column of labels.
    reading : Reading, optional
        What the file does not say itself.
    """
    bundled = f" scikit-learn has one of this name: 'sklearn:{name}'." if name in BUNDLED else ""
    try:
        path = find_folder(folder)
    except DatasetError as error:
        raise DatasetError(f"{name!r} names a dataset in a folder. {error}{bundled}") from None
    known = names(path)
    if name not in known:
        raise UnknownDatasetError(
            f"There is no {name}.csv in {path}.{hint(name, known)}{bundled} Datasets there: {listed(known)}."
        )
    file = path / f"{name}.csv"
    target = target or "target"
    return split(read_table(file, target, reading), target, name=name, source=str(file))
