from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rulekit.core.errors import UnsupportedDataError
from rulekit.core.labels import indices_among, plain_labels


@pytest.mark.parametrize(
    ("y", "classes", "indices", "unknown"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1], []),
        ([9, 1, 7, 9], [1, 2], [-1, 0, -1, -1], [9, 7]),
        ([2.0, 1.0], [1, 2], [1, 0], []),
        ([None, "a", 3], ["a"], [-1, 0, -1], [None, 3]),
    ],
    ids=["known", "unknown, in order of appearance and once", "equal numbers", "several types"],
)
def test_indices_among_the_classes(y, classes, indices, unknown):
    found, others = indices_among(np.array(y), np.array(classes))
    assert (found.tolist(), others) == (indices, unknown)


def objects(*labels: Any) -> Any:
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found


class TestPlainLabels:
    @pytest.mark.parametrize("y", [["a", np.str_("b")], objects("a", np.str_("b")), pd.Series(["a", np.str_("b")])])
    def test_numpy_strings_are_strings(self, y):
        assert [type(label) for label in np.asarray(plain_labels(y)).tolist()] == [str, str]

    @pytest.mark.parametrize("y", [objects(3, np.int8(7)), objects(True, np.False_), objects(1.0, np.float32(2))])
    def test_objects_of_one_type_become_an_array_of_it(self, y):
        assert plain_labels(y).dtype.kind in "bif"
        assert plain_labels(y).tolist() == y.tolist()

    @pytest.mark.parametrize("y", [["a\0", "a"], pl.Series(["a\0", "a"]), ("\0", "")])
    def test_null_characters_at_the_end_are_kept(self, y):
        """NumPy's strings drop them, so two classes became one."""
        assert plain_labels(y).tolist() == list(y)

    def test_large_integers_stay_exact(self):
        """NumPy makes floats of such a list, so two classes became one."""
        assert plain_labels([1, 2**63, 2**63 + 1]).tolist() == [1, 2**63, 2**63 + 1]

    @pytest.mark.parametrize("y", [["1", 1], [1, True], objects("1", 1), [1.5, 2**53 + 1]])
    def test_several_types_are_rejected(self, y):
        """NumPy makes one string of 1 and "1" in a list, so two classes became one."""
        with pytest.raises(UnsupportedDataError, match=r"^y mixes labels of several types"):
            plain_labels(y)

    def test_whole_numbers_may_stand_beside_floats(self):
        assert plain_labels([1, 2.0]).tolist() == [1.0, 2.0]

    def test_integers_that_fit_no_array_are_rejected(self):
        with pytest.raises(UnsupportedDataError, match="beyond 64 bits, such as 9223372036854775808"):
            plain_labels([-1, 2**63])

    def test_arrays_are_returned_as_they_are(self):
        y = np.array(["a", "b"])
        assert plain_labels(y) is y
