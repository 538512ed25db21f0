"""Datasets of openml.org."""

from http.client import HTTPException

from rulekit.datasets.csv_files import exact_numbers
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError, UnreachableDatasetError
from rulekit.datasets.splitting import split


def load_openml(data_id: int, *, target: str | None = None) -> Dataset:
    """A dataset of OpenML by its id, which determines the version.

    scikit-learn caches downloads, so a dataset needs a connection only once.

    Parameters
    ----------
    data_id : int
    target : str, optional
        The column of labels; by default OpenML's.
    """
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=data_id, as_frame=True, parser="pandas", read_csv_kwargs=exact_numbers())
    except (OSError, HTTPException) as error:
        raise UnreachableDatasetError(
            f"OpenML could not be reached for dataset {data_id}: {error}. Without a connection, use a CSV file "
            "instead: pass its path, or put it into the folder of folder= or RULEKIT_DATA."
        ) from error
    except ValueError as error:  # no such dataset, a damaged download, or a table that is mostly zeros
        raise DatasetError(f"OpenML's dataset {data_id} could not be loaded: {error}") from error
    details = bunch.details
    source = f"OpenML {data_id} ({details['name']}, version {details['version']})"
    target = target or _default_target(bunch.target_names, source)
    return split(bunch.frame, target, name=details["name"], source=source)


def _default_target(names: list[str], source: str) -> str:
    if len(names) != 1:
        raise DatasetError(
            f"{source} names {' and '.join(map(repr, names)) or 'no column'} as target, but one is needed. "
            "Name it with target=."
        )
    return names[0]
