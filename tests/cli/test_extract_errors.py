"""rulekit extract: every error is one line that says what to do."""

import os
import pickle
import sys
from decimal import Decimal
from zipfile import ZipFile

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from cli.terminal import QUICK, run
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression


def error(*arguments, target="species"):
    """The one line of an error."""
    result = run("extract", *arguments, "--target", target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Error: ").rstrip("\n")


class MakesAFolder:
    """What opens its pickle runs code."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


class TestFile:
    def test_that_is_not_there(self, tmp_path):
        assert error(tmp_path / "none.csv") == f"File not found: {tmp_path / 'none.csv'}."

    def test_of_another_kind(self, tmp_path):
        (tmp_path / "data.sav").write_text("")
        assert error(tmp_path / "data.sav") == (
            f"The file format of {tmp_path / 'data.sav'} is not supported; its name should end in one of .csv, "
            ".csv.gz, .tsv, .tsv.gz, .txt, .parquet, .pq, .xlsx, .xlsm."
        )

    def test_of_excel_that_is_damaged(self, tmp_path):
        (tmp_path / "data.xlsx").write_text("hello")
        assert "data.xlsx could not be read as an Excel file: File is not a zip file." in error(tmp_path / "data.xlsx")

    @pytest.mark.parametrize("content", ["", "\n\n"])
    def test_that_is_empty(self, tmp_path, content):
        (tmp_path / "data.csv").write_text(content)
        assert "data.csv could not be read as a CSV file: No columns to parse" in error(tmp_path / "data.csv")

    def test_without_samples(self, written, table):
        assert error(written(table.iloc[:0])).endswith("data.csv has no samples.")

    def test_that_is_not_text(self, tmp_path):
        (tmp_path / "data.csv").write_bytes(b"a,species\n\xff\xfe\x00,1\n")
        assert error(tmp_path / "data.csv").endswith(
            "data.csv could not be read as a CSV file: byte 1 of line 2 (0xff) is not UTF-8. Save the file with that "
            "encoding; in Excel: as 'CSV UTF-8'."
        )

    def test_with_rows_longer_than_the_header(self, tmp_path):
        (tmp_path / "data.csv").write_text("a,species\n1,x,5\n2,y,6\n")
        assert error(tmp_path / "data.csv").endswith(
            "line 2 has 3 values, but 2 columns have a name. Its first surplus value is '5'."
        )

    def test_with_a_row_that_is_too_short(self, tmp_path):
        (tmp_path / "data.csv").write_text("a,b,species\n1,2,x\n\n3,4\n5,6,y\n")
        assert error(tmp_path / "data.csv").endswith("line 4 has 2 values, but 3 columns have a name.")

    def test_with_a_quote_that_stays_open(self, tmp_path):
        (tmp_path / "data.csv").write_text('a,species\n1,x\n2,"y\n3,x\n')
        assert error(tmp_path / "data.csv").endswith("line 3 opens a quote that is never closed.")

    def test_that_is_compressed_and_cut_off(self, table, tmp_path):
        table.to_csv(tmp_path / "data.csv.gz", index=False)
        whole = (tmp_path / "data.csv.gz").read_bytes()
        (tmp_path / "data.csv.gz").write_bytes(whole[: len(whole) // 2])
        assert "data.csv.gz is compressed, and damaged: " in error(tmp_path / "data.csv.gz")

    def test_with_a_column_of_row_numbers(self, written, table):
        assert "has columns without a name, at position 1. If that is a column of row numbers, write the file" in error(
            written(table, index=True)
        )

    def test_with_two_columns_of_one_name(self, written, table):
        doubled = table.set_axis(["a", "a", "b", "c", "species"], axis="columns")
        expected = (
            "has several columns called 'a'. Rename them, so that rules are unambiguous; or, if its first row holds"
        )
        assert expected in error(written(doubled))

    def test_parquet_without_pyarrow_names_the_extra(self, tmp_path, monkeypatch):
        (tmp_path / "data.parquet").write_bytes(b"")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert error(tmp_path / "data.parquet").endswith(
            "needs pyarrow, which is not installed: pip install 'rulekit-rcprob[parquet]'."
        )

    def test_that_is_damaged_parquet(self, tmp_path):
        (tmp_path / "data.parquet").write_bytes(b"hello")
        assert "data.parquet" in error(tmp_path / "data.parquet")

    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            (pd.to_datetime(["2024-02-29", "2025-01-01"]), "Timestamp"),
            ([Decimal("1.5"), Decimal("2.5")], "Decimal"),
            ([b"a", b"b"], "bytes"),
            ([[1], [2, 3]], "ndarray"),
            ([{"a": 1}, {"a": 2}], "dict"),
        ],
    )
    @pytest.mark.parametrize("ensemble", ["hist-gbm", "rf"])
    def test_with_a_column_of_values_that_rules_cannot_name(self, tmp_path, table, values, kind, ensemble):
        """They were refused when the rules were to be written, after all the work."""
        odd = table.assign(odd=pd.Series(list(values) * len(table))[: len(table)])
        odd.to_parquet(tmp_path / "data.parquet")
        assert error(tmp_path / "data.parquet", "--ensemble", ensemble).endswith(
            f"data.parquet has columns that are neither numeric, nor strings or booleans: 'odd' ({kind}). Convert them "
            "first, or leave them out with --drop."
        )

    @pytest.mark.parametrize("separator", ["", ";;"])
    def test_with_a_separator_that_is_not_one_character(self, data, separator):
        expected = f"--separator takes one character, such as ';' or '\\t'; got {separator!r}."
        assert error(data, "--separator", separator) == expected


class TestTarget:
    @pytest.mark.parametrize("target", ["specie", "Species", "SPECIS"])
    def test_that_is_not_there_names_the_nearest(self, data, target):
        assert f"has no column {target!r}. Did you mean 'species'? Its columns: 'sepal_length'," in error(
            data, target=target
        )

    def test_that_is_like_no_column_names_all(self, data):
        assert error(data, target="xyz").endswith(
            "has no column 'xyz'. Its columns: 'sepal_length', 'sepal_width', 'petal_length', 'petal_width', 'species'."
        )

    def test_in_a_file_with_another_separator_says_so(self, written, table):
        message = error(written(table, sep=";"), "--separator", ",")
        assert "The values seem to be separated by another character: see --separator." in message

    def test_in_a_file_without_names_says_so(self, written, table):
        assert "Its first row seems to hold values: name the columns with --columns." in error(
            written(table, header=False)
        )

    def test_of_many_whole_numbers_asks_for_regression(self, written, table):
        assert error(written(table.assign(species=np.arange(len(table))))).endswith(
            "has 75 different numbers, from 0 to 74: did you mean regression? Rules predict classes. Group the values "
            "into classes first (in pandas: cut), or, if each number is a class, say so with --string-labels."
        )

    def test_with_one_class(self, written, table):
        assert error(written(table.assign(species="rose"))).endswith(
            "has only one class, 'rose'; rules need at least two. Choose another target or add samples of other "
            "classes."
        )

    def test_with_fractions(self, written, table):
        message = error(written(table.drop(columns="species")), target="petal_width")
        assert (
            "contains fractions, such as 0.2: rules predict classes, not continuous values as in regression." in message
        )

    def test_with_missing_classes(self, written, table):
        table.loc[:2, "species"] = None
        assert "has 3 samples without a class in 'species'" in error(written(table))

    def test_that_is_dropped(self, data):
        assert (
            error(data, "--drop", "species")
            == "The target 'species' cannot be dropped: remove it from --drop, or choose another target."
        )

    def test_that_is_the_only_column(self, written, table):
        assert error(written(table[["species"]])).endswith("has no columns besides the target.")


class TestColumns:
    def test_that_the_model_reads_as_numbers(self, written, table, saved):
        assert error(written(table.assign(colour="red", when="now")), "--model", saved).endswith(
            "has columns that are not numeric: 'colour', 'when'. The model reads numbers: pass the pipeline that "
            "encodes them, leave them out with --drop, or train an ensemble here (--ensemble)."
        )

    def test_of_too_many_strings(self, written, table):
        names = [f"name {number}" for number in range(300)]
        long = pd.concat([table] * 4, ignore_index=True).assign(name=names)
        assert error(written(long), "--test", 0) == (
            "The column 'name' has 300 different strings, too many for rules about them. Leave it out with --drop, or "
            "group them first."
        )

    def test_with_missing_values(self, written, table):
        table.loc[:2, "sepal_width"] = np.nan
        table.loc[0, "petal_width"] = np.nan
        assert error(written(table), "--ensemble", "gbm").endswith(
            "has missing values in the columns 'sepal_width' (3), 'petal_width' (1). Fill them in or remove these "
            "samples first, leave the columns out with --drop, or choose an ensemble that supports them (--ensemble "
            "hist-gbm)."
        )

    def test_with_infinite_values(self, written, table):
        table.loc[0, "sepal_width"] = np.inf
        assert error(written(table)).endswith("infinite values in the columns 'sepal_width'. Replace them first.")

    def test_to_drop_that_are_not_there(self, data):
        assert "has no column 'sepal_widht'. Did you mean 'sepal_width'?" in error(data, "--drop", "sepal_widht")


class TestNames:
    def test_of_an_unknown_method(self, data):
        assert error(data, "--method", "rcpro").startswith("No method named 'rcpro'. Did you mean 'rcprob'? Known:")

    def test_of_an_unknown_ensemble(self, data):
        assert error(data, "--ensemble", "gmb").startswith("No ensemble named 'gmb'. Did you mean 'gbm'? Known:")

    def test_of_an_unknown_component(self, data):
        assert error(data, "--set", "final_estimator=hybird").startswith(
            "No probability estimator named 'hybird'. Did you mean 'hybrid'? Known:"
        )

    def test_of_an_unknown_parameter(self, data):
        assert "unknown parameters: min_precison." in error(data, "--set", "min_precison=0.5")

    def test_of_an_unknown_parameter_of_a_component(self, data):
        assert "Invalid parameter 'n1' for estimator Answered()" in error(data, "--set", "final_estimator.n1=3")

    def test_of_a_parameter_of_a_component_that_is_left_out(self, data):
        assert error(data, "--set", "cover=none", "--set", "cover.x=3")

    def test_of_a_value_out_of_range(self, data):
        expected = "RuleExtractor: min_precision must be a number of at least 0 and at most 1, got 2."
        assert error(data, *QUICK, "--set", "min_precision=2") == expected


class TestEnsembleOptions:
    def test_that_the_ensemble_does_not_take(self, data):
        expected = "The ensemble 'rf' does not accept --learning-rate. It accepts: --n-estimators, --max-depth."
        assert error(data, "--learning-rate", 0.1) == expected

    def test_that_have_no_option_are_spelled_with_set(self, data):
        assert error(data, "--ensemble", "tree", "--n-estimators", 5) == (
            "The ensemble 'tree' does not accept --n-estimators. It accepts: --max-depth, --set ensemble.ccp_alpha=…."
        )

    def test_that_are_out_of_range(self, data):
        assert "The 'n_estimators' parameter of RandomForestClassifier must be" in error(data, "--n-estimators", 0)

    def test_given_twice(self, data):
        assert error(data, "--max-depth", 2, "--set", "ensemble.max_depth=3").endswith(
            "--set ensemble.max_depth set the same parameter: give only one of them."
        )


class TestModel:
    @pytest.fixture
    def message(self, data, tmp_path):
        def saved(model):
            joblib.dump(model, tmp_path / "other.joblib")
            return error(data, "--model", tmp_path / "other.joblib", "--allow-pickle")

        return saved

    def test_that_is_not_there(self, data, tmp_path):
        assert error(data, "--model", tmp_path / "none.joblib") == f"File not found: {tmp_path / 'none.joblib'}."

    def test_that_is_no_joblib_file(self, data, tmp_path):
        (tmp_path / "junk.joblib").write_text("hello")
        message = error(data, "--model", tmp_path / "junk.joblib", "--allow-pickle")
        assert "could not be read as a model saved with joblib.dump" in message

    def test_that_is_a_pickle_is_not_opened_unless_allowed(self, data, tmp_path):
        """The pickle would make a folder."""
        (tmp_path / "hostile.joblib").write_bytes(pickle.dumps(MakesAFolder(tmp_path / "made")))
        message = error(data, "--model", tmp_path / "hostile.joblib")
        assert "loading it runs the code in it: add --allow-pickle if you trust" in message
        assert not (tmp_path / "made").exists()

    def test_whatever_it_is_called(self, data, pickled):
        renamed = pickled.rename(pickled.with_suffix(".skops"))
        assert "is not a skops file" in error(data, "--model", renamed)

    def test_with_types_that_skops_does_not_know(self, data, tmp_path):
        skops.io.dump(MakesAFolder(tmp_path / "made"), tmp_path / "hostile.skops")
        message = error(data, "--model", tmp_path / "hostile.skops")
        assert "types that skops does not trust" in message
        assert not (tmp_path / "made").exists()

    def test_that_is_another_archive(self, data, tmp_path):
        with ZipFile(tmp_path / "other.zip", "w") as archive:
            archive.writestr("schema.json", "{")
        message = error(data, "--model", tmp_path / "other.zip")
        assert "could not be read as a model saved with skops.io.dump" in message

    @pytest.mark.parametrize("n_bytes", [20, 5000])
    def test_that_is_cut_off(self, data, saved, n_bytes):
        """It was taken for a pickle, and the advice was to open it as one."""
        saved.write_bytes(saved.read_bytes()[:n_bytes])
        message = error(data, "--model", saved)
        assert "could not be read as a model saved with skops.io.dump, and is probably damaged" in message
        assert "--allow-pickle" not in message

    @pytest.mark.parametrize(("attribute", "value"), [("estimators_", None), ("classes_", 3), ("feature_names_in_", 3)])
    def test_that_lacks_what_its_kind_has(self, data, tmp_path, forest, attribute, value):
        """It was said that this should not happen, whatever the input."""
        setattr(forest, attribute, value)
        skops.io.dump(forest, tmp_path / "damaged.skops")
        message = error(data, "--model", tmp_path / "damaged.skops")
        assert "damaged.skops is damaged: the RandomForestClassifier in it cannot be read: TypeError" in message

    def test_that_is_no_model(self, message):
        assert message({"a": 1}).endswith("other.joblib contains a dict, not a fitted classifier.")

    def test_that_is_not_fitted(self, message):
        assert message(RandomForestClassifier()).endswith("is not fitted. Fit it first, or use --ensemble.")

    def test_that_no_adapter_reads(self, message, table):
        model = LogisticRegression(max_iter=1000).fit(table.drop(columns="species"), table["species"])
        assert message(model).startswith(
            "Not supported: sklearn.linear_model._logistic.LogisticRegression is not known to be made of trees."
        )

    def test_trained_on_other_columns(self, message, table):
        model = RandomForestClassifier(2).fit(table[["sepal_length"]], table["species"])
        assert message(model).startswith("The RandomForestClassifier was trained on 1 features, but X has 4.")

    def test_trained_on_other_classes(self, message, table):
        model = RandomForestClassifier(2).fit(table.drop(columns="species"), table["species"] == "setosa")
        assert message(model).startswith("y has classes that the RandomForestClassifier was not trained on:")

    def test_together_with_options_for_training(self, data, saved):
        assert error(data, "--model", saved, "--ensemble", "rf", "--max-depth", 3) == (
            "--model is an ensemble that is already fitted: leave out --ensemble, --max-depth."
        )


class TestHeldOut:
    @pytest.mark.parametrize("fraction", ["1", "1.5", "-0.1", "nan"])
    def test_fraction_out_of_range(self, data, fraction):
        expected = f"--test takes a fraction of the samples, at least 0 and below 1, or a file; got {fraction}."
        assert error(data, f"--test={fraction}") == expected

    def test_fraction_with_fewer_samples_than_classes(self, data):
        assert "should be greater or equal to the number of classes" in error(data, "--test", 0.01)

    def test_fraction_with_a_class_of_one_sample(self, written, table):
        table.loc[0, "species"] = "rose"
        assert "but there is only one sample of class 'rose'. Remove it, pass a file to --test" in error(written(table))

    def test_file_that_is_not_there(self, data, tmp_path):
        assert error(data, "--test", tmp_path / "none.csv") == f"File not found: {tmp_path / 'none.csv'}."

    def test_file_that_lacks_a_column(self, data, written, table):
        other = written(table.drop(columns="sepal_width"), "other.csv")
        expected = f"{other} lacks columns that the training samples have: 'sepal_width'."
        assert error(data, "--test", other) == expected

    def test_file_with_another_column(self, data, written, table):
        other = written(table.assign(extra=1), "other.csv")
        expected = f"{other} has columns that the training samples lack: 'extra'. Leave them out with --drop."
        assert error(data, "--test", other) == expected

    def test_file_with_a_class_that_the_rules_do_not_know(self, data, written, table):
        other = written(table.assign(species="rose"), "other.csv")
        assert error(data, *QUICK, "--test", other).startswith("The true labels ['rose'] are not among the classes")


class TestOut:
    def test_in_a_folder_that_is_not_there(self, data, tmp_path):
        expected = f"Folder not found: {tmp_path / 'none'}. Create it before writing rules.json to it."
        assert error(data, "--out", tmp_path / "none" / "rules.json") == expected


def test_debug_shows_the_traceback(tmp_path):
    result = run("extract", tmp_path / "none.csv", "--target", "species", "--debug")
    assert (type(result.exception).__name__, str(result.exception)) == (
        "UnknownDatasetError",
        f"File not found: {tmp_path / 'none.csv'}.",
    )
