"""rulekit extract: what each option does."""

import json
import re

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from cli.terminal import QUICK, run, text
from plugin.isolation import registry_put_back
from sklearn.model_selection import train_test_split

import rulekit
from rulekit.evaluation import evaluate, log_loss, macro_f1
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet


def extracted(*arguments):
    """Standard output of a run that went well."""
    result = run("extract", *arguments, "--target", "species")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.fixture
def rules(tmp_path):
    """Runs the command and reads the rules that it wrote."""

    def read(*arguments):
        out = tmp_path / "rules.json"
        extracted(*arguments, "--out", out, "--force")
        return RuleSet.from_dict(json.loads(out.read_text(encoding="utf-8")))

    return read


@pytest.fixture
def expected(table):
    """The ruleset that Python gives for the same data, split and ensemble."""

    def extract(method="rclist", ensemble="rf", seed=0, fraction=0.3, **overrides):
        X, y = table.drop(columns="species"), table["species"].to_numpy().astype(str)
        if fraction:
            X, _, y, _ = train_test_split(X, y, test_size=fraction, stratify=y, random_state=seed)
        settings = {} if ensemble == "tree" else {"n_estimators": 3}
        model = plugins().registry.create("ensemble", ensemble, max_depth=2, random_state=seed, **settings).fit(X, y)
        return rulekit.build(method, model, **overrides).fit(X, y).ruleset_

    return extract


class TestRules:
    def test_are_those_that_python_gives(self, rules, expected, data):
        assert rules(data, *QUICK) == expected()

    @pytest.mark.parametrize("method", ["rc+", "rcprob", "rclist"])
    def test_are_those_of_the_method(self, rules, expected, data, method):
        assert rules(data, *QUICK, "--method", method, "--ensemble", "rf") == expected(method)

    def test_and_their_ensemble_have_the_same_class_weights(self, rules, table, data):
        weights = '{"setosa": 1, "versicolor": 1, "virginica": 9}'
        found = rules(data, *QUICK, "--test", "0", "--set", f"class_weight={weights}")
        X, y = table.drop(columns="species"), table["species"].to_numpy().astype(str)
        forest = plugins().registry.create("ensemble", "rf", max_depth=2, random_state=0, n_estimators=3)
        assert found == rulekit.build("rclist", forest, class_weight={"virginica": 9}).fit(X, y).ruleset_

    @pytest.mark.parametrize("ensemble", ["gbm", "extra-trees", "bagging"])
    def test_come_from_the_named_ensemble(self, rules, expected, data, ensemble):
        assert rules(data, *QUICK, "--ensemble", ensemble) == expected(ensemble=ensemble)

    def test_of_a_tree_need_no_ensemble(self, rules, expected, data):
        found = rules(data, "--method", "tree", "--set", "max_depth=2", "--set", "max_leaves=none")
        assert found == expected("tree", "tree", final_estimator="laplace")

    def test_of_a_tree_take_no_parameter_of_an_ensemble(self, data):
        result = run("extract", data, "--target", "species", "--method", "tree", "--max-depth", 2)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "grows its own tree: set its parameters, such as --set max_leaves=8, instead of --max-depth" in text(
            result.stderr
        )

    def test_depend_on_the_seed(self, rules, expected, data):
        assert rules(data, *QUICK, "--seed", 5) == expected(seed=5)

    def test_depend_on_the_learning_rate(self, data):
        shown = [extracted(data, *QUICK, "--ensemble", "gbm", "--learning-rate", rate) for rate in (0.01, 1.0)]
        assert shown[0] != shown[1]

    def test_are_shown_as_a_table_with_a_legend(self, data):
        shown = text(extracted(data, *QUICK))
        assert "if then p answered precision coverage samples" in shown
        assert "covered training samples by class (setosa, versicolor, virginica)" in shown

    @pytest.mark.filterwarnings("default::rulekit.core.errors.FewRulesWarning")
    def test_may_be_the_default_rule_alone_with_a_warning_of_one_line(self, data):
        result = run("extract", data, "--target", "species", *QUICK, "--set", "min_coverage=1")
        assert result.exit_code == 0
        assert "1 rule, 0 conditions" in result.stdout
        assert "Uniqueness - " in text(result.stdout)
        assert result.stderr.startswith("Warning: No rule of the first tree passed min_precision=0.5")
        assert result.stderr.count("\n") == 1


