"""Rules that a search found in trained ensembles, with missing values and categories, in every language at once."""

import sqlite3
from contextlib import closing

import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.export import to_onnx, to_python, to_sql
from rulekit.ruleset import RuleSet

ENSEMBLES = {
    "hist-gbm": HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype", random_state=0),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=10, min_child_samples=5, verbose=-1, random_state=0),
}


def table(n_samples: int = 300) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n_samples).round(1),
            "colour": pd.Categorical(rng.choice(["blue", "green", "it's red"], n_samples)),
            "dose": rng.exponential(size=n_samples),
        }
    )
    X.loc[rng.random(n_samples) < 0.2, "age"] = np.nan
    is_yes = X["age"].isna() | X["colour"].isin(["blue"]) | (X["dose"] > 2)
    return X, pd.Series(np.where(is_yes ^ (rng.random(n_samples) < 0.05), "yes", "no"))


@pytest.fixture(scope="module", params=[(name, mode) for name in ENSEMBLES for mode in ("decision-list", "aggregate")])
def rules(request: pytest.FixtureRequest) -> RuleSet:
    name, mode = request.param
    with rulekit.using_engine("numpy"):
        return rulekit.build("rcprob", ENSEMBLES[name], inference=mode, min_coverage=0.02).fit(*table()).ruleset_


def test_the_rules_have_missing_values_and_categories(rules):
    assert "or missing" in str(rules)
    assert "colour in {" in str(rules) or "colour not in {" in str(rules)


def test_python_predicts_the_same(rules):
    X, _ = table()
    space: dict = {}
    exec(to_python(rules), space)
    answers = [space["predict"](sample) for sample in X.to_dict(orient="records")]
    assert [label for label, _ in answers] == rules.predict(X).tolist()
    assert (
        np.array([list(probabilities.values()) for _, probabilities in answers]).tobytes()
        == rules.predict_proba(X).tobytes()
    )


def test_sql_predicts_the_same(rules):
    X, _ = table()
    with closing(sqlite3.connect(":memory:")) as connection:
        X.astype({"colour": str}).to_sql("samples", connection, index_label="id")
        answers = sorted(connection.execute(to_sql(rules, keep=["id"])).fetchall())
    assert [answer[2] for answer in answers] == rules.predict(X).tolist()
    assert np.array([answer[3:] for answer in answers]).tobytes() == rules.predict_proba(X).tobytes()


def test_onnx_predicts_the_same(rules):
    X, _ = table()
    session = onnxruntime.InferenceSession(to_onnx(rules).SerializeToString())
    labels, probabilities = session.run(["label", "probabilities"], {"X": rules.conditions.categories.encode(X)})
    assert labels.tolist() == rules.predict(X).tolist()
    assert probabilities.tobytes() == rules.predict_proba(X).tobytes()


def test_calibrated_rules_are_exported_with_their_calibrated_probabilities():
    X, y = table()
    numbers = X[["dose"]]
    with rulekit.using_engine("numpy"):
        model = CalibratedRules(rulekit.build("rcprob", RandomForestClassifier(5, max_depth=2, random_state=0)))
        rules = model.fit(numbers, y).ruleset_
    space: dict = {}
    exec(to_python(rules), space)
    probabilities = [list(space["predict"](sample)[1].values()) for sample in numbers.to_dict(orient="records")]
    np.testing.assert_array_equal(probabilities, rules.predict_proba(numbers))
