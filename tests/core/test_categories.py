"""Categories as codes, and what counts as missing."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rulekit.core.categories import UNKNOWN, Categories, categorical_columns, is_missing

COLOURS = Categories({1: ("blue", "red")})


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s")])
def test_none_nan_and_what_pandas_has_for_them_are_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, "", "nan", "NAType", False, float("inf"), pd.Timestamp(0)])
def test_no_value_is_missing_because_it_is_empty_or_odd(value):
    assert not is_missing(value)


def test_labels_stand_in_the_order_of_their_codes():
    assert COLOURS.labels(1, {1, 0}) == ["blue", "red"]


@pytest.mark.parametrize("code", [-1, 2])
def test_a_code_without_a_label_stands_for_itself(code):
    assert [code] == COLOURS.labels(1, [code])


def test_the_codes_of_a_feature_without_labels_stand_for_themselves():
    assert COLOURS.labels(0, [7, 3]) == [3, 7]


@pytest.mark.parametrize("as_table", [pd.DataFrame, lambda table: pl.DataFrame(table, strict=False)])
def test_labels_become_codes_and_missing_values_nan(as_table):
    table = as_table({"size": [1.5, 2.5, 3.5], "colour": ["red", None, "blue"]})
    np.testing.assert_array_equal([[1.5, 1.0], [2.5, np.nan], [3.5, 0.0]], COLOURS.encode(table))


@pytest.mark.parametrize(("as_missing", "expected"), [(False, UNKNOWN), (True, np.nan)])
def test_an_unknown_label_is_in_no_set_or_counts_as_missing(as_missing, expected):
    categories = Categories({0: ("a",)}, unknown_as_missing=as_missing)
    np.testing.assert_array_equal([[0.0], [expected]], categories.encode(np.array([["a"], ["b"]], dtype=object)))


def test_numbers_beside_categories_are_doubles_whatever_they_were():
    encoded = COLOURS.encode(np.array([["1.5", "red"]], dtype=object))
    assert (encoded.dtype, encoded.tolist()) == (np.float64, [[1.5, 1.0]])


def test_without_categories_a_table_is_doubles_as_it_is():
    encoded = Categories().encode([[1, 2]])
    assert (encoded.dtype, encoded.tolist()) == (np.float64, [[1.0, 2.0]])


def test_complex_numbers_beside_categories_are_refused():
    table = pd.DataFrame({"size": [1 + 2j], "colour": ["red"]})
    told = "Complex numbers are not supported: no rule compares them."
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        COLOURS.encode(table)


def test_columns_that_are_no_plain_numbers_are_named():
    frame = pd.DataFrame({"number": [1.0], "text": ["a"], 7: pd.Categorical([3]), "whole": [2], "truth": [True]})
    assert categorical_columns(frame) == ["text", "7"]


def test_polars_categories_are_named_even_if_their_labels_are_numbers():
    frame = pl.DataFrame(
        {"a": ["1"], "b": ["1"], "c": [1]}, schema={"a": pl.Categorical, "b": pl.Enum(["1"]), "c": int}
    )
    assert categorical_columns(frame) == ["a", "b"]


def test_an_array_has_no_named_columns():
    assert categorical_columns(np.array([["a"]])) == []


@pytest.mark.parametrize("value", [[1, 2], {}, np.array([1.0, 2.0]), ("a", [])], ids=["list", "table", "array", "both"])
def test_what_cannot_be_a_label_is_refused(value):
    """`TypeError: unhashable type` was what a user read, or that the truth value of an array is ambiguous."""
    frame = pd.DataFrame({"x": [1.0, 2.0], "colour": pd.Series(["blue", value], dtype=object)})
    with pytest.raises(ValueError, match="Column 2 of X is one of categories, and holds something that cannot be"):
        COLOURS.encode(frame)


@pytest.mark.parametrize("shape", [(), (2,), (2, 2, 1)])
def test_what_is_no_table_is_refused(shape):
    """An array of three dimensions led to an IndexError."""
    with pytest.raises(
        ValueError, match=re.escape("X must be a table, of shape (n_records, n_features); an array of s")
    ):
        COLOURS.encode(np.zeros(shape, dtype=object))


@pytest.mark.parametrize(("label", "code"), [("red", 1.0), ("grey", -1.0), (None, np.nan), (pd.NA, np.nan), (7, -1.0)])
def test_a_label_becomes_its_code(label, code):
    frame = pd.DataFrame({"x": [1.0], "colour": pd.Series([label], dtype=object)})
    np.testing.assert_array_equal([[1.0, code]], COLOURS.encode(frame))
