"""rulekit export."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli.terminal import QUICK, run
from plugin.isolation import registry_put_back
from ruleset.handmade import handmade

import rulekit
from rulekit.core.interfaces import Exporter
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
    assert (result.exit_code, "already exists" in result.stderr) == (2, True)
    assert run("export", rules, "--out", tmp_path / "rules.py", "--force").exit_code == 0
    assert (tmp_path / "rules.py").read_text() == to_python(handmade())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "No format given: use --to FORMAT, or --out FILE with the suffix of a format."),
        (("--to", "java"), "No export format named 'java'. Known: c, csv, excel, json, onnx, pmml, python, sql"),
        (("--out", "rules.docx"), "No export format has the suffix of 'rules.docx'. Known: json (.json)"),
        (
            ("--to", "sql", "--set", "tabel=x"),
            "The format 'sql' has no option 'tabel'. Did you mean 'table'? Its options: table, keep, columns.",
        ),
        (("--to", "csv", "--set", "table=x"), "The format 'csv' has no option 'table'. Its options: none."),
        (("--to", "sql", "--set", "table=x", "--set", "table=y"), "--set table is given twice."),
        (("--to", "sql", "--set", "table"), "--set takes NAME=VALUE, such as table=patients; got 'table'."),
        (("--to", "jsn"), "No export format named 'jsn'. Did you mean 'json'?"),
        (("--to", "c", "--set", "name=1"), "name must be a prefix of C identifiers"),
    ],
)
def test_says_what_is_wrong(rules, arguments, complaint):
    result = run("export", rules, *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


class Sentences(Exporter):
    """One sentence per rule."""

    suffix = ".txt"

    def __init__(self, mark=".", repeat=1, loud=False, scale=1.0, only=()):
        self.mark = mark
        self.repeat = repeat
        self.loud = loud
        self.scale = scale
        self.only = only

    def export(self, ruleset):
        lines = [f"{rule}{self.mark * self.repeat}" for rule in ruleset if not self.only or rule.label in self.only]
        return repr((lines, self.loud, self.scale)).encode()


class TestARegisteredFormat:
    @pytest.fixture(autouse=True)
    def registered(self):
        with registry_put_back():
            rulekit.register("export", "sentences", Sentences)
            yield

    def test_is_found_by_its_name(self, rules):
        assert run("export", rules, "--to", "sentences").stdout == Sentences().export(handmade()).decode()

    def test_is_found_by_its_suffix(self, rules, tmp_path):
        assert run("export", rules, "--out", tmp_path / "rules.txt").exit_code == 0
        assert (tmp_path / "rules.txt").read_bytes() == Sentences().export(handmade())

    def test_takes_options_of_the_types_of_their_defaults(self, rules):
        given = ("mark=1", "repeat=2", "loud=true", "scale=3", "only=no", "only=so")
        options = [word for each in given for word in ("--set", each)]
        expected = Sentences("1", 2, True, 3.0, ["no", "so"]).export(handmade()).decode()
        assert run("export", rules, "--to", "sentences", *options).stdout == expected

    @pytest.mark.parametrize(
        ("setting", "complaint"),
        [
            ("repeat=1.5", "--set repeat=1.5: this option takes an integer."),
            ("repeat=true", "--set repeat=true: this option takes an integer."),
            ("loud=1", "--set loud=1: this option takes true or false."),
            ("scale=x", "--set scale=x: this option takes a number."),
        ],
    )
    def test_says_what_an_option_takes(self, rules, setting, complaint):
        result = run("export", rules, "--to", "sentences", "--set", setting)
        assert (result.exit_code, complaint in result.stderr) == (2, True)

    def test_is_listed_with_its_options(self):
        shown = " ".join(run("components", "--kind", "export").stdout.split())
        assert "sentences One sentence per rule. mark='.', repeat=1, loud=False, scale=1.0, only=()" in shown


def test_a_file_that_is_not_there(tmp_path):
    result = run("export", tmp_path / "rules.json", "--to", "sql")
    assert (result.exit_code, result.stderr) == (2, f"Error: File not found: {tmp_path / 'rules.json'}.\n")


@pytest.mark.parametrize(("content", "complaint"), [("{", "is not valid JSON"), ("{}", "This is not a ruleset")])
def test_a_file_without_rules(content, complaint, tmp_path):
    (tmp_path / "rules.json").write_text(content)
    result = run("export", tmp_path / "rules.json", "--to", "sql")
    assert (result.exit_code, complaint in result.stderr) == (2, True)
