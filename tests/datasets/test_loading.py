"""A text says which dataset is meant."""

import subprocess
import sys

import pytest
from sklearn.datasets import load_breast_cancer

from rulekit.core.errors import RulekitError
from rulekit.datasets import DatasetError, UnknownDatasetError, load


class TestBundled:
    @pytest.mark.parametrize(
        ("name", "shape"),
        [("iris", (150, 4, 3)), ("wine", (178, 13, 3)), ("breast-cancer", (569, 30, 2)), ("digits", (1797, 64, 10))],
    )
    def test_scikit_learns_datasets_are_there(self, name, shape):
        dataset = load(f"sklearn:{name}")
        assert (dataset.name, dataset.n_samples, dataset.n_features, len(dataset.class_counts)) == (name, *shape)

    def test_labels_are_the_names_of_the_classes(self):
        numbers = load_breast_cancer().target
        assert load("sklearn:breast-cancer").y.tolist() == [("malignant", "benign")[number] for number in numbers]

    def test_the_source_tells_scikit_learns_version(self):
        import sklearn

        assert load("sklearn:iris").source == f"scikit-learn {sklearn.__version__}, load_iris"

    def test_an_unknown_one_suggests_the_nearest(self):
        expected = (
            r"^scikit-learn has no dataset 'sklearn:wines'\. Did you mean 'wine'\? Known: breast-cancer, digits, "
        )
        with pytest.raises(UnknownDatasetError, match=expected):
            load("sklearn:wines")


@pytest.mark.parametrize("spec", ["opnml:37", "OpenML:37"])
def test_an_unknown_source_suggests_the_nearest(spec):
    with pytest.raises(
        UnknownDatasetError,
        match=rf"^'{spec}' has an unknown source of datasets.* Did you mean 'openml'\? A dataset is a name ",
    ):
        load(spec)


@pytest.mark.parametrize("spec", ["", "../patients", "data/patients", "."])
def test_what_has_no_known_form_is_told_the_forms(spec, folder):
    with pytest.raises(
        UnknownDatasetError, match=r"is not the name of a dataset\. A dataset is a name in the folder, "
    ):
        load(spec, folder)


@pytest.mark.parametrize("spec", ["openml:", "openml:diabetes", "openml:-1", "openml:3.5"])
def test_openml_takes_ids_only(spec):
    with pytest.raises(DatasetError, match=rf"^OpenML's datasets are loaded by id, .*; got '{spec}'\.$"):
        load(spec)


def test_every_error_is_a_value_error_of_rulekit():
    assert issubclass(DatasetError, RulekitError)
    assert issubclass(DatasetError, ValueError)


def test_the_import_loads_neither_pandas_nor_scikit_learn():
    code = "import sys, rulekit.datasets; print({'pandas', 'sklearn'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
