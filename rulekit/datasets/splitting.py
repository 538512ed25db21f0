"""From a table to features and target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError
from rulekit.datasets.spelling import hint, listed

if TYPE_CHECKING:
    import pandas as pd


def split(table: pd.DataFrame, target: str, *, name: str, source: str) -> Dataset:
    """A dataset from a table of features and target.

    Parameters
    ----------
    table : DataFrame of shape (n_samples, n_features + 1)
    target : str
        The column of labels; every sample needs one.
    name, source : str
        Of the dataset.
    """
    table = table.set_axis(table.columns.astype(str), axis="columns").reset_index(drop=True)
    columns = table.columns.tolist()
    if target not in columns:
        raise DatasetError(
            f"{source} has no column {target!r}.{hint(target, columns)} Its columns: {listed(columns)}. "
            "Name the target column with target=."
        )
    if not table.columns.is_unique:
        raise DatasetError(f"{source} has several columns with the same name. Rename them.")
    if table.empty or len(columns) == 1:
        raise DatasetError(f"{source} has no samples or no feature: {len(table)} samples, {len(columns) - 1} features.")
    y = table[target]
    n_missing = int(y.isna().sum())
    if n_missing:
        raise DatasetError(
            f"{source}: {n_missing} of {len(y)} samples have no value in the target column {target!r}. Remove them or "
            "give them a label (empty fields and strings such as NA or None count as missing)."
        )
    return Dataset(name=name, X=table.drop(columns=target), y=y, source=source)
