import numpy as np
import pandas as pd
import pytest

from rulekit.core.validation import as_array, indices_among


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


def test_a_missing_integer_category_stays_missing_in_an_array():
    """pandas made the smallest integer of it, and `predict_proba` treated that as an unseen category."""
    frame = pd.DataFrame({"grade": pd.Categorical([None, 3], [40, 3]), "n": [1, 2]})
    assert pd.isna(as_array(frame)[0, 0])
    assert as_array(frame)[1].tolist() == [3, 2]
