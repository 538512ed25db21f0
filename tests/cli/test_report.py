"""rulekit report."""

import json
from pathlib import Path

import pytest
from cli.terminal import QUICK, run

import rulekit


@pytest.fixture
def rules(data, tmp_path) -> Path:
    path = tmp_path / "rules.json"
    assert run("extract", data, "--target", "species", "--out", path, *QUICK, RULEKIT_ENGINE="numpy").exit_code == 0
    return path


def test_writes_what_python_writes(rules, data, table, tmp_path):
    out = tmp_path / "rules.html"
    result = run("report", rules, data, "--target", "species", "--out", out, "--title", "Iris", "--examples", 2)
    ruleset = rulekit.RuleSet.from_dict(json.loads(rules.read_text()))
    assert (result.exit_code, result.stdout) == (0, f"Wrote a page about {len(ruleset)} rules to {out}.\n")
    X, y = table.drop(columns="species"), table["species"].to_numpy()
    ruleset.report(tmp_path / "python.html", X, y, name="rules", title="Iris", n_examples=2)
    assert out.read_text() == (tmp_path / "python.html").read_text()


def test_shows_others_beside_them_and_ignores_other_columns(rules, table, written, tmp_path):
    other = tmp_path / "rc+.json"
    other.write_text(rules.read_text())
    data = written(table[table.columns[::-1]].assign(note="x"), "more.csv")
    out = tmp_path / "rules.html"
    assert run("report", rules, data, "--target", "species", "--compare", other, "--out", out).exit_code == 0
    assert "Rules: rc+" in out.read_text()


def test_does_not_overwrite_a_file(rules, data, tmp_path):
    out = tmp_path / "mine.html"
    out.write_text("mine")
    result = run("report", rules, data, "--target", "species", "--out", out)
    assert (result.exit_code, "already exists" in result.stderr) == (2, True)
    assert run("report", rules, data, "--target", "species", "--out", out, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("change", "target", "complaint"),
    [
        (lambda table: table, "kind", "has no column 'kind'"),
        (lambda table: table, "petal_width", "The target 'petal_width' is a feature of the rules."),
        (
            lambda table: table.drop(columns="petal_width"),
            "species",
            "lacks columns that the rules use: 'petal_width'",
        ),
        (
            lambda table: table.replace("setosa", "rose"),
            "species",
            "classes that the rules do not know: 'rose'. They know:",
        ),
    ],
)
def test_says_what_is_wrong(rules, table, written, tmp_path, change, target, complaint):
    data = written(change(table), "changed.csv")
    result = run("report", rules, data, "--target", target, "--out", tmp_path / "x.html")
    assert (result.exit_code, complaint in result.stderr) == (2, True), result.stderr


def test_two_files_of_one_name(rules, data, tmp_path):
    result = run("report", rules, data, "--target", "species", "--compare", rules, "--out", tmp_path / "x.html")
    assert (result.exit_code, "Two rules files are called 'rules'" in result.stderr) == (2, True)
