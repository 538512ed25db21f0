"""Samples by name: dictionaries, and frames with fewer, more or reordered columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from export.worlds import as_array, rulesets, samples
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade

import rulekit
from rulekit.ruleset import RuleSet

ROWS = [BOTH, FIRST, SECOND, NONE]


def test_dictionaries_are_answered_as_their_arrays_in_any_order_and_with_other_keys():
    ruleset, expected = handmade(), handmade().predict_proba(ROWS)
    records = [{"age": age, "other": "x", "Time": time} for time, age in ROWS]
    np.testing.assert_array_equal(ruleset.predict_proba(records), expected)
    np.testing.assert_array_equal(ruleset.predict_proba(records[2]), expected[2:3])
    assert ruleset.predict(records).tolist() == ["yes", "yes", "no", "no"]
    assert ruleset.explain(records[0]).rule == ruleset[0]
    assert [each.rule.position for each in ruleset.explain(records)] == [1, 1, 2, 3]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_are_read_by_name(library):
    columns = {"when": [None] * 4, "age": [age for _, age in ROWS], "Time": [time for time, _ in ROWS]}
    np.testing.assert_array_equal(handmade().predict_proba(library(columns)), handmade().predict_proba(ROWS))


def test_random_rulesets_answer_dictionaries_and_few_samples_as_arrays():
    """A call on four samples or fewer matches them one by one; a larger one, condition by condition."""
    for seed, ruleset in zip(range(60), rulesets(), strict=False):
        ruleset = ruleset.with_unexpected_missing("error")
        rows = samples(ruleset, seed, n_random=4)[:12]
        records = [dict(zip(ruleset.feature_names, row, strict=True)) for row in rows]
        needed = [ruleset.feature_names[feature] for feature in ruleset.used_features]
        expected = ruleset.predict_proba(as_array(ruleset, rows))
        np.testing.assert_array_equal(ruleset.predict_proba(records), expected)
        for row, record in enumerate(records):
            np.testing.assert_array_equal(
                ruleset.predict_proba({name: record[name] for name in needed}), expected[[row]]
            )
            np.testing.assert_array_equal(
                ruleset.predict_proba(as_array(ruleset, rows[row : row + 1])), expected[[row]]
            )


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({"Time": 8.0}, r"^The sample has no value for 'age'\. Pass None for a missing value\.$"),
        ([{"Time": 8.0, "age": 1.0}, {}], r"^Sample 1 has no value for 'Time', 'age'\."),
        (
            [{"Time": 8.0, "age": 1.0}, [8.0, 1.0]],
            r"^Sample 1 is no dictionary, but the first one is: \[8\.0, 1\.0\]\.",
        ),
        ({"Time": 8.0, "age": "old"}, r"^'age' holds a value that is no number: could not convert string to float"),
        ({"Time": [8.0, 9.0], "age": [1.0, 2.0]}, "'Time' holds a value that is no number"),
        ({"Time": np.inf, "age": 1.0}, r"^X contains infinity in 'Time'"),
        ({"Time": None, "age": 1.0}, r"^X has missing values in 'Time', which had none in training.*1 of 1 samples"),
        ({"Time": np.datetime64("2020-01-01"), "age": 1.0}, "dates"),
        (pd.DataFrame([[1.0, 2.0, 3.0]], columns=["Time", "Time", "age"]), "several columns called 'Time'"),
        (pd.DataFrame({"age": [1.0], "Time": pd.to_datetime(["2020-01-01"])}), "'Time'.*dates"),
        (pa.table({"x": [1.0]}), r"^X has no column 'Time', 'age', which the rules use"),
    ],
)
def test_what_cannot_be_read_by_name_is_reported(X, message):
    with pytest.raises(ValueError, match=message):
        handmade().predict_proba(X)


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    X["colour"] = pd.Categorical(rng.choice(["red", "green", "blue"], 300))
    return X, np.where((X["a"] > 0) ^ (X["colour"] == "red"), "yes", "no")


@pytest.fixture(scope="module")
def model(table):
    from lightgbm import LGBMClassifier

    ensemble = LGBMClassifier(n_estimators=5, max_depth=3, min_child_samples=5, random_state=0, n_jobs=1, verbose=-1)
    return rulekit.build("rcprob", ensemble, min_coverage=0.05).fit(*table)


def test_a_fitted_model_answers_frames_of_the_used_columns_and_dictionaries(model, table):
    X = table[0].head(40)
    used = [model.ruleset_.feature_names[feature] for feature in model.ruleset_.used_features]
    assert "colour" in used
    assert len(used) < X.shape[1]
    expected = model.predict_proba(X)
    for given in (
        X[used[::-1]],
        X.assign(more=1),
        X[used].to_dict("records"),
        pl.from_pandas(X[used].astype({"colour": str})),
    ):
        np.testing.assert_array_equal(model.predict_proba(given), expected)
        np.testing.assert_array_equal(model.ruleset_.predict_proba(given), expected)
    record = X[used].to_dict("records")[0]
    assert model.predict(record).tolist() == model.predict(X.head(1)).tolist()
    for explanation in (model.explain(record), model.explain(X[used].head(1))):
        assert explanation.ensemble is None
        np.testing.assert_array_equal(explanation.probabilities, expected[0])
    assert model.explain(X.head(1)).ensemble is not None


def test_a_fitted_model_rejects_what_scikit_learn_rejects(model, table):
    X = table[0].head(3)
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="yet now missing"):
        model.predict(X.drop(columns="colour"))
    with pytest.raises(ValueError, match="The sample has no value for 'a'"):
        model.predict({"colour": "red"})


def test_rules_about_transformed_columns_need_all_columns(table):
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    X, y = table[0][list("abc")], table[1]
    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    model = rulekit.build("rcprob", make_pipeline(PCA(2), forest), min_coverage=0.05, columns="transformed").fit(X, y)
    records = X.head(5).to_dict("records")
    np.testing.assert_array_equal(model.predict_proba(records), model.predict_proba(X.head(5)))
    assert model.explain(records[0]).ensemble is not None
    with pytest.raises(ValueError, match="The sample has no value for 'c'"):
        model.predict({"a": 1.0, "b": 2.0})


def test_a_ruleset_from_json_answers_dictionaries(model, table):
    from rulekit.export import to_json

    loaded = RuleSet.from_json(to_json(model.ruleset_))
    records = table[0].head(5).to_dict("records")
    np.testing.assert_array_equal(loaded.predict_proba(records), model.predict_proba(table[0].head(5)))
