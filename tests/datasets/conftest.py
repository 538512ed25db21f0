"""A small folder of datasets, and OpenML as it answers over the network."""

from pathlib import Path

import pytest
from datasets.made_up import Answers, write_tables


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
