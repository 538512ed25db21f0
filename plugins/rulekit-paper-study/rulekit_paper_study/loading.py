"""Whether a dataset is the one that the published study describes, and loading that one."""

from __future__ import annotations

import os
import warnings
from difflib import get_close_matches
from pathlib import Path

import attrs

from rulekit.datasets import Dataset, DatasetError, UnknownDatasetError, UnreachableDatasetError, load, names
from rulekit_paper_study.datasets import PUBLISHED, PublishedDataset

RATIO = "class ratio"
#: Names the folder of datasets, as for `rulekit.datasets`.
VARIABLE = "RULEKIT_DATA"

#: How every function here is told the folder.
Folder = str | os.PathLike[str] | None


class PublishedMismatchError(DatasetError):
    """A dataset is not the one that the published study describes."""


class PublishedMismatchWarning(UserWarning):
    """A dataset differs from the published table in a way that is known."""


@attrs.frozen
class Difference:
    """One way in which a dataset is not as published.

    Attributes
    ----------
    what : {"samples", "features", "classes", "class ratio"}
    found, published : float
    """

    what: str
    found: float
    published: float

    def __str__(self) -> str:
        return f"{self.what}: {_readable(self.found)}, published {_readable(self.published)}"


def check_published(dataset: Dataset, name: str | None = None) -> tuple[Difference, ...]:
    """Compare a dataset's shape and class ratio with the published table.

    Parameters
    ----------
    dataset : Dataset
    name : str, optional
        Which row of the table; by default the one of the dataset's own name.

    Returns
    -------
    differences : tuple of Difference
        Empty if there are none. Labels are not compared: their coding is arbitrary.
    """
    published = find_published(dataset.name if name is None else name)
    counts = list(dataset.class_counts.values())
    compared = (
        Difference("samples", dataset.n_samples, published.n_samples),
        Difference("features", dataset.n_features, published.n_features),
        Difference("classes", len(counts), published.n_classes),
        Difference(RATIO, round(max(counts) / min(counts), 2), published.ratio),
    )
    return tuple(each for each in compared if each.found != each.published)


def find_published(name: str) -> PublishedDataset:
    """The row of the published table for a dataset; raise if there is none."""
    if name not in PUBLISHED:
        nearest = get_close_matches(name.casefold(), PUBLISHED, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownDatasetError(f"No published dataset is named {name!r}.{hint} Published: {', '.join(PUBLISHED)}.")
    return PUBLISHED[name]


def _readable(number: float) -> str:
    return f"{number:.2f}" if isinstance(number, float) else str(number)


def load_published(name: str, folder: Folder = None) -> Dataset:
    """Load a dataset of the published study, and see that it is the one described there.

    It comes from the folder if it is there, else from OpenML.

    Parameters
    ----------
    name : str
        One of `PUBLISHED`.
    folder : path, optional
        Folder of CSV files; by default the one that the environment variable RULEKIT_DATA names, if it is set.

    Raises
    ------
    PublishedMismatchError
        If the data is not the published one.

    Warns
    -----
    PublishedMismatchWarning
        If the data differs from the table as it is known to: `credit` has another class ratio.
    """
    published = find_published(name)
    dataset = _from_folder(published, folder) or _from_openml(published, folder)
    _compare(dataset, published)
    return dataset


def _from_folder(published: PublishedDataset, folder: Folder) -> Dataset | None:
    if folder is None and not os.environ.get(VARIABLE):
        return None
    if published.name not in names(folder):
        return None
    return load(published.name, folder)


def _from_openml(published: PublishedDataset, folder: Folder) -> Dataset:
    way = _way(published, folder)
    if published.openml is None:
        raise UnknownDatasetError(
            f"{published.name!r} has no id at OpenML that is known to be the published data. {way}"
        )
    try:
        dataset = load(f"openml:{published.openml}")
    except UnreachableDatasetError as error:
        raise UnreachableDatasetError(
            f"{published.name!r} could not be had from OpenML, id {published.openml}: {error.__cause__}. {way}"
        ) from error
    return attrs.evolve(prepared(dataset, published), name=published.name)


def _way(published: PublishedDataset, folder: Folder) -> str:
    """How to get a dataset without OpenML."""
    file = f"{published.name}.csv"
    columns = f"{published.n_samples} samples, {published.n_features} features and a column target"
    where = folder or os.environ.get(VARIABLE)
    if where is None:
        return f"Put {file}, with {columns}, into a folder, and pass folder= or set {VARIABLE}."
    return f"There is no {file} in {Path(where).expanduser()}: put it there, with {columns}."


def prepared(dataset: Dataset, published: PublishedDataset) -> Dataset:
    """A dataset of OpenML without the samples that are not among the published ones.

    Parameters
    ----------
    dataset : Dataset
    published : PublishedDataset
    """
    is_complete = dataset.X.notna().all(axis="columns")
    kept = is_complete if published.drops_missing else is_complete | True
    counts = dataset.y[kept].value_counts()
    kept &= dataset.y.isin(counts.index[counts >= published.smallest_class])
    n_dropped = int((~kept).sum())
    if not n_dropped:
        return dataset
    return attrs.evolve(
        dataset,
        X=dataset.X[kept].reset_index(drop=True),
        y=dataset.y[kept].reset_index(drop=True),
        source=f"{dataset.source}, without {n_dropped} samples that the published study leaves out",
    )


def _compare(dataset: Dataset, published: PublishedDataset) -> None:
    differences = check_published(dataset, published.name)
    if not differences:
        return
    found = f"{dataset.source} is not {published.name!r} as published. {'; '.join(map(str, differences))}."
    if published.doubt and all(each.what == RATIO for each in differences):
        warnings.warn(f"{found} {published.doubt}", PublishedMismatchWarning, stacklevel=3)
        return
    raise PublishedMismatchError(f"{found} To use it all the same, load it with rulekit.datasets.load.")
