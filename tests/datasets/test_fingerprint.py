"""Equal content, equal fingerprint; any other content, another."""

import numpy as np
import pandas as pd
import pytest

from rulekit.datasets import DatasetError
from rulekit.datasets.fingerprint import fingerprint_of

LABELS = pd.Series([0, 1, 1])


def of(values, y=LABELS, name="x", **options):
    return fingerprint_of(pd.DataFrame({name: pd.Series(values, **options)}), y)


def test_it_is_the_same_in_every_version():
    """Studies find earlier results by it: to change it is to forget them."""
    X = pd.DataFrame({"age": [20.5, np.nan, 40.0], "n": [1, 2, 3], "sex": pd.Categorical(["f", None, "m"])})
    X["town"] = ["Zürich", None, "Bern"]
    assert (
        fingerprint_of(X, pd.Series(["a", "b", "a"]))
        == "cc804f0cdcfba3acb4bd3527c977dec3e9f9a8fe2b0655f563df4241ae695ae8"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"values": [1, 2, 3]}, {"values": [1.0, 2.0, 3.0]}),
        ({"values": [1, 2, 3]}, {"values": [1, 2, 3], "dtype": "int8"}),
        ({"values": [1, 2, 3]}, {"values": [1, 2, 3], "dtype": object}),
        ({"values": [1, 2, 3]}, {"values": [1, 2, 3], "index": [7, 8, 9]}),
        ({"values": [1.0, np.nan, 3.0]}, {"values": [1, None, 3], "dtype": "Int64"}),
        ({"values": [0, 1, 1]}, {"values": [False, True, True]}),
        ({"values": [0.0, 1.0, 1.0]}, {"values": [-0.0, 1.0, 1.0]}),
        ({"values": ["a", None, "b"]}, {"values": ["a", np.nan, "b"], "dtype": object}),
        ({"values": ["a", None, "b"]}, {"values": ["a", None, "b"], "dtype": "string"}),
        ({"values": [2**53 + 2, 0, 0]}, {"values": [2.0**53 + 2, 0, 0]}),
    ],
)
def test_equal_values_have_equal_fingerprints_however_they_are_stored(one, other):
    y = pd.Series(LABELS.to_numpy(), index=other.get("index"))
    assert of(**one) == of(**other, y=y)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"values": [1, 2, 3]}, {"values": [1, 2, 4]}),
        ({"values": [1, 2, 3]}, {"values": [2, 1, 3]}),
        ({"values": [1, 2, 3]}, {"values": ["1", "2", "3"]}),
        ({"values": [1, 2, 3]}, {"values": [1, 2, 3], "name": "z"}),
        ({"values": [1, 2, 3]}, {"values": [1, 2, 3], "y": pd.Series([0, 0, 1])}),
        ({"values": [1.0, 2.0, 3.0]}, {"values": [1.0, 2.0, np.nan]}),
        ({"values": [1.0, 2.0, 3.0]}, {"values": [1.0, 2.0, np.nextafter(3.0, 4.0)]}),
        ({"values": ["a", "b", "a"]}, {"values": ["a", "b", "b"]}),
        ({"values": ["a", "b", "a"]}, {"values": ["a", "b", None]}),
        ({"values": ["a", "b", "a"]}, {"values": ["a", "b", "a"], "dtype": "category"}),
        ({"values": [2**53, 0, 0]}, {"values": [2**53 + 1, 0, 0]}),
        ({"values": [2**53 + 3, 0, 0]}, {"values": [2**53 + 4, 0, 0]}),
    ],
)
def test_other_content_has_another_fingerprint(one, other):
    assert of(**one) != of(**other)


@pytest.mark.parametrize(
    "dtype",
    [
        pd.CategoricalDtype(["b", "a"]),
        pd.CategoricalDtype(["a", "b", "c"]),
        pd.CategoricalDtype(["a", "b"], ordered=True),
    ],
)
def test_the_categories_are_content_because_ensembles_see_their_codes(dtype):
    assert of(["a", "b", "a"], dtype="category") != of(["a", "b", "a"], dtype=dtype)


def test_columns_cannot_pass_for_one_another():
    one = pd.DataFrame({"a": ["x", "yz", "x"], "b": ["p", "q", "p"]})
    assert fingerprint_of(one, LABELS) != fingerprint_of(one[["b", "a"]], LABELS)


def test_the_targets_name_is_not_content():
    assert of([1, 2, 3]) == of([1, 2, 3], y=LABELS.rename("class"))


def test_values_that_cannot_be_compared_are_rejected():
    with pytest.raises(DatasetError, match=r"^The column 'x' has values that are neither numbers nor strings: "):
        of([[1], [2], [3]])
