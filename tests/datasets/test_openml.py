"""Datasets of OpenML, by scikit-learn's own reader of its answers."""

import urllib.request

import pytest
from sklearn.utils import Bunch

from rulekit.datasets import DatasetError, UnreachableDatasetError, load


class TestAnswers:
    def test_the_table_is_kept_with_categories_and_missing_values(self, answers):
        dataset = load("openml:41")
        assert dataset.X["RI"].fillna(-1).tolist() == [1.51793, -1, 1.51643]
        assert dataset.X["colour"].cat.categories.tolist() == ["brown", "green"]
        assert dataset.X["colour"].isna().tolist() == [False, False, True]

    def test_openml_names_the_target(self, answers):
        dataset = load("openml:41")
        assert (dataset.y.name, dataset.class_counts) == ("Type", {"float": 2, "tableware": 1})

    def test_another_target_can_be_named(self, answers):
        with pytest.raises(DatasetError, match="1 of 3 samples have no value in the target column 'colour'"):
            load("openml:41", target="colour")

    def test_an_unknown_target_suggests_the_nearest(self, answers):
        with pytest.raises(DatasetError, match=r"has no column 'color'\. Did you mean 'colour'\? Its columns: RI, "):
            load("openml:41", target="color")

    def test_name_and_source_tell_id_and_version(self, answers):
        dataset = load("openml:41")
        assert (dataset.name, dataset.source) == ("glass", "OpenML 41 (glass, version 1)")

    def test_what_was_downloaded_is_not_asked_for_again(self, answers):
        load("openml:41")
        answers.asked.clear()
        load("openml:41")
        assert answers.asked == []

    def test_a_dataset_without_a_default_target_needs_one(self, answers):
        answers.default_target = None
        with pytest.raises(
            DatasetError, match=r"names no column as target, but one is needed\. Name it with target=\.$"
        ):
            load("openml:41")

    def test_an_unknown_id_is_told(self, answers):
        with pytest.raises(
            DatasetError, match=r"^OpenML's dataset 42 could not be loaded: Dataset with data_id 42 not"
        ):
            load("openml:42")


def test_several_targets_are_rejected(monkeypatch):
    several = Bunch(details={"name": "scene", "version": "4"}, target_names=["Beach", "Sunset"], frame=None)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **options: several)
    with pytest.raises(DatasetError, match=r"^OpenML 5 \(scene, version 4\) names 'Beach' and 'Sunset' as target, but"):
        load("openml:5")


@pytest.fixture
def _offline(tmp_path, monkeypatch):
    """A machine whose way out leads nowhere: every connection is really tried, and refused."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setattr(urllib.request, "_opener", None)  # it remembers the way out of before
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.mark.usefixtures("_offline")
@pytest.mark.filterwarnings("ignore:A network error occurred:UserWarning")
def test_offline_the_error_says_how_to_do_without():
    expected = (
        r"^OpenML could not be reached for dataset 37: <urlopen error .*>\. Without a connection, use a CSV file "
        r"instead: pass its path, or put it into the folder of folder= or RULEKIT_DATA\.$"
    )
    with pytest.raises(UnreachableDatasetError, match=expected):
        load("openml:37")
