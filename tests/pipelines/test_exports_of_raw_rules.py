"""One realistic pipeline in every language: other programs are given raw rows, and nothing else."""

import ctypes
import shutil
import sqlite3
import subprocess
from contextlib import closing

import numpy as np
import onnxruntime
import pytest
from pipelines.bank import forest, preprocessing, table
from sklearn.pipeline import make_pipeline

import rulekit
from rulekit.export import to_c, to_onnx, to_pmml, to_python, to_sql
from rulekit.ruleset import RuleSet

X, Y = table()
NEW, _ = table(100, seed=1)
NEW.loc[:9, "job"] = "Astronaut"


@pytest.fixture(scope="module")
def model():
    return rulekit.build("rclist", make_pipeline(preprocessing(), forest()), random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def rules(model):
    return model.ruleset_


def test_python(rules):
    space: dict = {}
    exec(to_python(rules), space)
    found = [space["predict"](row)[1] for row in NEW.to_dict(orient="records")]
    np.testing.assert_array_equal([list(each.values()) for each in found], rules.predict_proba(NEW))


def test_sql(rules):
    with closing(sqlite3.connect(":memory:")) as connection:
        NEW.to_sql("samples", connection, index_label="id")
        found = sorted(connection.execute(to_sql(rules, keep=["id"])).fetchall())
    assert [row[2] for row in found] == rules.predict(NEW).tolist()
    np.testing.assert_array_equal([row[3:] for row in found], rules.predict_proba(NEW))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_c(rules, tmp_path):
    (tmp_path / "rules.c").write_text(to_c(rules, name="rules"), encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "rules.c", "-o", "rules.so"], cwd=tmp_path, check=True)
    predict, pointer = ctypes.CDLL(str(tmp_path / "rules.so")).rules_predict, ctypes.POINTER(ctypes.c_double)
    found = np.empty((len(NEW), 2))
    for numbers, out in zip(rules.as_numbers(NEW), found, strict=True):
        predict(numbers.ctypes.data_as(pointer), out.ctypes.data_as(pointer))
    np.testing.assert_array_equal(found, rules.predict_proba(NEW))


def test_onnx(rules):
    session = onnxruntime.InferenceSession(to_onnx(rules).SerializeToString())
    (found,) = session.run(["probabilities"], {"X": rules.as_numbers(NEW)})
    np.testing.assert_array_equal(found, rules.predict_proba(NEW))


def test_pmml(rules):
    document = to_pmml(rules)
    assert '<DataField name="job" optype="categorical" dataType="string"' in document
    assert "onehot" not in document


def test_json(rules):
    assert RuleSet.from_dict(rules.to_dict()) == rules


def test_explanations_speak_of_the_columns_of_the_table(model):
    row = NEW.iloc[20]
    explained = model.explain(row)
    assert explained.label == model.predict(NEW.iloc[[20]])[0]
    named = {each.feature for rule in model.ruleset_ for each in rule.conditions}
    assert named <= set(NEW.columns)
    table_row = model.explain(NEW.iloc[[20]])
    np.testing.assert_allclose(table_row.ensemble, model.ensemble_.predict_proba(NEW.iloc[[20]])[0])


def test_counterfactuals_change_the_columns_of_the_table(model):
    row = NEW[model.predict(NEW) == "no"].iloc[0]
    found = model.counterfactual(row, "yes", immutable=["age"])
    assert {change.feature for change in found.changes} <= set(NEW.columns) - {"age"}


def test_the_form_of_a_report_asks_for_the_columns_of_the_table(model, tmp_path):
    model.report(tmp_path / "rules.html", NEW, model.predict(NEW))
    text = (tmp_path / "rules.html").read_text(encoding="utf-8")
    assert "Tech support" in text
    assert "pipeline-1__" not in text


def test_a_summary_compares_with_trees_on_the_same_columns(model):
    found = model.summary(NEW, table(100, seed=1)[1], (X, Y), measures=["log_loss"])
    assert {"rules", "ensemble", "tree", "shrunk-tree"} == set(found.values)
