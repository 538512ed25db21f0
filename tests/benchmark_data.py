"""Where the benchmark datasets are, for the tests of rulekit and of its plugins."""

import os
from pathlib import Path

import pytest

BESIDE_THE_PROJECT = Path(__file__).parents[2] / "shared" / "data"


def find_data_folder() -> Path:
    """The benchmark datasets: where RULEKIT_DATA says, or beside the project; elsewhere the test is skipped."""
    named = os.environ.get("RULEKIT_DATA")
    folder = Path(named) if named else BESIDE_THE_PROJECT
    if (folder / "cryotherapy.csv").exists():
        return folder
    if named or os.environ.get("CI"):
        pytest.fail(f"The benchmark datasets must be there in CI and where RULEKIT_DATA points, but {folder} has none.")
    pytest.skip("needs the benchmark datasets: set RULEKIT_DATA to their folder")


def find_mixed_folder() -> Path:
    """The tables with strings, missing values and rare classes, beside the benchmark datasets."""
    folder = find_data_folder().parent / "mixed"
    if not (folder / "mammography.csv").exists():
        pytest.skip(f"needs the tables with strings and rare classes in {folder}")
    return folder
