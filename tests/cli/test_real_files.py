"""rulekit extract and report on files as people have them: every way in gives the rules of the plain table."""

import io
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cli.terminal import QUICK, run, text

from rulekit.ruleset import RuleSet


def extracted(*arguments, target="species"):
    result = run("extract", *arguments, "--target", target)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.fixture
def rules(tmp_path):
    """Runs the command and reads the rules that it wrote."""

    def read(*arguments, **options):
        out = tmp_path / "rules.json"
        extracted(*arguments, "--out", out, "--force", **options)
        return RuleSet.from_dict(json.loads(out.read_text(encoding="utf-8")))

    return read


@pytest.fixture
def expected(rules, data):
    return rules(data, *QUICK)


class TestTables:
    @pytest.mark.filterwarnings("default::rulekit.datasets.errors.TableWarning")
    def test_a_guessed_separator_is_said_in_one_line(self, rules, expected, table, written):
        path = written(table, sep=";", decimal=",")
        found = extracted(path, *QUICK)
        assert found.stderr.splitlines() == [
            f"Warning: The values of {path} are taken to be separated by ';': give the separator if that is wrong, or "
            "to read them without this warning (on the command line: --separator).",
            f"Warning: Numbers of {path} are taken to have a decimal comma, such as 5,1. Write them with a point if "
            "that is wrong.",
        ]
        assert rules(path, *QUICK) == expected

    def test_columns_may_be_named(self, rules, expected, table, written):
        path = written(table, header=False)
        assert rules(path, *QUICK, "--columns", ",".join(table.columns)) == expected

    def test_may_be_an_excel_file(self, rules, expected, table, tmp_path):
        table.to_excel(tmp_path / "data.xlsx", index=False)
        assert rules(tmp_path / "data.xlsx", *QUICK) == expected

    @pytest.mark.parametrize("kind", ["csv", "gz", "parquet", "excel"])
    def test_may_come_from_the_standard_input(self, rules, expected, table, monkeypatch, kind):
        file = io.BytesIO()
        if kind in ("csv", "gz"):
            table.to_csv(file, index=False, compression="gzip" if kind == "gz" else None)
        else:
            table.to_parquet(file) if kind == "parquet" else table.to_excel(file, index=False)
        monkeypatch.setattr("rulekit.datasets.content.sys", SimpleNamespace(stdin=SimpleNamespace(buffer=file)))
        file.seek(0)
        assert rules("-", *QUICK) == expected

    def test_cannot_both_come_from_there(self):
        result = run("extract", "-", "--target", "species", "--test", "-")
        assert "DATA and --test are both the standard input." in result.stderr

    def test_missing_values_may_be_written_as_a_string(self, rules, table, written):
        table.loc[::5, "petal_width"] = np.nan
        expected = rules(written(table), *QUICK)
        assert rules(written(table.fillna({"petal_width": -1}), "other.csv"), *QUICK, "--missing", "-1") == expected
        assert "missing" in str(expected)


class TestClasses:
    @pytest.fixture
    def numbered(self, table, written):
        codes = {"setosa": 0, "versicolor": 1, "virginica": 2}
        return written(table.assign(species=table["species"].map(codes)), "numbered.csv")

    def test_of_a_table_get_names(self, rules, expected, numbered):
        assert rules(numbered, *QUICK, "--classes", "setosa,versicolor,virginica") == expected

    def test_may_be_names_in_the_table_already(self, rules, expected, data):
        assert rules(data, *QUICK, "--classes", "virginica,setosa,versicolor") == expected

    def test_of_held_out_samples_get_the_same_names(self, numbered, data):
        """The labels of the held-out file are numbers, or names already."""
        names = ("--classes", "setosa,versicolor,virginica")
        shown = [extracted(numbered, *QUICK, *names, "--test", path).stdout for path in (numbered, data)]
        one, other = (re.sub(r".* seconds .*", "", each) for each in shown)
        assert one == other

    @pytest.mark.parametrize(
        ("names", "complaint"),
        [
            ("a,b", "--classes has 2 names, but "),
            ("a,,b", "--classes takes names separated by commas, such as a,b,c; got 'a,,b'."),
        ],
    )
    def test_must_be_named_once_each(self, numbered, names, complaint):
        result = run("extract", numbered, "--target", "species", "--classes", names)
        assert (result.exit_code, complaint in result.stderr) == (2, True)

    def test_of_a_report_get_names(self, numbered, data, tmp_path):
        out = tmp_path / "rules.json"
        extracted(data, *QUICK, "--out", out)
        for table, more in ((numbered, ("--classes", "setosa,versicolor,virginica")), (data, ())):
            page = tmp_path / "page.html"
            result = run("report", out, table, "--target", "species", "--out", page, "--force", *more)
            assert result.exit_code == 0, result.stderr
        result = run("report", out, numbered, "--target", "species", "--out", tmp_path / "x.html")
        assert "classes that the rules do not know: '0', '1', '2'" in result.stderr


class TestStrings:
    @pytest.fixture
    def mixed(self, tmp_path):
        """A table with a column of strings, some of them missing."""
        rng = np.random.default_rng(0)
        table = pd.DataFrame({"age": rng.normal(40, 12, 200), "colour": rng.choice(["blue", "green", "red"], 200)})
        table["species"] = np.where(table["colour"] == "red", "yes", np.where(table["age"] > 50, "yes", "no"))
        table.loc[rng.random(200) < 0.1, "colour"] = None
        table.to_csv(tmp_path / "mixed.csv", index=False)
        return tmp_path / "mixed.csv"

    @pytest.mark.parametrize("method", ["rclist", "rc+", "tree"])
    def test_work_with_the_default_ensemble(self, mixed, method):
        shown = text(extracted(mixed, "--method", method).stdout)
        assert "colour" in shown
        assert float(shown.split("Accuracy ")[1].split()[0]) > 0.85

    def test_are_encoded_where_the_ensemble_reads_numbers_and_that_is_said(self, mixed):
        assert "Columns of strings were one-hot encoded: 'colour'." in extracted(mixed, *QUICK).stdout
        assert "one-hot" not in extracted(mixed, "--ensemble", "hist-gbm").stdout

    def test_are_in_the_rules_as_they_are_in_the_table(self, rules, mixed, tmp_path):
        """So that a report needs nothing but the table."""
        assert set(rules(mixed, *QUICK, target="species").feature_names) <= {"age", "colour"}
        result = run("report", tmp_path / "rules.json", mixed, "--target", "species", "--out", tmp_path / "rules.html")
        assert (result.exit_code, result.stderr) == (0, "")

    def test_of_held_out_samples_may_be_new(self, mixed, tmp_path):
        new = pd.read_csv(mixed).assign(colour="violet")
        new.to_csv(tmp_path / "new.csv", index=False)
        assert "On 200 held-out samples" in extracted(mixed, *QUICK, "--test", tmp_path / "new.csv").stdout
