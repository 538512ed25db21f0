"""The progress that `run_study` shows by itself."""

import io
import sys

import pytest
from rich.console import Console
from study.made_up import small_study, write_tables

from rulekit.study import Ensemble, Variant, progress, run_study
from rulekit.study.errors import StudyError
from rulekit.study.progress import Bar, Lines, is_interactive, progress_on


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = write_tables(tmp_path_factory.mktemp("tables"))
    ensembles = [Ensemble("rf", parameters={"n_estimators": 2})]
    return small_study(folder, datasets=["one"], variants=[Variant("rc+")], ensembles=ensembles)


def test_is_not_shown_where_nobody_watches(study, tmp_path, capsys):
    run_study(study, tmp_path / "study.sqlite", n_jobs=1)
    assert capsys.readouterr() == ("", "")


def test_is_a_line_for_each_cell_in_a_pipe(study, tmp_path, capsys):
    run_study(study, tmp_path / "study.sqlite", n_jobs=1, progress=True)
    out, err = capsys.readouterr()
    first, *lines = err.splitlines()
    assert (out, first, len(lines)) == ("", "4 cells; 1 at a time.", 4)
    assert lines[0].startswith("[1/4] one, rf, ensemble, repeat 1, fold 1: done in ")


def test_beside_a_watcher_is_an_error(study, tmp_path):
    with pytest.raises(StudyError, match="progress=True and a watcher: give one of them"):
        run_study(study, tmp_path / "study.sqlite", watcher=Lines(Console()), progress=True)


@pytest.mark.parametrize(
    ("options", "is_session", "expected"),
    [
        ({"force_jupyter": True}, False, True),
        ({"force_terminal": True}, True, True),
        ({"force_terminal": True}, False, False),
        ({"force_terminal": False}, True, False),
    ],
    ids=["notebook", "session", "script", "session into a file"],
)
def test_is_shown_by_default_to_somebody_who_watches(options, is_session, expected, monkeypatch):
    monkeypatch.delattr(sys, "ps1", raising=False)
    if is_session:
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert is_interactive(Console(file=io.StringIO(), **options)) is expected


@pytest.mark.parametrize(("has_widgets", "expected"), [(True, Bar), (False, Lines)])
def test_is_a_bar_in_a_notebook_that_can_redraw_it(has_widgets, expected, monkeypatch):
    """Without ipywidgets rich shows no bar at all, and warns."""
    monkeypatch.setattr(progress, "find_spec", lambda name: object() if has_widgets else None)
    monkeypatch.setattr("rich.live.Live.start", lambda *_, **__: None)
    monkeypatch.setattr("rich.live.Live.stop", lambda *_: None)
    with progress_on(Console(force_jupyter=True)) as watcher:
        assert type(watcher) is expected
