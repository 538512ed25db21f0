"""What several tests need: the folder of benchmark datasets and a few small models."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from benchmark_data import find_data_folder
from hypothesis import Phase, settings

import rulekit

# Without it, each of the many processes that tests start would compile the whole package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# For `.ci/mutants`, which asks whether a test fails, not for the smallest input that makes it fail.
settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], derandomize=True, database=None)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark datasets."""
    return find_data_folder()


@pytest.fixture(scope="session")
def load(data_folder: Path) -> Callable[[str], tuple[pd.DataFrame, pd.Series]]:
    """Reads a dataset by name as (X, y)."""

    def read(name: str) -> tuple[pd.DataFrame, pd.Series]:
        table = pd.read_csv(data_folder / f"{name}.csv")
        return table.drop(columns="target"), table["target"]

    return read


@pytest.fixture(scope="module", params=["numpy", "numba"])
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a test once with each engine."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="needs numba: pip install 'rulekit-rcprob[fast]'")
    with rulekit.using_engine(request.param):
        yield request.param
