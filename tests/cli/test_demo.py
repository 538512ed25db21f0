"""rulekit demo."""

import re

import pytest
from cli.terminal import run, text

FIGURE = r"(\d+\.\d+|\d+|-)"


@pytest.fixture(scope="module")
def shown():
    result = run("demo", "--dataset", "iris")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


class TestIris:
    @pytest.mark.parametrize("method", ["RC+", "RCProb", "RCList"])
    @pytest.mark.parametrize("ensemble", ["random forest", "gradient boosting"])
    def test_shows_the_rules_of_each_method_from_each_ensemble(self, shown, method, ensemble):
        heading = rf"^{re.escape(method)} rules from {ensemble}: \d+ rules, \d+ conditions *$"
        assert len(re.findall(heading, shown, re.MULTILINE)) == 1

    @pytest.mark.parametrize("species", ["setosa", "versicolor", "virginica"])
    def test_calls_classes_by_their_names(self, shown, species):
        assert species in shown

    def test_compares_models_and_ensembles_on_nine_measures(self, shown):
        table = shown[shown.index("On the 45 held-out samples of iris") :]
        rows = re.findall(rf"^(\S.*?|  \S+)((?: +{FIGURE}){{9}}) *$", table, re.MULTILINE)
        names = [row[0].strip() for row in rows]
        methods = ["RC+", "RCProb", "RCList"]
        assert names == ["random forest", *methods, "gradient boosting", *methods]

    def test_leaves_out_what_an_ensemble_does_not_have(self, shown):
        (row,) = re.findall(r"^random forest +(.*\S) *$", shown, re.MULTILINE)
        figures = row.split()
        assert (figures[4], figures[8]) == ("-", "-")  # fidelity and the seconds of extraction

    def test_ends_with_how_to_read_it_and_what_to_try_next(self, shown):
        closing = text(shown[shown.index("How to read it:") :])
        assert "how good the predicted probabilities are" in closing
        assert closing.endswith("rulekit components --kind probability list other probability estimators")

    def test_fits_100_columns_of_a_pipe(self, shown):
        assert max(map(len, shown.splitlines())) <= 100

    def test_has_no_control_characters(self, shown):
        assert "\x1b" not in shown


def test_takes_another_dataset_and_seed_and_fits_80_columns():
    shown = run("demo", "--dataset", "wine", "--seed", "1", COLUMNS="80").stdout
    assert shown.startswith("wine: 124 training samples, 54 held out.")
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_is_about_breast_cancer_by_default():
    assert run("demo").stdout.startswith("breast-cancer: 398 training samples, 171 held out.")


def test_an_unknown_dataset_is_an_error_that_names_those_there_are():
    result = run("demo", "--dataset", "titanic")
    assert result.exit_code == 2
    assert all(name in text(result.stderr) for name in ("titanic", "breast-cancer", "iris", "wine"))
