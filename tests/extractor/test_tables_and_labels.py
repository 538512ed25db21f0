"""Data frames and labels of many kinds."""

import numpy as np
import polars as pl
import pytest
from extractor.worlds import NAMES, PRESETS, conditions_of, small_forest

import rulekit


class TestDataFrames:
    def test_pandas_names_appear_in_the_rules(self, data):
        ruleset = rulekit.build("rc+", small_forest()).fit(*data).ruleset_
        assert conditions_of(ruleset) <= set(NAMES)

    def test_pandas_names_appear_in_the_printed_rules(self, data):
        assert "größe" in str(rulekit.build("rc+", small_forest()).fit(*data).ruleset_)

    def test_polars_names_appear_in_the_rules(self, data):
        X, y = data
        model = rulekit.build("rc+", small_forest()).fit(pl.from_pandas(X), pl.Series(y.to_list()))
        assert model.ruleset_.feature_names == tuple(NAMES)

    def test_polars_and_pandas_give_the_same_rules(self, data):
        X, y = data
        from_polars = rulekit.build("rcprob", small_forest()).fit(pl.from_pandas(X), y)
        assert rulekit.build("rcprob", small_forest()).fit(X, y).ruleset_ == from_polars.ruleset_

    def test_polars_and_pandas_get_the_same_answers(self, data, forest):
        model = rulekit.build("rcprob", forest).fit(*data)
        np.testing.assert_array_equal(model.predict_proba(data[0]), model.predict_proba(pl.from_pandas(data[0])))

    def test_columns_of_arrays_are_numbered(self, data):
        X, y = data
        assert rulekit.build("rc+", small_forest()).fit(X.to_numpy(), y).ruleset_.feature_names == (
            "x0",
            "x1",
            "x2",
            "x3",
        )

    def test_integer_and_boolean_columns_are_numbers(self, data):
        X, y = data
        mixed = X.assign(age=(X["age"] * 3).astype(int), größe=X["größe"] > 0)
        assert rulekit.build("rcprob", small_forest()).fit(mixed, y).n_features_in_ == 4

    def test_lists_are_arrays(self, data):
        X, y = data
        from_lists = rulekit.build("rcprob", small_forest()).fit(X.to_numpy().tolist(), y.tolist())
        assert rulekit.build("rcprob", small_forest()).fit(X.to_numpy(), y).ruleset_ == from_lists.ruleset_


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "expected"),
        [
            (np.array([0, 1, 2]), [0, 1, 2]),
            (np.array([-7, 10, 300]), [-7, 10, 300]),
            (np.array(["setosa", "versicolor", "virginica"]), ["setosa", "versicolor", "virginica"]),
            (np.array(["setosa", "versicolor", "virginica"], dtype=object), ["setosa", "versicolor", "virginica"]),
            (np.array([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
            (np.array([True, False, False]), [False, True]),
        ],
        ids=["integers", "any integers", "strings", "objects", "floats", "booleans"],
    )
    @pytest.mark.parametrize("name", PRESETS)
    def test_predictions_are_labels(self, name, labels, expected, iris):
        X, y = iris
        model = rulekit.build(name, small_forest()).fit(X, labels[y])
        assert sorted(set(model.predict(X).tolist())) == expected

    def test_a_pandas_series_of_strings(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, y.map({0: "a", 1: "b", 2: "c"}))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_a_pandas_categorical(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, y.map({0: "a", 1: "b", 2: "c"}).astype("category"))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_a_polars_series_of_strings(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, pl.Series([["a", "b", "c"][label] for label in y]))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_rules_conclude_with_labels(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, np.array(["a", "b", "c"])[y])
        assert {rule.label for rule in model.ruleset_} == {"a", "b", "c"}

    def test_renaming_labels_changes_nothing_else(self, iris):
        X, y = iris
        numbered = rulekit.build("rcprob", small_forest()).fit(X, y)
        named = rulekit.build("rcprob", small_forest()).fit(X, np.array(["a", "b", "c"])[y])
        np.testing.assert_array_equal(numbered.predict_proba(X), named.predict_proba(X))

    @pytest.mark.parametrize("name", PRESETS)
    def test_swapping_two_labels_swaps_their_columns(self, name, data):
        X, y = data
        model = rulekit.build(name, small_forest()).fit(X, y)
        swapped = rulekit.build(name, small_forest()).fit(X, 1 - y)
        np.testing.assert_allclose(model.predict_proba(X), swapped.predict_proba(X)[:, ::-1], rtol=0, atol=1e-12)
