"""Tables and labels that a library would reject in its own words, or that would end the process."""

import subprocess
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rulekit
from rulekit.core.errors import EnsembleMismatchError, RulekitError, UnsupportedDataError
from rulekit.evaluation import evaluate
from rulekit.model import named_ensemble

N_SAMPLES = 40
NUMBERS = np.random.default_rng(0).normal(size=N_SAMPLES).round(2)
CATEGORIES = ["uvwx"[position % 4] for position in range(N_SAMPLES)]
IS_LARGE = NUMBERS > 0
SMALL = {"hist-gbm": {"max_iter": 3, "min_samples_leaf": 2}, "lightgbm": {"n_estimators": 3, "min_child_samples": 2}}
ENSEMBLES = ("rf", "hist-gbm", "xgboost", "lightgbm", "catboost")

#: A second column of each type, in each library.
COLUMNS: dict[str, Any] = {
    "pandas decimal": pd.Series([Decimal(str(value)) for value in NUMBERS]),
    "pandas string": pd.Series(CATEGORIES),
    "pandas category": pd.Series(CATEGORIES, dtype="category"),
    "pandas nullable": pd.Series([None, *range(N_SAMPLES - 1)], dtype="Int64"),
    "polars decimal": pl.Series([Decimal(str(value)) for value in NUMBERS]),
    "polars string": pl.Series(CATEGORIES),
    "polars category": pl.Series(CATEGORIES, dtype=pl.Categorical),
    "polars enum": pl.Series(CATEGORIES, dtype=pl.Enum(list("uvwx"))),
    "polars list": pl.Series([[1, 2]] * N_SAMPLES),
    "polars struct": pl.Series([{"a": 1}] * N_SAMPLES),
    "polars binary": pl.Series([b"u"] * N_SAMPLES),
    "polars nullable": pl.Series([None, *range(N_SAMPLES - 1)]),
    "polars boolean": pl.Series(IS_LARGE),
    "pyarrow decimal": pa.array([Decimal(str(value)) for value in NUMBERS]),
    "pyarrow string": pa.array(CATEGORIES),
    "pyarrow category": pa.array(CATEGORIES).dictionary_encode(),
    "pyarrow nullable": pa.array([None, *range(N_SAMPLES - 1)]),
}
NUMERIC = {"pandas nullable", "polars nullable", "polars boolean", "pyarrow nullable"}
CATEGORICAL = {"pandas category", "polars category", "polars enum", "pyarrow category"}
READ = {
    "rf": NUMERIC,
    "hist-gbm": NUMERIC | CATEGORICAL,
    "xgboost": NUMERIC | CATEGORICAL,
    "lightgbm": NUMERIC | {"pandas category"},
    "catboost": NUMERIC - {"pyarrow nullable"},
}


def small(name: str) -> Any:
    return named_ensemble(name, 0).set_params(**SMALL.get(name, {"n_estimators": 3}))


def table(column: str) -> Any:
    values = {"number": NUMBERS, "other": COLUMNS[column]}
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    return make[column.split()[0]](values)


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_table_is_read_or_rejected_by_the_name_of_its_column(name, column):
    """LightGBM and CatBoost ended the process for columns in polars and Arrow tables that they do not read."""
    model, X = rulekit.build("rcprob", small(name)), table(column)
    if column in READ[name]:
        model.fit(X, IS_LARGE)
        assert evaluate(model, X, IS_LARGE)["fidelity"] > 0.5
    else:
        message = "pyarrow tables" if name == "catboost" and "pyarrow" in column else "'other'"
        with pytest.raises((UnsupportedDataError, EnsembleMismatchError), match=message):
            model.fit(X, IS_LARGE)


@pytest.mark.parametrize(
    "column", ["polars category", "polars enum", "polars string", "polars boolean", "pyarrow category"]
)
def test_columns_named_in_cat_features_are_read_or_rejected(column):
    """A Categorical of polars ended the process; only columns that are no categories to CatBoost had been tried."""
    model, X = rulekit.build("rcprob", small("catboost").set_params(cat_features=["other"])), table(column)
    if column in ("polars category", "pyarrow category"):
        with pytest.raises(UnsupportedDataError, match=r"'other' \(Categorical\)|pyarrow tables"):
            model.fit(X, IS_LARGE)
    else:
        model.fit(X, IS_LARGE)
        assert evaluate(model, X, IS_LARGE)["fidelity"] > 0.5


