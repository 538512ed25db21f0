"""What several tests need: the folder of benchmark datasets and a few small models."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import Phase, settings

import rulekit

# For `.ci/mutants`, which asks whether a test fails, not for the smallest input that makes it fail.
settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], derandomize=True, database=None)

BESIDE_THE_PROJECT = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark datasets: where RULEKIT_DATA says, or beside the project; elsewhere the test is skipped."""
    named = os.environ.get("RULEKIT_DATA")
    folder = Path(named) if named else BESIDE_THE_PROJECT
    if (folder / "cryotherapy.csv").exists():
        return folder
    if named or os.environ.get("CI"):
        pytest.fail(f"The benchmark datasets must be there in CI and where RULEKIT_DATA points, but {folder} has none.")
    pytest.skip("needs the benchmark datasets: set RULEKIT_DATA to their folder")


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
