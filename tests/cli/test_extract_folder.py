"""rulekit extract of a folder of Parquet files."""

import pytest
from cli.terminal import run

import rulekit
from rulekit.ruleset import RuleSet

pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'rulekit-rcprob[parquet]'")


@pytest.fixture
def folder(table, tmp_path):
    path = tmp_path / "parquet"
    path.mkdir()
    for start in range(0, len(table), 30):
        table[start : start + 30].assign(key=range(start, min(start + 30, len(table)))).to_parquet(
            path / f"{start:03}.parquet"
        )
    return path


def error(*arguments):
    result = run("extract", *arguments, "--target", "species")
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.removeprefix("Error: ").strip()


def test_gives_the_rules_of_the_whole_table(folder, saved, forest, table, tmp_path):
    out = tmp_path / "rules.json"
    result = run("extract", folder, "--model", saved, "--target", "species", "--drop", "key", "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "rcprob rules from RandomForestClassifier" in result.stdout
    assert "No samples were held out, so the rules are not evaluated: see --test, or rulekit report." in result.stdout
    expected = rulekit.build("rcprob", forest).fit(table.drop(columns="species"), table["species"])
    assert RuleSet.from_json(out.read_text(encoding="utf-8")) == expected.ruleset_


def test_a_method_of_samples_in_memory(folder, saved):
    told = error(folder, "--model", saved, "--drop", "key", "--method", "rclist")
    assert told.startswith("fit_from does not support refine=")
    told = error(folder, "--model", saved, "--drop", "key", "--method", "shrunk-tree")
    assert told == "The method 'shrunk-tree' needs all samples in memory. Use --method rcprob or rc+ for a folder."


def test_without_a_model(folder):
    assert error(folder).startswith(f"{folder} is a folder, which is read in parts: no ensemble is trained on it. Pass")


def test_options_that_need_a_table(folder, saved):
    assert error(folder, "--model", saved, "--test", "0.3").startswith("--test is not supported for a folder")
    assert error(folder, "--model", saved, "--string-labels").startswith("--string-labels is for CSV files")


def test_columns_that_are_not_there(folder, saved):
    assert error(folder, "--model", saved, "--drop", "size") == f"{folder} has no column 'size' to drop."
    result = run("extract", folder, "--model", saved, "--drop", "key", "--target", "kind")
    assert result.stderr.startswith("Error: The source has no column 'kind' with labels. Its columns: 'sepal_length'")