def test_errors_of_a_librarys_own_class_are_translated():
    """XGBoost's class is a `ValueError`, and its message ended with a stack trace of the library."""
    X = pd.DataFrame({"number": NUMBERS, "other": pd.Categorical(np.arange(N_SAMPLES) % 4 / 2)})
    with pytest.raises(UnsupportedDataError, match=r"rejects these samples: XGBoostError: .*floating point") as raised:
        rulekit.build("rcprob", small("xgboost")).fit(X, IS_LARGE)
    assert "Stack trace" not in str(raised.value)


@pytest.fixture(scope="module")
def lightgbm():
    return rulekit.build("rcprob", small("lightgbm")).fit(table("pandas category"), IS_LARGE)


class TestPrediction:
    """The ensemble itself predicts in explanations and for fidelity: there the process ended too."""

    def test_fidelity_rejects_a_table_that_the_ensemble_cannot_read(self, lightgbm):
        with pytest.raises(UnsupportedDataError, match=r"LightGBM cannot read .*'other' \(Categorical.*X.to_pandas"):
            evaluate(lightgbm, table("polars category"), IS_LARGE)

    def test_an_ensemble_itself_rejects_it_in_evaluate(self, lightgbm):
        with pytest.raises(UnsupportedDataError, match="LightGBM cannot read"):
            evaluate(lightgbm.ensemble_, table("polars category"), IS_LARGE)

    def test_a_report_rejects_it(self, lightgbm, tmp_path):
        with pytest.raises(UnsupportedDataError, match="LightGBM cannot read"):
            lightgbm.report(tmp_path / "rules.html", table("polars category"), IS_LARGE)

    def test_an_explanation_does_without_the_ensemble(self, lightgbm):
        explained = lightgbm.explain(table("polars category")[:2])
        assert explained.ensemble is None
        assert lightgbm.explain(table("pandas category")[:2]).ensemble is not None

    def test_rules_need_no_library_to_predict(self, lightgbm):
        expected = lightgbm.predict_proba(table("pandas category"))
        assert lightgbm.predict_proba(table("polars category")).tolist() == expected.tolist()

    def test_catboost_gets_the_whole_numbers_of_its_categories(self):
        X = pd.DataFrame({"number": NUMBERS, "other": np.arange(N_SAMPLES) % 4})
        model = rulekit.build("rcprob", small("catboost").set_params(cat_features=["other"])).fit(X, IS_LARGE)
        assert evaluate(model, X, IS_LARGE)["fidelity"] > 0.5


def test_the_process_survives():
    """In a process of its own: if LightGBM is called, this one ends with exit code 134."""
    code = "\n".join(
        [
            "import polars as pl, rulekit",
            "colours = pl.Series(['u', 'v'] * 20, dtype=pl.Categorical)",
            "X = pl.DataFrame({'a': [float(i) for i in range(40)], 'b': colours})",
            "try:",
            "    rulekit.build('rcprob', 'lightgbm').fit(X, [0, 1] * 20)",
            "except ValueError as error:",
            "    print(type(error).__name__)",
        ]
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "UnsupportedDataError")


LABELS: dict[str, tuple[Any, Any]] = {
    "empty": ("", "b"),
    "lone surrogate": ("\ud800", "b"),
    "beyond single precision": (2**24 + 1, 5),
    "beyond 64 bits": (2**70, 5),
    "bytes": (b"a", b"b"),
    "decimal": (Decimal("1.5"), Decimal(2)),
    "tuple": ((1, 2), (3, 4)),
    "strings and numbers": ("1", 1),
    "booleans and numbers": (True, 2),
}
ANY_LIBRARY = {"beyond 64 bits", "bytes", "decimal", "tuple", "strings and numbers", "booleans and numbers"}


def labels(pair: tuple[Any, Any]) -> Any:
    found = np.empty(N_SAMPLES, dtype=object)
    for position, is_large in enumerate(IS_LARGE.astype(int)):
        found[position] = pair[is_large]
    return found


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_are_predicted_or_rejected(name, kind):
    model, X, y = rulekit.build("rcprob", small(name)), NUMBERS.reshape(-1, 1), labels(LABELS[kind])
    if kind in ANY_LIBRARY or name == "catboost":
        with pytest.raises(UnsupportedDataError, match=r"^y "):
            model.fit(X, y)
    else:
        assert set(model.fit(X, y).predict(X).tolist()) == set(LABELS[kind])


def test_other_errors_of_a_library_are_errors_of_rulekit():
    ensemble = small("catboost").set_params(class_weights=[1, 2, 3])
    with pytest.raises(UnsupportedDataError, match=r"^The CatBoostClassifier rejects these samples: CatBoostError: "):
        rulekit.build("rcprob", ensemble).fit(NUMBERS.reshape(-1, 1), IS_LARGE)
    assert issubclass(UnsupportedDataError, RulekitError)
