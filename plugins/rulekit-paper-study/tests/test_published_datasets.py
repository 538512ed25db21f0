"""The table of the published study, and data that is compared with it."""

import attrs
import pandas as pd
import pytest
from rulekit_paper_study.datasets import PUBLISHED
from rulekit_paper_study.loading import (
    Difference,
    PublishedMismatchError,
    PublishedMismatchWarning,
    check_published,
    load_published,
)

from rulekit.datasets import Dataset, UnknownDatasetError, UnreachableDatasetError, load

CONFIRMED = [name for name in PUBLISHED if name != "credit"]


def made_up(name, counts, n_features):
    """A dataset of a name with so many samples of each class."""
    y = pd.Series([label for label, count in enumerate(counts) for _ in range(count)])
    X = pd.DataFrame({f"x{column}": range(len(y)) for column in range(n_features)})
    return Dataset(name, X, y, "a test")


class TestTable:
    def test_it_has_18_binary_and_5_multiclass_datasets(self):
        sizes = [published.n_classes for published in PUBLISHED.values()]
        assert (sizes.count(2), len(sizes)) == (18, 23)

    def test_no_id_is_pinned_twice(self):
        pinned = [published.openml for published in PUBLISHED.values() if published.openml is not None]
        assert len(set(pinned)) == len(pinned) == 11

    def test_it_cannot_be_changed(self):
        with pytest.raises(TypeError):
            PUBLISHED["pima"] = PUBLISHED["heart"]  # type: ignore[index]
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            PUBLISHED["pima"].ratio = 1.0  # type: ignore[misc]


class TestCheck:
    def test_equal_data_has_no_differences(self):
        assert check_published(made_up("cryotherapy", (42, 48), 6)) == ()

    def test_every_difference_is_told(self):
        assert check_published(made_up("cryotherapy", (20, 20, 40), 5)) == (
            Difference("samples", 80, 90),
            Difference("features", 5, 6),
            Difference("classes", 3, 2),
            Difference("class ratio", 2.0, 1.14),
        )

    def test_a_difference_reads_as_a_sentence(self):
        assert str(Difference("samples", 80, 90)) == "samples: 80, published 90"
        assert str(Difference("class ratio", 2.0, 1.1)) == "class ratio: 2.00, published 1.10"

    def test_a_dataset_can_be_compared_with_a_row_of_another_name(self):
        assert check_published(made_up("mine", (42, 48), 6), "cryotherapy") == ()

    def test_an_unknown_name_suggests_the_nearest(self):
        with pytest.raises(
            UnknownDatasetError, match=r"^No published dataset is named 'hearts'\. Did you mean 'heart'\?"
        ):
            check_published(made_up("hearts", (1, 1), 1))


class TestData:
    """The real data."""

    @pytest.mark.parametrize("name", CONFIRMED)
    def test_it_is_as_published(self, name, data_folder):
        assert check_published(load(name, data_folder)) == ()

    def test_credit_has_the_published_shape_and_another_class_ratio(self, data_folder):
        assert check_published(load("credit", data_folder)) == (Difference("class ratio", 1.23, 11.11),)

    def test_credit_is_loaded_with_a_warning(self, data_folder):
        expected = r"class ratio: 1\.23, published 11\.11\. The study does not say which credit data it means\."
        with pytest.warns(PublishedMismatchWarning, match=expected):
            assert load_published("credit", data_folder).n_samples == 666

    def test_it_comes_from_the_folder_without_asking_openml(self, data_folder, answers):
        assert load_published("pima", data_folder).source == str(data_folder / "pima.csv")
        assert answers.asked == []


