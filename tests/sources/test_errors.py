"""What a source lacks is said with its part and its column, before or while it is read."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sources.tables import TARGET, features, from_source, in_memory, table, trained

import rulekit
from rulekit.core.errors import (
    BudgetWarning,
    EnsembleMismatchError,
    InvalidParameterError,
    MissingExtraError,
    NotInMemoryError,
    SourceError,
)


@pytest.fixture(scope="module")
def frame():
    return table()


@pytest.fixture(scope="module")
def model(frame):
    return trained(frame)


def error(model, source, kind=SourceError, **options):
    with pytest.raises(kind) as caught:
        from_source(model, source, **options)
    return str(caught.value)


class TestSources:
    def test_without_rows(self, model, frame):
        assert error(model, frame[:0]) == "The source has no rows."
        assert error(model, [frame[:0], frame[:0]]) == "The source has no rows."

    def test_an_iterator_that_has_been_read(self, model, frame):
        frames = iter([frame])
        from_source(model, frames)
        expected = "The source has no rows. An iterator can be read only once: pass a function that returns a new one."
        assert error(model, frames) == expected

    def test_frames_without_rows_between_others_change_nothing(self, model, frame):
        found = from_source(model, [frame[:0], frame[:20], frame[:0], frame[20:]])
        assert found.ruleset_.to_dict() == in_memory(model, frame).ruleset_.to_dict()

    @pytest.mark.parametrize("source", [3, None, np.zeros((3, 2))])
    def test_of_another_kind(self, model, source):
        assert error(model, source).startswith(f"A {type(source).__name__} is no source of samples. Pass a Parquet")

    def test_of_something_else_than_frames(self, model):
        assert error(model, [{"size": 1}]).startswith("A source must consist of data frames, got a dict. Pass a")

    def test_not_found(self, model, tmp_path):
        assert error(model, tmp_path / "no") == f"File or folder not found: {tmp_path / 'no'}."

    def test_a_folder_without_files(self, model, tmp_path):
        assert error(model, tmp_path) == f"The folder {tmp_path} has no Parquet files."

    def test_a_file_of_another_format(self, model, frame, tmp_path):
        frame.to_csv(tmp_path / "a.csv")
        told = error(model, tmp_path / "a.csv")
        assert told.startswith(f"{tmp_path / 'a.csv'} cannot be read as Parquet: ")
        assert told.endswith("such as pandas.read_csv(path, chunksize=100_000).")

    def test_a_damaged_file_in_the_middle_of_a_folder(self, model, frame, tmp_path):
        frame.to_parquet(tmp_path / "a.parquet")
        (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing else PAR1")
        assert f"{tmp_path} cannot be read as Parquet: " in error(model, tmp_path)


class TestColumns:
    def test_target_is_missing(self, model, frame):
        told = error(model, [features(frame)])
        assert told == "The source has no column 'species' with labels. Its columns: 'size', 'legs', 'colour'."

    def test_a_column_is_missing_in_a_later_part(self, model, frame):
        told = error(model, [frame[:20], frame[20:].rename(columns={"legs": "arms"})])
        assert told == (
            "Part 2 of the source does not have the columns of its first part. Missing: ['legs']; unknown: ['arms']. "
            "All parts need the same columns."
        )

    def test_a_later_part_has_them_in_another_order(self, model, frame):
        found = from_source(model, [frame[:20], frame[20:][[TARGET, "colour", "legs", "size"]]])
        assert found.ruleset_.to_dict() == in_memory(model, frame).ruleset_.to_dict()

    def test_a_column_is_missing_in_a_file(self, model, frame, tmp_path):
        frame[:20].to_parquet(tmp_path / "a.parquet")
        frame[20:].drop(columns="legs").to_parquet(tmp_path / "b.parquet")
        told = error(model, tmp_path)
        assert told.startswith(f"{tmp_path / 'b.parquet'} does not have the columns of {tmp_path / 'a.parquet'}. Mis")

    def test_a_column_has_another_type_in_a_file(self, model, frame, tmp_path):
        frame[:20].to_parquet(tmp_path / "a.parquet")
        frame[20:].astype({"legs": str}).to_parquet(tmp_path / "b.parquet")
        told = error(model, tmp_path)
        assert told.startswith(f"The column 'legs' is of type large_string in {tmp_path / 'b.parquet'}, but of type")

    def test_a_column_holds_strings_in_a_later_part(self, model, frame):
        told = error(model, [frame[:20], frame[20:].astype({"legs": str})])
        assert told == (
            "The column 'legs' holds no numbers in part 2 of the source, but numbers in its first part. Convert it to "
            "one type."
        )

    def test_other_columns_than_those_of_the_ensemble(self, model, frame):
        told = error(model, [frame.assign(more=1)], EnsembleMismatchError)
        assert told.startswith("The LGBMClassifier was trained on 3 features, but X has 4.")


class TestLabels:
    def test_an_unknown_one_in_a_later_part(self, model, frame):
        later = frame[20:].replace({TARGET: {"bee": "wasp"}})
        told = error(model, [frame[:20], later], EnsembleMismatchError)
        assert told.startswith("y has classes that the LGBMClassifier was not trained on: ['wasp']; it knows ['ant',")

    @pytest.mark.parametrize("missing", [None, np.nan])
    def test_a_missing_one(self, model, frame, missing):
        later = frame[20:].assign(species=[missing, missing, *frame[TARGET][22:]])
        told = error(model, [frame[:20], later])
        assert told.startswith("The column 'species' has 2 missing labels. Leave these samples out, or give them")

    def test_only_one_class(self, model, frame):
        assert error(model, frame[frame[TARGET] == "bee"]).startswith("The column 'species' has only one class, 'bee'")


class TestValues:
    @pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
    def test_that_the_ensemble_does_not_support(self, frame, value, name):
        numbers = frame[["legs", TARGET]]
        boosting = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(features(numbers), numbers[TARGET])
        later = numbers[20:].astype({"legs": float})
        later.iloc[3, 0] = value
        with pytest.raises(ValueError, match=f"Input X contains {name}"):
            from_source(boosting, [numbers[:20], later])

    def test_missing_only_in_a_column_that_had_none_in_training(self, frame):
        """The ensemble says where they go, and the rules are those of the whole table."""
        model = trained(frame)
        later = frame.astype({"legs": float})
        later.loc[55:57, "legs"] = np.nan
        found = from_source(model, [later[:20], later[20:]])
        assert found.ruleset_.to_dict() == in_memory(model, later).ruleset_.to_dict()

    def test_unknown_categories_in_a_later_part(self, frame):
        model = trained(frame[:40])
        later = frame.astype({"colour": object})
        later.loc[45:48, "colour"] = "pink"
        later["colour"] = later["colour"].astype("category")
        found = from_source(model, [later[:20], later[20:]])
        assert found.ruleset_.to_dict() == in_memory(model, later).ruleset_.to_dict()

    def test_only_unknown_categories_in_one_part(self, frame):
        model = trained(frame)
        other = frame[:3].astype({"colour": object}).assign(colour="pink").astype({"colour": "category"})
        whole = pd.concat([frame.astype({"colour": object}), other.astype({"colour": object})], ignore_index=True)
        found = from_source(model, [other, frame])
        expected = in_memory(model, whole.astype({"colour": "category"}))
        assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()

    def test_only_unknown_categories_in_all_parts(self, model, frame):
        codes = frame["colour"].cat.codes.astype("category")
        told = error(model, [part.assign(colour=codes) for part in (frame[:20], frame[20:])], EnsembleMismatchError)
        assert told.startswith("No value of the column 'colour' is a category of the LGBMClassifier: it knows ['blue'")

    def test_categories_that_the_model_does_not_store(self, frame):
        """CatBoost stores hashes, so their labels come from the first part."""
        catboost = pytest.importorskip("catboost")
        plain = frame.astype({"colour": object}).fillna({"colour": "none"})
        parameters = {"one_hot_max_size": 9, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
        model = catboost.CatBoostClassifier(5, cat_features=["colour"], **parameters)
        model.fit(features(plain), plain[TARGET])
        found = from_source(model, [plain[20:], plain[:20]])
        assert found.ruleset_.to_dict() == in_memory(model, plain).ruleset_.to_dict()
        told = error(model, [plain, plain.replace({"colour": {"red": "pink"}})], EnsembleMismatchError)
        assert told.startswith("The CatBoostClassifier does not store the labels of its categories ('colour'), and a p")


class TestParameters:
    def test_a_method_that_looks_at_single_samples(self, model, frame):
        told = "fit_from does not support refine=.*: a refine stage looks at single samples"
        with pytest.raises(InvalidParameterError, match=told):
            rulekit.build("rclist", model).fit_from(frame, TARGET)

    def test_an_estimator_that_looks_at_single_samples_where_these_are_known(self, frame):
        """`fit` would use out-of-bag predictions, of the very samples that the forest was trained on."""
        numbers = frame[["legs", TARGET]]
        forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(features(numbers), numbers[TARGET])
        with pytest.raises(
            NotInMemoryError, match="The out-of-bag predictions of the RandomForestClassifier are about"
        ):
            from_source(forest, numbers, final_estimator="answered")
        found = from_source(forest, numbers[1:], final_estimator="answered")
        expected = in_memory(forest, numbers[1:], final_estimator="answered")
        assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()

    @pytest.mark.filterwarnings(f"ignore::{BudgetWarning.__module__}.{BudgetWarning.__name__}")
    @pytest.mark.parametrize(
        "parameters",
        [
            {"final_estimator": "answered", "search_score": "log-loss"},
            {"inference": "aggregate", "priors": "mean"},
            {"thresholds": "shown", "max_rules": 3},
            {"max_candidates": 5, "rule_order": "precision", "min_class_coverage": 0.1},
        ],
        ids=str,
    )
    def test_others_are_those_of_fit(self, model, frame, parameters):
        found = from_source(model, frame, part_size=7, **parameters)
        assert found.ruleset_.to_dict() == in_memory(model, frame, **parameters).ruleset_.to_dict()

    def test_an_unfitted_ensemble(self, frame):
        with pytest.raises(rulekit.RulekitError, match="fit_from needs a fitted ensemble, but this RandomForest"):
            rulekit.build("rcprob", "rf").fit_from(frame, TARGET)

    def test_a_pipeline(self, frame):
        numbers = frame[["legs", TARGET]]
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0))
        pipeline.fit(features(numbers), numbers[TARGET])
        with pytest.raises(rulekit.RulekitError, match="Not supported by fit_from: a Pipeline"):
            rulekit.build("rcprob", pipeline).fit_from(numbers, TARGET)

    def test_keeping_the_index(self, model, frame):
        assert "keep_index=True" in error(model, frame, InvalidParameterError, keep_index=True)

    @pytest.mark.parametrize("part_size", [0, 1.5, True])
    def test_a_size_of_parts_that_is_none(self, model, frame, part_size):
        told = f"part_size must be a positive whole number, got {part_size!r}."
        assert error(model, frame, InvalidParameterError, part_size=part_size) == told

    def test_an_unknown_backend(self, model, frame):
        with pytest.raises(InvalidParameterError, match="backend must be None or one of local, dask, got 'ray'"):
            rulekit.build("rcprob", model).fit_from(frame, TARGET, backend="ray")

    def test_a_backend_for_other_sources(self, model, frame):
        with pytest.raises(InvalidParameterError, match="backend='dask' takes a Dask DataFrame or a list of Delayed"):
            rulekit.build("rcprob", model).fit_from(frame, TARGET, backend="dask")

    def test_without_pyarrow(self, model, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
        told = error(model, tmp_path, MissingExtraError)
        assert told.endswith("pip install 'rulekit-rcprob[parquet]'.")

    def test_a_failed_fit_changes_nothing(self, model, frame):
        extractor = rulekit.build("rcprob", model).fit_from(frame, TARGET)
        before = extractor.ruleset_
        with pytest.raises(SourceError):
            extractor.fit_from([frame[:20], features(frame)], TARGET)
        assert extractor.ruleset_ is before


class TestPredictions:
    def test_without_a_column_in_a_later_part(self, model, frame):
        parts = in_memory(model, frame).predict_from([frame[:20], frame[20:].drop(columns="legs")])
        assert len(next(parts)) == 20
        told = r"Part 2 of the source lacks the columns \['legs'\], which the rules were extracted from\."
        with pytest.raises(SourceError, match=told):
            next(parts)

    def test_before_fit(self, model, frame):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob", model).predict_from(frame)

    def test_of_a_pipeline(self, frame):
        numbers = frame[["legs", TARGET]]
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(3, max_depth=2, random_state=0))
        found = rulekit.build("rcprob", pipeline, columns="transformed").fit(features(numbers), numbers[TARGET])
        with pytest.raises(rulekit.RulekitError, match="Not supported for a source: a Pipeline"):
            found.predict_proba_from(numbers)


def test_folders_named_by_a_value_are_a_column(frame, tmp_path):
    """As pandas, polars and DuckDB read them."""
    numbers = frame.fillna({"size": 0.0})[["size", "legs", TARGET]]
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(features(numbers), numbers[TARGET])
    numbers.to_parquet(tmp_path, partition_cols=["legs"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["legs=0", "legs=1", "legs=2", "legs=3"]
    assert from_source(model, tmp_path).ruleset_.to_dict() == in_memory(model, numbers).ruleset_.to_dict()
