"""Labels of categories as numbers."""

import re

import numpy as np
import pandas as pd
import pytest

from rulekit.core.categories import Categories

COLOURS = Categories({1: ("blue", "red")})


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
