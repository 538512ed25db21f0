"""Loading a dataset of the published study."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from rulekit.core.messages import warn_caller
from rulekit.datasets.checking import RATIO, check_published, find_published
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import (
    PublishedMismatchError,
    PublishedMismatchWarning,
    UnknownDatasetError,
    UnreachableDatasetError,
)
from rulekit.datasets.folder import VARIABLE, Folder, find_folder, load_from_folder, names
from rulekit.datasets.openml import load_openml

if TYPE_CHECKING:
    from rulekit.datasets.published import PublishedDataset


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
    return load_from_folder(published.name, folder)


def _from_openml(published: PublishedDataset, folder: Folder) -> Dataset:
    way = _way(published, folder)
    if published.openml is None:
        raise UnknownDatasetError(
            f"{published.name!r} has no id at OpenML that is known to be the published data. {way}"
        )
    try:
        dataset = load_openml(published.openml)
    except UnreachableDatasetError as error:
        raise UnreachableDatasetError(
            f"{published.name!r} could not be had from OpenML, id {published.openml}: {error.__cause__}. {way}"
        ) from error
    return attrs.evolve(prepared(dataset, published), name=published.name)


def _way(published: PublishedDataset, folder: Folder) -> str:
    """How to get a dataset without OpenML."""
    file = f"{published.name}.csv"
    columns = f"{published.n_samples} samples, {published.n_features} features and a column target"
    if folder is None and not os.environ.get(VARIABLE):
        return f"Put {file}, with {columns}, into a folder, and pass folder= or set {VARIABLE}."
    return f"There is no {file} in {find_folder(folder)}: put it there, with {columns}."


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
        warn_caller(f"{found} {published.doubt}", PublishedMismatchWarning)
        return
    raise PublishedMismatchError(f"{found} To use it all the same, load it with rulekit.datasets.load.")