class TestSet:
    @pytest.mark.parametrize(
        ("settings", "overrides"),
        [
            (["final_estimator.strength=5"], {"final_estimator__strength": 5}),
            (
                ["final_estimator=m-estimate", "final_estimator.strength=2"],
                {"final_estimator": "m-estimate", "final_estimator__strength": 2},
            ),
            (
                ["min_precision=0.9", "final_estimator=laplace", "inference=aggregate"],
                {"min_precision": 0.9, "final_estimator": "laplace", "inference": "aggregate"},
            ),
            (["simplify.drop_redundant=false", "cover=none"], {"simplify__drop_redundant": False, "cover": None}),
        ],
        ids=str,
    )
    def test_changes_parameters_of_the_method(self, rules, expected, data, settings, overrides):
        options = [word for setting in settings for word in ("--set", setting)]
        assert rules(data, *QUICK, *options) == expected(**overrides)

    def test_changes_parameters_of_the_ensemble(self, rules, expected, data):
        settings = ["--set", "ensemble.n_estimators=3", "--set", "ensemble.max_depth=2"]
        assert rules(data, *settings) == expected()


class TestTest:
    @pytest.mark.parametrize(("fraction", "n_held_out"), [("0.2", 15), ("0.5", 38)])
    def test_holds_out_a_fraction(self, data, fraction, n_held_out):
        assert f"On {n_held_out} held-out samples" in extracted(data, *QUICK, "--test", fraction)

    def test_is_three_tenths_by_default(self, data):
        assert "On 23 held-out samples" in extracted(data, *QUICK)

    def test_may_be_nothing(self, rules, expected, data):
        assert "the rules are not evaluated: see --test" in extracted(data, *QUICK, "--test", 0)
        assert rules(data, *QUICK, "--test", 0) == expected(fraction=0)

    def test_may_be_a_file(self, rules, expected, data, written, table):
        other = written(table.sample(20, random_state=0), "other.csv")
        assert "On 20 held-out samples" in extracted(data, *QUICK, "--test", other)
        assert rules(data, *QUICK, "--test", other) == expected(fraction=0)

    def test_the_file_may_have_its_columns_in_another_order(self, data, written, table):
        turned = written(table[table.columns[::-1]], "turned.csv")
        shown = [extracted(data, *QUICK, "--test", path) for path in (data, turned)]
        without_seconds = [re.sub(r".* seconds .*", "", each) for each in shown]
        assert without_seconds[0] == without_seconds[1]

    def test_the_measures_are_those_that_python_gives(self, data, table, saved, forest):
        X, y = table.drop(columns="species"), table["species"]
        model = rulekit.build("rclist", forest).fit(X, y)
        shown = text(extracted(data, "--model", saved, "--test", data))
        measures = evaluate(model, X, y)
        assert f"Log-loss {measures['log_loss']:.3f} " in shown
        assert f"Brier score {measures['brier']:.3f} " in shown
        assert f"Fidelity {measures['fidelity']:.3f} " in shown
        assert f"Distinct conditions {measures['n_distinct_conditions']:.0f} " in shown


class TestLabels:
    @pytest.fixture
    def codes(self, table):
        """The classes 01, 1 and 2 instead of three species."""
        codes = dict(zip(sorted(table["species"].unique()), ["01", "1", "2"], strict=True))
        return table.assign(species=table["species"].map(codes))

    def test_that_differ_in_zeros_are_different_classes(self, rules, written, codes):
        """Read as numbers, 01 and 1 were one class."""
        assert rules(written(codes), *QUICK).classes.tolist() == ["01", "1", "2"]

    def test_of_held_out_samples_are_read_as_those_of_the_training_samples(self, written, codes):
        others = codes[codes["species"] != "01"]
        shown = extracted(written(codes), *QUICK, "--test", written(others, "test.csv"))
        assert f"On {len(others)} held-out samples" in shown

    def test_may_be_kept_as_strings(self, rules, written, codes):
        numbers = written(codes.assign(species=codes["species"].map({"01": "0", "1": "1", "2": "2"})))
        assert rules(numbers, *QUICK).classes.tolist() == [0, 1, 2]
        assert rules(numbers, *QUICK, "--string-labels").classes.tolist() == ["0", "1", "2"]


class TestBudgets:
    @pytest.mark.filterwarnings("default::rulekit.core.errors.BudgetWarning")
    def test_are_set_like_other_parameters_and_told_in_one_line(self, data):
        budgets = ("--set", "max_rules=1", "--set", "max_memory=50MB")
        result = run("extract", data, "--target", "species", "--method", "rcprob", *QUICK, *budgets)
        assert result.exit_code == 0
        assert "2 rules" in result.stdout
        (line,) = [line for line in result.stderr.splitlines() if line.startswith("Warning: ")]
        assert line.startswith("Warning: max_rules=1 dropped rules from the end of the list")

    def test_that_are_impossible_are_said(self, data):
        result = run("extract", data, "--target", "species", *QUICK, "--set", "max_memory=lots")
        assert result.exit_code == 2
        assert "max_memory must be None, a number of bytes above 0, or a string such as '500MB'" in result.stderr


