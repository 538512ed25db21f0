"""One door to all datasets."""

import os
from pathlib import Path

from rulekit.datasets.bundled import load_bundled
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError, UnknownDatasetError
from rulekit.datasets.folder import Folder, load_from_folder
from rulekit.datasets.openml import load_openml
from rulekit.datasets.spelling import hint
from rulekit.datasets.splitting import split
from rulekit.datasets.tables import is_table, read_table

OPENML, SKLEARN = "openml", "sklearn"


def load(spec: str | os.PathLike[str], folder: Folder = None, *, target: str | None = None) -> Dataset:
    """Load a dataset.

    Parameters
    ----------
    spec : str or path
        - `"pima"`: the file `pima.csv` in the folder;
        - `"openml:37"`: a dataset of OpenML by its id;
        - `"sklearn:iris"`: one that comes with scikit-learn: breast-cancer, digits, iris, wine;
        - `"patients.csv"`, `"patients.parquet"`: a file of your own, by its path.
    folder : path, optional
        Folder of CSV files; by default the one that the environment variable RULEKIT_DATA names.
    target : str, optional
        The column of labels; by default `target`, or the one that OpenML names.

    Returns
    -------
    dataset : Dataset
        Categories, texts and missing values as the source has them.

    Examples
    --------
    >>> from rulekit.datasets import load
    >>> wine = load("sklearn:wine")
    >>> wine.n_samples, wine.n_features, wine.y.unique().tolist()
    (178, 13, ['class_0', 'class_1', 'class_2'])
    """
    text = os.fspath(spec)
    if is_table(text):
        path = Path(text).expanduser()
        return split(read_table(path), target or "target", name=path.stem, source=str(path))
    scheme, colon, name = text.partition(":")
    if not colon:
        return load_from_folder(_plain(text), folder, target=target)
    if scheme == SKLEARN:
        return load_bundled(name, target=target)
    if scheme == OPENML:
        return load_openml(_data_id(name), target=target)
    raise UnknownDatasetError(
        f"{text!r} names no source of datasets that is known.{hint(scheme, (OPENML, SKLEARN))} {_FORMS}"
    )


_FORMS = (
    "A dataset is a name in the folder, 'openml:<id>', 'sklearn:<name>', or the path of a file that ends in .csv or "
    ".parquet."
)


def _plain(name: str) -> str:
    if not name or Path(name).name != name:
        raise UnknownDatasetError(f"{name!r} is not the name of a dataset. {_FORMS}")
    return name


def _data_id(text: str) -> int:
    # OpenML's names do not say which version is meant.
    if not (text.isascii() and text.isdigit()):
        raise DatasetError(f"OpenML's datasets are asked for by their id, as in 'openml:37'; got 'openml:{text}'.")
    return int(text)
