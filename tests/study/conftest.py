"""The published figures, for several tests."""

import os
from pathlib import Path

import pytest

from rulekit.study.paper import Published, read_published


@pytest.fixture(scope="module")
def paper_folder(data_folder: Path) -> Path:
    """The published figures: where RULEKIT_PAPER says, or beside the benchmark datasets; elsewhere skipped."""
    named = os.environ.get("RULEKIT_PAPER")
    folder = Path(named) if named else data_folder.parent / "paper"
    if (folder / "main_rf.csv").exists():
        return folder
    if named or os.environ.get("CI"):
        pytest.fail(f"The published figures must be there in CI and where RULEKIT_PAPER points, but {folder} has none.")
    pytest.skip("needs the published figures: set RULEKIT_PAPER to their folder")


@pytest.fixture(scope="module")
def published(paper_folder: Path) -> Published:
    return read_published(paper_folder)
