"""Forms of samples that would become wrong numbers without a word."""

import datetime
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulekit.core.errors import UnsupportedDataError
from rulekit.core.validation import as_doubles, check_no_dates, check_whole, column_names, reading_numbers

DAYS = np.array(["2024-02-29", "NaT"], dtype="datetime64[s]")
FRAME = pd.DataFrame({"size": [1.0, 2.0], "day": DAYS})


def test_masked_values_are_rejected():
    with pytest.raises(
        ValueError,
        match=r"^Masked values in X are not supported.*Pass X\.filled\(np\.nan\) to treat them as missing values\.$",
    ):
        check_whole(np.ma.array([[1.0, 2.0]], mask=[[False, True]]))


@pytest.mark.parametrize(
    "X", [np.ma.array([[1.0]]), np.ma.array([[1.0]], mask=[[False]]), np.zeros((1, 1)), [[1.0]], None, FRAME]
)
def test_what_hides_nothing_may_pass(X):
    check_whole(X)


def test_a_lazy_frame_has_to_be_collected():
    with pytest.raises(TypeError, match=r"^X is a LazyFrame, which has not been computed\. Pass X\.collect\(\)\.$"):
        check_whole(pl.DataFrame({"a": [1.0]}).lazy())


def test_a_batch_of_arrow_is_rejected_because_its_names_would_be_ignored():
    """Columns in another order than in training gave wrong answers without a word."""
    with pytest.raises(TypeError, match=r"^X is a RecordBatch.* Pass pyarrow\.Table\.from_batches\(\[X\]\)\.$"):
        check_whole(pa.RecordBatch.from_pydict({"a": [1.0]}))


@pytest.mark.parametrize("type_", [pl.Int128, pl.UInt128])
def test_integers_that_numpy_does_not_have_are_rejected_by_name(type_):
    """polars raised an error of its own class."""
    with pytest.raises(UnsupportedDataError, match=r"128-bit integers are not supported \('id'\)"):
        check_no_dates(pl.DataFrame({"a": [1.0], "id": pl.Series([1], dtype=type_)}))


@pytest.mark.parametrize(
    ("X", "named"),
    [
        (DAYS[:, None], "all"),
        (DAYS[:, None] - DAYS[0], "all"),
        ([[1.0, DAYS[0]]], "datetime64"),
        (([1.0], (DAYS[1],)), "datetime64"),
        (np.array([[1.0, DAYS[0]], [DAYS[1] - DAYS[0], "a"]], dtype=object), "datetime64, timedelta64"),
        (FRAME, "'day'"),
        (FRAME.assign(day=FRAME["day"].dt.tz_localize("UTC")), "'day'"),
        (FRAME.assign(day=FRAME["day"] - DAYS[0]), "'day'"),
        (FRAME.assign(day=FRAME["day"].dt.to_period("M")), "'day'"),
        (FRAME.convert_dtypes(dtype_backend="pyarrow"), "'day'"),
        (pl.from_pandas(FRAME), "'day'"),
        (pl.DataFrame({"day": [datetime.date(2024, 2, 29)], "hour": [datetime.time(8)]}), "'day', 'hour'"),
        (pa.Table.from_pandas(FRAME), "'day'"),
    ],
)
def test_dates_times_and_durations_are_rejected_by_name(X, named):
    message = (
        f"Columns of dates, times or durations are not supported ({named}): rules compare numbers. Convert them to "
        "numbers first, such as days since a reference date."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_no_dates(X)


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((1, 1)),
        np.array([["date"]]),
        [[1.0]],
        [[1.0], [1.0, 2.0]],
        [],
        np.array([["a", None]], dtype=object),
        pd.Series([1.0]),
        FRAME[["size"]].rename(columns={"size": "date"}),
        FRAME[["size"]].astype("category"),
        pl.DataFrame({"time": ["a"]}),
        pa.table({"date": [1]}),
    ],
)
def test_numbers_and_strings_are_no_dates(X):
    check_no_dates(X)


def test_a_frame_that_does_not_tell_its_types_may_pass():
    check_no_dates(SimpleNamespace(columns=["day"]))


@pytest.mark.parametrize("as_table", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_columns_of_any_frame_have_their_names(as_table):
    assert column_names(as_table({"column_names": [1.0], "b": [2.0]})) == ["column_names", "b"]


def test_an_array_has_no_names():
    assert column_names(np.zeros((1, 1))) == []


def test_a_whole_number_beyond_doubles_is_rejected():
    message = (
        "X contains a whole number that is too large for float64, whose largest value is about 1.8e308. Replace it, or "
        "pass its logarithm."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"), reading_numbers():
        np.array([10**400], dtype=np.float64)


def test_infinities_are_left_to_later_checks():
    with reading_numbers():
        assert np.isinf(np.array([np.finfo(np.float64).max]).astype(np.float32)).all()
        assert np.isnan(np.array([np.inf]) - np.inf).all()


def test_missing_values_of_pandas_become_nan_among_numbers():
    doubles = as_doubles(np.array([1.5, pd.NA, None, 2], dtype=object))
    np.testing.assert_array_equal(doubles, [1.5, np.nan, np.nan, 2.0])
