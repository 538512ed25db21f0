"""--model: files of XGBoost, LightGBM and CatBoost, and pipelines, on the table that people have."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from cli.terminal import run, text
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rulekit
from rulekit.cli.model_files import library_model
from rulekit.ruleset import RuleSet

catboost, lightgbm, xgboost = (pytest.importorskip(name) for name in ("catboost", "lightgbm", "xgboost"))
NAMES = ("--classes", "no,yes")
SIZE = {"n_estimators": 5, "max_depth": 2, "n_jobs": 1, "random_state": 0}
QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "random_state": 0}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(40, 12, 200), "colour": rng.choice(["blue", "green", "red"], 200)})
    noise = rng.random(200) < 0.1
    return table.assign(bought=((table["colour"] == "red") | (table["age"] > 50)) ^ noise)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory) -> Path:
    """Models of 0 and 1 in the files of their libraries, and the table with the classes no and yes."""
    folder = tmp_path_factory.mktemp("models")
    X, y = table[["age", "colour"]].astype({"colour": "category"}), table["bought"].astype(int)
    booster = xgboost.XGBClassifier(**SIZE, enable_categorical=True).fit(X, y)
    booster.save_model(folder / "model.json")
    booster.save_model(folder / "model.ubj")
    trees = lightgbm.LGBMClassifier(**SIZE, verbosity=-1).fit(X, y)
    trees.booster_.save_model(folder / "model.txt")
    oblivious = catboost.CatBoostClassifier(5, depth=2, one_hot_max_size=9, cat_features=["colour"], **QUIET)
    oblivious.fit(table[["age", "colour"]], y).save_model(str(folder / "model.cbm"))
    table.assign(bought=np.where(table["bought"], "yes", "no")).to_csv(folder / "data.csv", index=False)
    return folder


@pytest.mark.parametrize("ending", ["json", "ubj", "txt", "cbm"])
class TestALibrarysOwnFile:
    def test_gives_the_rules_of_its_model_with_the_names_of_the_classes(self, folder, table, ending, tmp_path):
        model, out = folder / f"model.{ending}", tmp_path / "rules.json"
        result = run("extract", folder / "data.csv", "--target", "bought", "--model", model, *NAMES, "--out", out)
        assert (result.exit_code, result.stderr) == (0, "")
        found = RuleSet.from_dict(json.loads(out.read_text()))
        X = table[["age", "colour"]].astype({"colour": "category"})
        read = library_model(model)
        expected = rulekit.build("rclist", read).fit(X, table["bought"].astype(int)).ruleset_
        assert found.classes.tolist() == ["no", "yes"]
        assert [str(rule.conditions) for rule in found] == [str(rule.conditions) for rule in expected]
        if ending != "cbm":  # CatBoost's is fitted again for honest probabilities, with other parameters
            np.testing.assert_array_equal(found.probabilities, expected.probabilities)

    def test_is_measured_beside_the_rules(self, folder, ending):
        model = ("--model", folder / f"model.{ending}", "--test", 0.3)
        shown = text(run("extract", folder / "data.csv", "--target", "bought", *model, *NAMES).stdout)
        assert "measure rules ensemble tree" in shown
        assert float(shown.split("Fidelity ")[1].split()[0]) > 0.8

    def test_knows_only_its_own_labels_without_names(self, folder, ending):
        result = run("extract", folder / "data.csv", "--target", "bought", "--model", folder / f"model.{ending}")
        assert (result.exit_code, "it knows [0, 1]" in result.stderr) == (2, True)

    def test_that_is_cut_off_is_said_to_be_damaged(self, folder, ending, tmp_path):
        whole = (folder / f"model.{ending}").read_bytes()
        (tmp_path / "model").write_bytes(whole[:200])
        result = run("extract", folder / "data.csv", "--target", "bought", "--model", tmp_path / "model")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "model could not be read as a model of " in result.stderr
        assert "and is probably damaged" in result.stderr


def test_names_must_be_as_many_as_the_models_classes(folder):
    for ending in ("json", "cbm"):
        model = ("--model", folder / f"model.{ending}", "--classes", "no,yes,perhaps")
        result = run("extract", folder / "data.csv", "--target", "bought", *model)
        assert (result.exit_code, "3" in result.stderr) == (2, True)


def test_a_regressor_is_rejected(table, folder, tmp_path):
    regressor = xgboost.XGBRegressor(**SIZE).fit(table[["age"]], table["bought"].astype(int))
    regressor.save_model(tmp_path / "model.json")
    table[["age", "bought"]].astype({"bought": int}).to_csv(tmp_path / "data.csv", index=False)
    result = run("extract", tmp_path / "data.csv", "--target", "bought", "--model", tmp_path / "model.json")
    assert "objective='reg:squarederror', which does not give class probabilities" in result.stderr


@pytest.mark.parametrize("named", [False, True])
def test_a_pipeline_reads_the_table_as_it_is(table, folder, tmp_path, named):
    encoder = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    pipeline = make_pipeline(encoder, RandomForestClassifier(5, max_depth=3, random_state=0))
    labels = table["bought"].astype(int) if named else np.where(table["bought"], "yes", "no")
    skops.io.dump(pipeline.fit(table[["age", "colour"]], labels), tmp_path / "model.skops")
    options = (*(NAMES if named else ()), "--test", folder / "data.csv", "--out", tmp_path / "rules.json")
    result = run("extract", folder / "data.csv", "--target", "bought", "--model", tmp_path / "model.skops", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    expected = rulekit.build("rclist", pipeline).fit(table[["age", "colour"]], labels)
    found = RuleSet.from_dict(json.loads((tmp_path / "rules.json").read_text()))
    assert [str(rule.conditions) for rule in found] == [str(rule.conditions) for rule in expected.ruleset_]
    np.testing.assert_allclose(found.probabilities, expected.ruleset_.probabilities)
    assert float(text(result.stdout).split("Fidelity ")[1].split()[0]) > 0.8
