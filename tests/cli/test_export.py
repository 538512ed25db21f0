"""rulekit export."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli.terminal import QUICK, run
from ruleset.handmade import handmade

from rulekit.export import to_c, to_python, to_sql


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    handmade().export(path)
    return path


def test_writes_to_the_standard_output(rules):
    assert run("export", rules, "--to", "python").stdout == to_python(handmade())
    assert run("export", rules, "--to", "python", "--out", "-").stdout == to_python(handmade())


def test_the_ending_of_the_file_names_the_format(rules, tmp_path):
    result = run("export", rules, "--out", tmp_path / "rules.c")
    assert (result.exit_code, result.stdout) == (0, f"Wrote 3 rules to {tmp_path / 'rules.c'}.\n")
    assert (tmp_path / "rules.c").read_text() == to_c(handmade())


def test_options_of_the_format_are_set(rules):
    options = ("--set", "table=p q", "--set", "keep=id", "--set", "keep=a, b")
    shown = run("export", rules, "--to", "sql", *options).stdout
    assert shown == to_sql(handmade(), table="p q", keep=["id", "a, b"])


def test_binary_formats_go_through_a_pipe(rules):
    assert run("export", rules, "--to", "excel").stdout_bytes.startswith(b"PK")


def test_what_extract_wrote_is_exported_and_runs(data, table, tmp_path):
    """From a table to rules to SQL: the whole way, and the query answers for the table."""
    rules = tmp_path / "rules.json"
    assert run("extract", data, "--target", "species", "--out", rules, *QUICK, RULEKIT_ENGINE="numpy").exit_code == 0
    query = run("export", rules, "--to", "sql", "--set", "keep=species").stdout
    with closing(sqlite3.connect(":memory:")) as connection:
        table.to_sql("samples", connection, index=False)
        answers = connection.execute(query).fetchall()
    assert sum(answer[0] == answer[2] for answer in answers) > 0.8 * len(table)


def test_does_not_overwrite_a_file(rules, tmp_path):
    (tmp_path / "rules.py").write_text("mine")
    result = run("export", rules, "--out", tmp_path / "rules.py")
    assert (result.exit_code, "exists already" in result.stderr) == (2, True)
    assert run("export", rules, "--out", tmp_path / "rules.py", "--force").exit_code == 0
    assert (tmp_path / "rules.py").read_text() == to_python(handmade())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "Say what to write: --to FORMAT, or --out FILE with an ending that names one."),
        (("--to", "java"), "There is no format 'java'. Known: json (.json), python (.py), sql (.sql)"),
        (("--out", "rules.docx"), "The ending of 'rules.docx' names no format. Known: json (.json)"),
        (("--to", "sql", "--set", "tabel=x"), "the format 'sql' has no such option. It takes: table=…, keep=…"),
        (("--to", "csv", "--set", "table=x"), "the format 'csv' has no such option. It takes: no options."),
        (("--to", "sql", "--set", "table=x", "--set", "table=y"), "--set gives table twice."),
        (("--to", "c", "--set", "name=1"), "name must begin C's names"),
    ],
)
def test_says_what_is_wrong(rules, arguments, complaint):
    result = run("export", rules, *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_a_file_that_is_not_there(tmp_path):
    result = run("export", tmp_path / "rules.json", "--to", "sql")
    assert (result.exit_code, result.stderr) == (2, f"Error: There is no file {tmp_path / 'rules.json'}.\n")


@pytest.mark.parametrize(("text", "complaint"), [("{", "is not a JSON file"), ("{}", "This is not a ruleset")])
def test_a_file_without_rules(text, complaint, tmp_path):
    (tmp_path / "rules.json").write_text(text)
    result = run("export", tmp_path / "rules.json", "--to", "sql")
    assert (result.exit_code, complaint in result.stderr) == (2, True)