class TestModel:
    def test_is_used_as_it_is_with_all_samples(self, rules, data, saved, forest, table):
        expected = rulekit.build("rclist", forest).fit(table.drop(columns="species"), table["species"])
        found = rules(data, "--model", saved)
        assert [str(rule) for rule in found] == [str(rule) for rule in expected.ruleset_]

    def test_holds_out_nothing_unless_asked(self, data, saved):
        assert "the rules are not evaluated" in extracted(data, "--model", saved)

    def test_is_warned_about_when_samples_are_held_out_that_it_may_have_seen(self, data, saved):
        assert "these measures are too optimistic" in extracted(data, "--model", saved, "--test", 0.3)
        assert "these measures are too optimistic" not in extracted(data, "--model", saved, "--test", data)

    def test_may_have_been_trained_without_column_names(self, data, tmp_path, forest, table):
        unnamed = forest.fit(table.drop(columns="species").to_numpy(), table["species"])
        joblib.dump(unnamed, tmp_path / "unnamed.joblib")
        options = ("--model", tmp_path / "unnamed.joblib", "--allow-pickle", "--test", data)
        assert "petal_" in extracted(data, *options)

    @pytest.mark.parametrize("name", ["rf", "gbm", "hist-gbm", "xgboost", "lightgbm"])
    def test_needs_no_trust_as_a_skops_file(self, data, tmp_path, table, name):
        ensemble = plugins().registry.create("ensemble", name, random_state=0)
        labels = table["species"].astype("category").cat.codes if name == "xgboost" else table["species"]
        skops.io.dump(ensemble.fit(table.drop(columns="species"), labels), tmp_path / "model.skops")
        numbered = tmp_path / "numbered.csv"
        table.assign(species=labels).to_csv(numbered, index=False)
        assert "rules from" in extracted(numbered, "--model", tmp_path / "model.skops")

    def test_is_the_same_from_a_pickle_that_is_trusted(self, rules, data, saved, pickled):
        assert rules(data, "--model", saved) == rules(data, "--model", pickled, "--allow-pickle")


class TestFiles:
    def test_a_parquet_file_gives_the_rules_of_the_csv_file(self, rules, expected, table, tmp_path):
        table.to_parquet(tmp_path / "data.parquet")
        assert rules(tmp_path / "data.parquet", *QUICK) == expected()

    def test_a_tsv_file_has_tabs(self, rules, expected, table, written):
        assert rules(written(table, "data.tsv", sep="\t"), *QUICK) == expected()

    @pytest.mark.parametrize(("sign", "given"), [(";", ";"), ("\t", "\\t")])
    def test_another_separator_can_be_given(self, rules, expected, table, written, sign, given):
        assert rules(written(table, sep=sign), *QUICK, "--separator", given) == expected()

    def test_a_compressed_file_is_read(self, rules, expected, table, written):
        assert rules(written(table, "data.csv.gz"), *QUICK) == expected()

    def test_dropped_columns_do_not_appear(self, rules, written, table):
        path = written(table.assign(name="x", when="y"))
        found = rules(path, *QUICK, "--drop", "name", "--drop", "when")
        assert list(found.feature_names) == list(table.columns[:-1])

    def test_dropped_columns_may_be_missing_in_the_test_file(self, data, written, table):
        path = written(table.assign(name="x"), "named.csv")
        assert "held-out samples" in extracted(path, *QUICK, "--drop", "name", "--test", data)

    def test_truth_values_count_as_numbers(self, written, table):
        path = written(table[["species"]].assign(is_long=table["petal_length"] > 4))
        assert "is_long >= 1" in extracted(path, *QUICK)

    @pytest.mark.parametrize("codes", [[0, 1, 2], [1.0, 2.0, 3.0], [False, True, True]])
    def test_classes_may_be_whole_numbers_or_truth_values(self, rules, written, table, codes):
        coded = table["species"].map(dict(zip(["setosa", "versicolor", "virginica"], codes, strict=True)))
        assert rules(written(table.assign(species=coded)), *QUICK).classes.tolist() == sorted(set(codes))


