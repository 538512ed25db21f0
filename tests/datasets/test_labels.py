"""Different labels in a file stay different."""

import pandas as pd
import pytest

from rulekit import datasets
from rulekit.core.errors import InvalidParameterError
from rulekit.datasets.labels import typed

SAME = [
    (["0", "1", "10"], [0, 1, 10]),
    (["-1", "1"], [-1, 1]),
    ([" 0", " 1"], [0, 1]),
    (["1.0", "2.0"], [1.0, 2.0]),
    (["0", "0.5"], [0.0, 0.5]),
    (["True", "False"], [True, False]),
    (["true", "false"], [True, False]),
]
STRINGS = [
    ["01", "1"],
    ["01", "02"],
    ["1.0", "1"],
    ["1.50", "1.5"],
    ["1", "1 "],
    ["+1", "1"],
    ["-0", "0"],
    ["1e3", "1000"],
    ["True", "true"],
    ["1", "yes"],
    ["9007199254740993", "0.5"],
    ["12345678901234567890", "1"],
]


@pytest.mark.parametrize(("written", "expected"), SAME)
def test_numbers_and_booleans_are_converted_where_that_merges_nothing(written, expected):
    found = typed(pd.Series(written)).tolist()
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


@pytest.mark.parametrize("written", STRINGS)
def test_labels_that_would_be_merged_or_changed_stay_strings(written):
    assert typed(pd.Series(written)).tolist() == written


def load(tmp_path, written: list[str], **options):
    rows = "".join(f"{position},{label}\n" for position, label in enumerate(written))
    (tmp_path / "own.csv").write_text(f"a,target\n{rows}", encoding="utf-8")
    return datasets.load(tmp_path / "own.csv", **options)


def test_leading_zeros_make_another_class(tmp_path):
    """pandas reads "01" and "1" as one number, so two classes became one."""
    assert load(tmp_path, ["01", "1", "1"]).class_counts == {"01": 1, "1": 2}


@pytest.mark.parametrize("folder", [True, False])
def test_labels_may_be_kept_as_strings(tmp_path, folder):
    load(tmp_path, ["0", "1"])
    dataset = (
        datasets.load("own", tmp_path, labels="string")
        if folder
        else datasets.load(tmp_path / "own.csv", labels="string")
    )
    assert dataset.y.tolist() == ["0", "1"]


def test_labels_of_a_parquet_file_may_be_read_as_strings(tmp_path):
    pd.DataFrame({"a": [1, 2], "target": [0, 1]}).to_parquet(tmp_path / "own.parquet")
    assert datasets.load(tmp_path / "own.parquet").y.tolist() == [0, 1]
    assert datasets.load(tmp_path / "own.parquet", labels="string").y.tolist() == ["0", "1"]


@pytest.mark.parametrize("labels", ["auto", "string"])
@pytest.mark.parametrize("missing", ["", "NA", "None"])
def test_missing_labels_are_an_error(tmp_path, labels, missing):
    with pytest.raises(datasets.DatasetError, match=r"1 of 3 samples have no value in the target column 'target'"):
        load(tmp_path, ["0", "1", missing], labels=labels)


def test_features_are_numbers_as_before(tmp_path):
    (tmp_path / "own.csv").write_text("a,target\n01,x\n1,y\n", encoding="utf-8")
    assert datasets.load(tmp_path / "own.csv").X["a"].tolist() == [1, 1]


def test_another_way_to_read_labels_is_rejected(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"labels must be one of 'auto', 'string', got 'number'"):
        load(tmp_path, ["0", "1"], labels="number")
