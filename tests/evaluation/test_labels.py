"""Labels as positions among classes."""

import numpy as np
import pytest

from rulekit.evaluation.labels import class_indices


@pytest.mark.parametrize(
    ("y", "classes", "expected"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([3, 1], [1, 3], [1, 0]),
        ([True, False], [False, True], [1, 0]),
        (np.array([1.0, 0.0]), np.array([0, 1]), [1, 0]),
        ([], ["a", "b"], []),
    ],
)
def test_each_label_has_the_position_of_its_class(y, classes, expected):
    assert class_indices(y, classes).tolist() == expected


@pytest.mark.parametrize(
    ("y", "named"),
    [
        (["z", "a", "z"], r"\['z'\]"),
        (np.array(["a", None, 1], dtype=object), r"\[None, 1\]"),
        (list("uvwxyz"), r"\['u', 'v', 'w', 'x', 'y'\]"),
    ],
)
def test_unknown_labels_are_named_once_and_at_most_five(y, named):
    with pytest.raises(
        ValueError, match=rf"^The true labels {named} are not among the classes of the model: \['a'\]\.$"
    ):
        class_indices(y, ["a"])


def test_a_table_of_labels_is_rejected():
    with pytest.raises(ValueError, match=r"must be a 1-D array, got shape \(2, 1\)"):
        class_indices([["a"], ["a"]], ["a"])
