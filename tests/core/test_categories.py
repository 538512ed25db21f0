"""Categories as codes, and what counts as missing."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulekit.core.validation import (
    UNKNOWN,
    Categories,
    categorical_columns,
    check_categories,
    is_missing,
    labels_of_frame,
    no_labels,
)

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


def test_complex_numbers_beside_categories_are_rejected():
    table = pd.DataFrame({"size": [1 + 2j], "colour": ["red"]})
    message = "Complex numbers are not supported: rules cannot compare them."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        COLOURS.encode(table)


def test_columns_that_are_no_plain_numbers_are_told_by_their_places():
    frame = pd.DataFrame({"number": [1.0], "string": ["a"], 7: pd.Categorical([3]), "whole": [2], "truth": [True]})
    assert categorical_columns(frame) == [1, 2]


def test_polars_categories_are_told_even_if_their_labels_are_numbers():
    frame = pl.DataFrame(
        {"a": ["1"], "b": ["1"], "c": [1]}, schema={"a": pl.Categorical, "b": pl.Enum(["1"]), "c": int}
    )
    assert categorical_columns(frame) == [0, 1]


def test_categories_of_arrow_are_told():
    assert categorical_columns(pa.table({"size": [1.0], "colour": pa.array(["red"]).dictionary_encode()})) == [1]


def test_the_labels_of_a_frame_are_those_of_its_categories_by_place():
    """Numbers, strings and labels that no sample has are there as well."""
    kinds = pd.Categorical([3, 1], categories=[1, 2, 3])
    frame = pd.DataFrame(
        {"size": [1.0, 2.0], "kind": kinds, "string": ["a", "b"], "colour": pd.Categorical(["b", "a"])}
    )
    assert labels_of_frame(frame) == {1: (1, 2, 3), 3: ("a", "b")}


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a"]]),
        [["a"]],
        pd.Series(["a"], dtype="category"),
        pl.DataFrame({"a": ["a"]}, schema={"a": pl.Categorical}),
        pa.table({"a": pa.array(["a"]).dictionary_encode()}),
    ],
    ids=["array", "list", "series", "polars", "arrow"],
)
def test_nothing_but_a_frame_of_pandas_has_labels_of_its_own(X):
    assert labels_of_frame(X) == {}


def test_an_array_has_no_named_columns():
    assert categorical_columns(np.array([["a"]])) == []


MIXED = Categories({0: ("blue", "red"), 1: (1, 2)})


@pytest.mark.parametrize("as_row", [list, tuple])
def test_numbers_and_missing_values_beside_strings_stay_what_they_are(as_row):
    """NumPy converts them to strings: 1 became '1', which is no known label, and NaN 'nan'."""
    rows = [as_row(row) for row in (["red", 1], ["blue", float("nan")], [None, 2], ["grey", 3])]
    expected = [[1.0, 0.0], [0.0, np.nan], [np.nan, 1.0], [UNKNOWN, UNKNOWN]]
    np.testing.assert_array_equal(expected, MIXED.encode(rows))


def test_a_string_array_cannot_hold_labels_that_are_numbers():
    with pytest.raises(ValueError, match=r"^Column 2 of X is categorical but was passed as a string array, which"):
        MIXED.encode(np.array([["red", "1"]]))


def test_a_string_array_cannot_hold_missing_values():
    with pytest.raises(
        ValueError, match=r" or missing values\. Pass an array with dtype=object, a list of rows or a data frame\.$"
    ):
        COLOURS.encode(np.array([[1.5, float("nan")], [1.5, "red"]], dtype=str))


def test_a_string_array_holds_labels_that_are_strings():
    categories = Categories({1: ("nan", "red")})
    np.testing.assert_array_equal(
        [[1.5, 0.0], [2.5, 1.0]], categories.encode(np.array([["1.5", "nan"], ["2.5", "red"]]))
    )


def test_missing_values_of_pandas_beside_categories_are_nan():
    frame = pd.DataFrame({"size": pd.Series([1.5, None], dtype="Float64"), "colour": ["red", "blue"]})
    np.testing.assert_array_equal([[1.5, 1.0], [np.nan, 0.0]], COLOURS.encode(frame))


def test_missing_values_of_pandas_without_categories_are_nan():
    frame = pd.DataFrame(
        {"size": pd.Series([1.5, None], dtype="Float64"), "whole": pd.Series([None, 2], dtype="Int64")}
    )
    np.testing.assert_array_equal([[1.5, np.nan], [np.nan, 2.0]], Categories().encode(frame))


def test_types_that_are_no_labels_are_named():
    values = ["red", 1, 1.5, True, np.int64(1), np.float32(1), np.bool_(True), b"red", Decimal(1), 1j]
    assert no_labels(values) == ["Decimal", "bytes", "complex"]


@pytest.mark.parametrize(("names", "column"), [(["size", "colour"], "'colour'"), ([], "2")])
def test_a_column_with_labels_of_another_type_is_named(names, column):
    message = (
        f"Column {column} of X has categories of type bytes, complex, which are not supported. Convert them to "
        "strings, numbers or booleans first (in pandas: astype(str))."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_categories({1: ("red", b"blue", 1j)}, names)


@pytest.mark.parametrize("value", [[1, 2], {}, np.array([1.0, 2.0]), ("a", [])], ids=["list", "table", "array", "both"])
def test_what_cannot_be_a_label_is_rejected(value):
    """`TypeError: unhashable type` was what a user read, or that the truth value of an array is ambiguous."""
    frame = pd.DataFrame({"x": [1.0, 2.0], "colour": pd.Series(["blue", value], dtype=object)})
    message = (
        "Column 2 of X is categorical but contains a value that cannot be a category, such as a list or an array. Pass "
        "strings, numbers or missing values."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        COLOURS.encode(frame)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "timedelta64[s]"])
def test_dates_and_durations_beside_categories_are_rejected(dtype):
    frame = pd.DataFrame({"day": np.array([1, 2]).astype(dtype), "colour": ["red", "blue"]})
    with pytest.raises(ValueError, match=r"^Columns of dates, times or durations are not supported"):
        COLOURS.encode(frame)


@pytest.mark.parametrize("shape", [(), (2,), (2, 2, 1)])
def test_what_is_no_table_is_rejected(shape):
    """An array of three dimensions led to an IndexError."""
    with pytest.raises(
        ValueError,
        match=re.escape(f"Expected X to be a 2-D array of shape (n_samples, n_features), got shape {shape}."),
    ):
        COLOURS.encode(np.zeros(shape, dtype=object))


@pytest.mark.parametrize(("label", "code"), [("red", 1.0), ("grey", -1.0), (None, np.nan), (pd.NA, np.nan), (7, -1.0)])
def test_a_label_becomes_its_code(label, code):
    frame = pd.DataFrame({"x": [1.0], "colour": pd.Series([label], dtype=object)})
    np.testing.assert_array_equal([[1.0, code]], COLOURS.encode(frame))
