"""Loading a dataset from any source."""

import os
from collections.abc import Iterable
from pathlib import Path

from rulekit.datasets.bundled import load_bundled
from rulekit.datasets.content import is_table
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError, UnknownDatasetError
from rulekit.datasets.folder import Folder, load_from_folder
from rulekit.datasets.labels import Labels
from rulekit.datasets.openml import load_openml
from rulekit.datasets.reading import Reading
from rulekit.datasets.spelling import hint
from rulekit.datasets.splitting import split
from rulekit.datasets.tables import read_table

OPENML, SKLEARN = "openml", "sklearn"


def load(
    spec: str | os.PathLike[str],
    folder: Folder = None,
    *,
    target: str | None = None,
    labels: Labels = "auto",
    separator: str | None = None,
    missing: Iterable[str] = (),
    columns: Iterable[str] | None = None,
) -> Dataset:
    """Load a dataset.

    Parameters
    ----------
    spec : str or path
        - `"pima"`: the file `pima.csv` in the folder;
        - `"openml:37"`: a dataset of OpenML by its id;
        - `"sklearn:iris"`: one that comes with scikit-learn: breast-cancer, digits, iris, wine;
        - `"patients.csv"`, `"patients.parquet"`, `"patients.xlsx"`: your own file, by its path.
    folder : path, optional
        Folder of CSV files; by default that of the environment variable RULEKIT_DATA.
    target : str, optional
        The column of labels; by default `target`, or the one that OpenML names.
    labels : {"auto", "string"}, default="auto"
        Labels of a CSV file become numbers or booleans where that merges none of them: "0" and "1" do, "01" and "1",
        or "1" and "1.0", stay strings. "string" keeps all labels of a file as strings.
    separator : str, optional
        Separator of the values in a CSV file; by default it is guessed, with a warning if it is not the comma.
    missing : iterable of str, optional
        Strings that stand for a missing value in a file, such as "?".
    columns : iterable of str, optional
        Names of the columns of a file without a row of names.

    Returns
    -------
    dataset : Dataset
        Categories, strings and missing values as in the source.

    Examples
    --------
    >>> from rulekit.datasets import load
    >>> wine = load("sklearn:wine")
    >>> wine.n_samples, wine.n_features, wine.y.unique().tolist()
    (178, 13, ['class_0', 'class_1', 'class_2'])
    """
    name = os.fspath(spec)
    reading = Reading(separator, missing, columns, labels)
    if is_table(name):
        path = Path(name).expanduser()
        target = target or "target"
        return split(read_table(path, target, reading), target, name=path.stem, source=str(path))
    scheme, colon, rest = name.partition(":")
    if not colon:
        return load_from_folder(_plain(name), folder, target=target, reading=reading)
    if scheme == SKLEARN:
        return load_bundled(rest, target=target)
    if scheme == OPENML:
        return load_openml(_data_id(rest), target=target)
    raise UnknownDatasetError(f"{name!r} has an unknown source of datasets.{hint(scheme, (OPENML, SKLEARN))} {_FORMS}")


_FORMS = (
    "A dataset is a name in the folder, 'openml:<id>', 'sklearn:<name>', or the path of a file that ends in .csv, "
    ".parquet or .xlsx."
)


def _plain(name: str) -> str:
    if not name or Path(name).name != name:
        raise UnknownDatasetError(f"{name!r} is not the name of a dataset. {_FORMS}")
    return name


def _data_id(data_id: str) -> int:
    # OpenML's names are ambiguous: they have several versions.
    if not (data_id.isascii() and data_id.isdigit()):
        raise DatasetError(f"OpenML's datasets are loaded by id, such as 'openml:37'; got 'openml:{data_id}'.")
    return int(data_id)
