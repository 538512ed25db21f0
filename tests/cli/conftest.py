"""Files that the commands read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
import skops.io
from cli.terminal import iris_table
from sklearn.ensemble import RandomForestClassifier


@pytest.fixture
def table() -> pd.DataFrame:
    """A small table with the target `species`."""
    return iris_table()


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes a table as CSV and gives its path."""

    def write(table: pd.DataFrame, name: str = "data.csv", **options: Any) -> Path:
        path = tmp_path / name
        table.to_csv(path, **{"index": False, **options})
        return path

    return write


@pytest.fixture
def data(table: pd.DataFrame, written: Callable[..., Path]) -> Path:
    """The small table in a CSV file."""
    return written(table)


@pytest.fixture
def forest(table: pd.DataFrame) -> RandomForestClassifier:
    """A forest trained on the small table."""
    return RandomForestClassifier(3, max_depth=2, random_state=0).fit(table.drop(columns="species"), table["species"])


@pytest.fixture
def saved(forest: RandomForestClassifier, tmp_path: Path) -> Path:
    """The forest in a skops file."""
    path = tmp_path / "model.skops"
    skops.io.dump(forest, path)
    return path


@pytest.fixture
def pickled(forest: RandomForestClassifier, tmp_path: Path) -> Path:
    """The forest in a joblib file."""
    path = tmp_path / "model.joblib"
    joblib.dump(forest, path)
    return path
