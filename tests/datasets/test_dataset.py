"""A dataset knows its shape and classes."""

import pandas as pd
import pytest

from rulekit.datasets import Dataset


@pytest.fixture
def dataset() -> Dataset:
    X = pd.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "f"]})
    return Dataset("patients", X, pd.Series(["ill", "well", "ill"]), "a test")


def test_the_shape_leaves_the_target_out(dataset):
    assert (dataset.n_samples, dataset.n_features) == (3, 2)


def test_classes_are_counted_in_the_order_of_their_labels(dataset):
    assert list(dataset.class_counts.items()) == [("ill", 2), ("well", 1)]


def test_a_category_without_samples_is_no_class(dataset):
    y = pd.Series(pd.Categorical(["a", "b", "a"], categories=["a", "b", "c"]))
    assert Dataset("patients", dataset.X, y, "a test").class_counts == {"a": 2, "b": 1}


def test_its_text_tells_name_and_source_and_leaves_the_table_out(dataset):
    assert repr(dataset) == f"Dataset(name='patients', source='a test', fingerprint='{dataset.fingerprint}')"
