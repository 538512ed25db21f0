"""The benchmark datasets, the published figures, and what stands for OpenML."""

import os
from pathlib import Path

import pytest
from benchmark_data import find_data_folder
from datasets.made_up import Answers, write_tables
from rulekit_paper_study.published import Published, read_published


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark datasets."""
    return find_data_folder()


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two datasets and a file that is none."""
    return write_tables(tmp_path / "tables")


@pytest.fixture
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RULEKIT_DATA", raising=False)


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """OpenML as it answers over the network, with one dataset, 41."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "downloads"))
    answers = Answers()
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", answers.open)
    return answers