class TestFolder:
    def test_data_that_is_not_as_published_is_refused(self, folder):
        (folder / "patients.csv").rename(folder / "pima.csv")
        expected = (
            r"pima\.csv is not 'pima' as published\. samples: 2, published 768; features: 1, published 8; "
            r"class ratio: 1\.00, published 1\.87\. To use it all the same, load it with rulekit\.datasets\.load\.$"
        )
        with pytest.raises(PublishedMismatchError, match=expected):
            load_published("pima", folder)

    def test_credit_of_another_shape_is_refused_too(self, folder):
        (folder / "patients.csv").rename(folder / "credit.csv")
        with pytest.raises(PublishedMismatchError, match=r"samples: 2, published 666; "):
            load_published("credit", folder)

    def test_without_file_and_id_the_way_to_the_data_is_told(self, folder):
        expected = (
            r"^'vehicle' has no id at OpenML that is known to be the published data\. There is no vehicle\.csv in "
            r".*tables: put it there, with 845 samples, 18 features and a column target\.$"
        )
        with pytest.raises(UnknownDatasetError, match=expected):
            load_published("vehicle", folder)

    @pytest.mark.usefixtures("_no_folder")
    def test_without_folder_and_id_the_way_to_the_data_is_told(self):
        expected = r"Put vehicle\.csv, with .* into a folder, and pass folder= or set RULEKIT_DATA\.$"
        with pytest.raises(UnknownDatasetError, match=expected):
            load_published("vehicle")


@pytest.mark.usefixtures("_no_folder")
class TestOpenml:
    @pytest.fixture
    def sent(self, monkeypatch):
        """Makes OpenML's reader return a dataset for every id, and remembers the ids."""
        ids = []

        def send(dataset):
            monkeypatch.setattr("rulekit_paper_study.loading.load", lambda spec: [ids.append(spec), dataset][1])
            return ids

        return send

    def test_it_is_asked_for_the_pinned_id_and_its_name_gives_way(self, sent):
        ids = sent(made_up("heart-statlog", (150, 120), 13))
        dataset = load_published("heart")
        assert (ids, dataset.name, dataset.source) == (["openml:53"], "heart", "a test")

    def test_it_is_asked_when_the_folder_lacks_the_dataset(self, sent, folder):
        ids = sent(made_up("heart-statlog", (150, 120), 13))
        assert (load_published("heart", folder).name, ids) == ("heart", ["openml:53"])

    def test_samples_with_missing_values_are_dropped_where_the_study_did(self, sent):
        whole = made_up("breast-w", (458, 241), 9)
        whole.X.loc[[*range(14), 690, 691], "x5"] = None
        sent(whole)
        dataset = load_published("wisconsin")
        assert dataset.class_counts == {0: 444, 1: 239}
        assert dataset.source == "a test, without 16 samples that the published study leaves out"

    def test_rare_classes_are_dropped_where_the_study_did(self, sent):
        sent(made_up("ecoli", (143, 77, 52, 35, 20, 5, 2, 2), 7))
        assert load_published("ecoli").class_counts == {0: 143, 1: 77, 2: 52, 3: 35, 4: 20}

    def test_samples_are_numbered_anew(self, sent):
        sent(made_up("ecoli", (2, 2, 5, 143, 77, 52, 35, 20), 7))
        dataset = load_published("ecoli")
        assert dataset.X.index.tolist() == dataset.y.index.tolist() == list(range(327))

    def test_rare_classes_stay_where_the_study_kept_them(self, sent):
        sent(made_up("glass", (70, 76, 17, 13, 9, 29), 9))
        assert load_published("glass").class_counts[4] == 9

    def test_what_is_not_as_published_is_refused(self, answers):
        with pytest.raises(
            PublishedMismatchError, match=r"^OpenML 41 \(glass, version 1\) is not 'glass' as published\."
        ):
            load_published("glass")

    def test_offline_the_way_to_the_data_is_told(self, monkeypatch):
        def refuse(**options):
            raise ConnectionRefusedError("refused")

        monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
        expected = (
            r"^'pima' could not be had from OpenML, id 37: refused\. Put pima\.csv, with 768 samples, 8 features and a "
            r"column target, into a folder, and pass folder= or set RULEKIT_DATA\.$"
        )
        with pytest.raises(UnreachableDatasetError, match=expected):
            load_published("pima")
