"""rulekit new-plugin."""

import pytest
from cli.terminal import run, text

from rulekit.plugin.kinds import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_plugin_is_written_and_the_next_steps_are_named(kind, tmp_path):
    done = run("new-plugin", "rulekit-shy", "--kind", kind, "--folder", tmp_path)
    assert done.exit_code == 0
    target = tmp_path / "rulekit-shy"
    lines = done.stdout.splitlines()
    assert lines[0] == f"Wrote {target}, a distribution with a working {KINDS[kind]}:"
    shown = {line.strip() for line in lines}
    assert {str(path) for path in target.rglob("*") if path.is_file()} <= shown
    assert lines[-2:] == [f'  pip install -e "{target}[test]"', f'  pytest "{target}"']


def test_without_a_folder_it_is_written_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("new-plugin", "rulekit-shy", "--kind", "cover").exit_code == 0
    assert (tmp_path / "rulekit-shy" / "rulekit_shy.py").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Shy", "--kind", "cover"], "got 'Shy'. Try rulekit-shy."),
        (["rulekit-shy", "--kind", "covers"], "No kind of component named 'covers'. Did you mean 'cover'?"),
        (["rulekit-mean", "--kind", "priors"], "There is already a prior combiner named 'mean', from rulekit-rcprob"),
        (["rulekit-shy", "--kind", "cover", "--folder", "no/where"], "There is no folder no/where. Create it"),
    ],
)
def test_what_cannot_be_written_is_said_in_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("new-plugin", *arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    first = run("new-plugin", "rulekit-shy", "--kind", "cover", "--folder", tmp_path)
    before = (tmp_path / "rulekit-shy" / "rulekit_shy.py").read_text()
    again = run("new-plugin", "rulekit-shy", "--kind", "method", "--folder", tmp_path)
    assert (first.exit_code, again.exit_code) == (0, 2)
    assert "already exists and is not overwritten" in again.stderr
    assert (tmp_path / "rulekit-shy" / "rulekit_shy.py").read_text() == before


def test_the_kind_must_be_said():
    done = run("new-plugin", "rulekit-shy")
    assert done.exit_code == 2
    assert "Missing option '--kind'" in text(done.stderr)


def test_the_help_names_every_kind():
    shown = text(run("new-plugin", "--help").stdout)
    assert all(kind in shown for kind in KINDS)