class TestOut:
    def test_says_what_was_written(self, data, tmp_path):
        shown = extracted(data, *QUICK, "--out", tmp_path / "rules.json")
        assert re.search(r"Wrote \d+ rules to .*rules\.json\.$", shown.rstrip())

    def test_keeps_a_file_that_is_there(self, data, tmp_path):
        (tmp_path / "rules.json").write_text("mine")
        result = run("extract", data, "--target", "species", *QUICK, "--out", tmp_path / "rules.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith("rules.json already exists. Choose another name, or overwrite it with --force.\n")
        assert (tmp_path / "rules.json").read_text() == "mine"

    def test_overwrites_with_force(self, data, tmp_path):
        (tmp_path / "rules.json").write_text("mine")
        extracted(data, *QUICK, "--out", tmp_path / "rules.json", "--force")
        assert json.loads((tmp_path / "rules.json").read_text())["format"] == "rulekit-ruleset"


class TestPluginMethods:
    @pytest.fixture
    def plain(self):
        """A method that is code, chooses its own ensemble and makes no ruleset."""
        from sklearn.dummy import DummyClassifier

        with registry_put_back() as registry:
            registry.add("method", "plain", lambda ensemble=None, **_: DummyClassifier(), origin="acme 1.0")
            yield

    def test_without_rules_are_measured_all_the_same(self, plain, data):
        shown = extracted(data, "--method", "plain")
        assert "The method 'plain' makes no ruleset, so there are no rules to show." in shown
        assert "Log-loss" in shown

    def test_without_rules_cannot_be_written(self, plain, data, tmp_path):
        result = run("extract", data, "--target", "species", "--method", "plain", "--out", tmp_path / "rules.json")
        assert result.exit_code == 2
        assert "The method 'plain' makes no ruleset, so nothing was written to" in result.stderr

    def test_with_their_own_ensemble_take_no_settings_for_it(self, plain, data):
        result = run("extract", data, "--target", "species", "--method", "plain", "--max-depth", 2)
        expected = "Error: The method 'plain' chooses its own ensemble: use --ensemble as well to set --max-depth.\n"
        assert (result.exit_code, result.stderr) == (2, expected)


class TestWhatEnsemblesTake:
    @pytest.fixture
    def mixed(self, tmp_path):
        """A table with missing values and a column of strings."""
        rng = np.random.default_rng(0)
        table = pd.DataFrame({"age": rng.normal(40, 12, 200), "colour": rng.choice(["blue", "green", "red"], 200)})
        table.loc[rng.random(200) < 0.2, "age"] = np.nan
        table["species"] = np.where(table["age"].isna() | (table["colour"] == "red"), "yes", "no")
        table.to_csv(tmp_path / "mixed.csv", index=False)
        return tmp_path / "mixed.csv"

    @pytest.mark.parametrize("ensemble", ["hist-gbm", "xgboost", "lightgbm"])
    def test_categories_and_missing_values_go_into_rules(self, mixed, ensemble):
        shown = extracted(mixed, "--method", "rcprob", "--ensemble", ensemble)
        assert "colour in {red}" in shown
        assert " or missing" in shown

    def test_missing_values_go_into_the_rules_of_a_forest(self, mixed):
        assert "age is missing" in extracted(mixed, "--drop", "colour")

    def test_fidelity_is_high_whatever_labels_the_library_takes(self, mixed):
        (fraction,) = re.findall(r"Fidelity +([0-9.]+)", extracted(mixed, "--ensemble", "xgboost"))
        assert float(fraction) > 0.8


class TestPath:
    def test_has_a_row_for_each_length_with_its_measures_on_held_out_samples(self, table, data):
        shown = text(extracted(data, *QUICK, "--path", "--set", "refine=relist"))
        X, y = table.drop(columns="species"), table["species"].to_numpy().astype(str)
        X, X_held_out, y, y_held_out = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
        forest = plugins().registry.create("ensemble", "rf", max_depth=2, random_state=0, n_estimators=3).fit(X, y)
        model = rulekit.build("rclist", forest, refine="relist").fit(X, y)
        for step in model.path_:
            shorter = model.with_rules(step.n_rules)
            loss = log_loss(y_held_out, shorter.predict_proba(X_held_out), model.classes_)
            score = macro_f1(y_held_out, shorter.predict(X_held_out))
            row = (step.log_loss, step.leave_one_out_log_loss, step.macro_f1, loss, score)
            numbers = " ".join(f"{value:.3f}" for value in row)
            assert f" {step.n_rules} {step.ruleset.n_conditions} {numbers}" in shown

    def test_without_held_out_samples_has_those_of_training_alone(self, data):
        shown = text(extracted(data, *QUICK, "--path", "--set", "refine=relist", "--test", 0))
        assert "rules conditions log-loss log-loss macro-F1" in shown

    def test_says_what_to_do_where_there_is_none(self, data):
        shown = text(extracted(data, *QUICK, "--method", "rcprob", "--path"))
        assert "'rcprob' found no lists of other lengths" in shown

    @pytest.mark.parametrize(("method", "words"), [("rcprob", "those that the search accepted"), ("rclist", "refined")])
    def test_the_trees_that_the_rules_come_from_are_named_in_any_case(self, data, method, words):
        shown = text(extracted(data, *QUICK, "--method", method, "--set", f"refine={TREES[method]}"))
        assert re.search(rf"The rules come from \d of 3 trees.*{words}", shown)


TREES = {"rcprob": "none", "rclist": "relist"}
