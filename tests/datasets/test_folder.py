"""Datasets by name in a folder."""

import re

import pytest

from rulekit.datasets import DatasetError, UnknownDatasetError, load, names


def test_names_are_the_csv_files_in_order(folder):
    assert names(folder) == ["flowers", "patients"]


def test_a_name_is_a_file_in_the_folder(folder):
    dataset = load("patients", folder)
    assert (dataset.name, dataset.source) == ("patients", str(folder / "patients.csv"))
    assert (dataset.X["age"].tolist(), dataset.y.tolist()) == ([20.5, 30.0], [0, 1])


def test_the_environment_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("RULEKIT_DATA", str(folder))
    assert (names(), load("flowers").n_samples) == (["flowers", "patients"], 3)


def test_the_argument_comes_before_the_environment(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_DATA", str(tmp_path / "elsewhere"))
    assert names(folder) == ["flowers", "patients"]


@pytest.mark.usefixtures("_no_folder")
@pytest.mark.parametrize("call", [names, lambda: load("patients")])
def test_without_a_folder_both_ways_to_name_one_are_told(call):
    expected = (
        "No folder of datasets given. Pass folder=, or set the environment variable RULEKIT_DATA to a folder of CSV "
        "files."
    )
    with pytest.raises(DatasetError, match=re.escape(expected)):
        call()


@pytest.mark.usefixtures("_no_folder")
def test_a_name_that_scikit_learn_has_is_pointed_to():
    with pytest.raises(DatasetError, match=r"scikit-learn has one of this name: 'sklearn:iris'\.$"):
        load("iris")


def test_a_folder_that_is_not_there_says_who_named_it(tmp_path, monkeypatch):
    missing = tmp_path / "nowhere"
    with pytest.raises(DatasetError, match=re.escape(f"Folder not found: {missing}, given by folder=.")):
        names(missing)
    monkeypatch.setenv("RULEKIT_DATA", str(missing))
    with pytest.raises(DatasetError, match=re.escape(f"Folder not found: {missing}, given by RULEKIT_DATA.")):
        names()


def test_an_unknown_name_suggests_the_nearest_and_lists_all(folder):
    expected = f"There is no patient.csv in {folder}. Did you mean 'patients'? Datasets there: flowers, patients."
    with pytest.raises(UnknownDatasetError, match=f"^{re.escape(expected)}$"):
        load("patient", folder)


def test_an_empty_folder_says_that_it_is(tmp_path):
    with pytest.raises(UnknownDatasetError, match=r"Datasets there: none\.$"):
        load("patients", tmp_path)
