"""What fit, predict_proba, transform, explain and counterfactual make of samples in odd forms is the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import rulekit
from rulekit.core.errors import EnsembleMismatchError, TransformedColumnsWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
FRAME = pd.DataFrame(X, columns=list("abcd"))
COLOURS = FRAME.assign(colour=pd.Categorical(np.where(X[:, 2] > 0, "red", "blue")))
ASK = ["predict_proba", "predict", "transform", "explain", "counterfactual"]
ASK_RULES = ["predict_proba", "predict", "matches", "explain", "counterfactual"]

#: From numbers to what cannot be read as numbers, and the error that it must raise.
ODD: dict[str, tuple[Callable[[np.ndarray], Any], type[Exception], str]] = {
    "masked": (lambda X: np.ma.array(X, mask=np.eye(len(X), 4)), ValueError, "Masked values"),
    "dates": (lambda X: (X * 1e6).astype("datetime64[s]"), ValueError, "Columns of dates"),
    "NaT": (lambda X: np.full(X.shape, "NaT", dtype="datetime64[ns]"), ValueError, "Columns of dates"),
    "complex numbers": (lambda X: X + 1j, ValueError, "Complex"),
    "a number beyond doubles": (lambda X: [[10**400, 1, 1, 1]] * len(X), ValueError, "too large for float64"),
    "an infinity once rounded": (lambda X: np.full(X.shape, np.longdouble("1e4000")), ValueError, "infinity"),
    "a lazy frame": (lambda X: pl.DataFrame(X, schema=list("abcd")).lazy(), TypeError, r"X\.collect"),
}


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(5, random_state=0)


def boosting(**parameters: Any) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=5, **parameters)


def fitted(ensemble: Any, table: Any) -> rulekit.RuleExtractor:
    return rulekit.build("rcprob", ensemble).fit(table, Y)


@pytest.fixture(scope="module")
def model() -> rulekit.RuleExtractor:
    return fitted(forest(), X)


@pytest.fixture(scope="module")
def coloured() -> rulekit.RuleExtractor:
    return fitted(boosting(), COLOURS)


@pytest.mark.parametrize("form", ODD)
class TestOddForms:
    @pytest.mark.parametrize("ask", ASK)
    def test_are_rejected_by_a_model(self, ask, form, model):
        made, error, message = ODD[form]
        with pytest.raises(error, match=message):
            getattr(model, ask)(made(X[:1]))

    @pytest.mark.parametrize("ask", ASK_RULES)
    def test_are_rejected_by_a_ruleset(self, ask, form, model):
        made, error, message = ODD[form]
        with pytest.raises(error, match=message):
            getattr(model.ruleset_, ask)(made(X[:1]))

    @pytest.mark.parametrize("ensemble", [forest, boosting])
    def test_are_rejected_by_fit(self, form, ensemble):
        made, error, message = ODD[form]
        with pytest.raises(error, match=message):
            fitted(ensemble(), made(X))


def test_a_mask_that_hides_nothing_is_no_matter(model):
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(np.ma.array(X)))


@pytest.mark.parametrize("ask", ASK)
def test_a_column_of_dates_is_named(ask, coloured):
    dated = COLOURS.assign(b=pd.Timestamp("2024-02-29"))[:1]
    with pytest.raises(ValueError, match=r"Columns of dates, times or durations are not supported \('b'\)"):
        getattr(coloured, ask)(dated)


def test_steps_of_a_pipeline_may_take_dates():
    days = pd.DataFrame({"day": pd.Timestamp("2024-02-29") + pd.to_timedelta(X[:, 0], unit="D")})
    since = FunctionTransformer(lambda table: (table - pd.Timestamp("2024-02-29")) / pd.Timedelta(1, "D"))
    with pytest.warns(TransformedColumnsWarning, match=r"as the pipeline makes them: day \(FunctionTransformer\)"):
        rules = fitted(make_pipeline(since, forest()), days)
    as_numbers = fitted(forest(), since.fit_transform(days))
    assert rules.ruleset_ == as_numbers.ruleset_
    np.testing.assert_array_equal(as_numbers.predict_proba(since.transform(days)), rules.predict_proba(days))


def test_steps_of_a_pipeline_may_not_hand_on_dates():
    with pytest.raises(ValueError, match="Columns of dates"):
        fitted(Pipeline([("nothing", "passthrough"), ("forest", forest())]), (X * 1e6).astype("datetime64[s]"))


@pytest.mark.parametrize("ask", ASK)
def test_steps_of_a_pipeline_do_not_take_off_a_mask(ask):
    steps = FunctionTransformer(np.asarray)
    rules = rulekit.build("rcprob", make_pipeline(steps, forest()), columns="transformed").fit(X, Y)
    with pytest.raises(ValueError, match="Masked values"):
        getattr(rules, ask)(np.ma.array(X[:1], mask=True))


def test_steps_that_do_nothing_leave_columns_numbered():
    rules = fitted(Pipeline([("nothing", "passthrough"), ("forest", forest())]), X)
    assert str(rules.ruleset_) == str(fitted(forest(), X).ruleset_)


@pytest.mark.parametrize("ensemble", [forest, boosting])
@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_missing_values_of_pandas_are_missing_values(ensemble, backend):
    gaps = FRAME.mask(X > 1.5)
    own = gaps.convert_dtypes(dtype_backend=backend)
    expected, rules = fitted(ensemble(), gaps), fitted(ensemble(), own)
    assert rules.ruleset_ == expected.ruleset_
    np.testing.assert_array_equal(expected.predict_proba(gaps), rules.predict_proba(own))


@pytest.mark.parametrize("names", [range(5), pd.MultiIndex.from_product([["k"], list("abcde")])], ids=["int", "levels"])
class TestColumnsWithoutTextsForNames:
    def test_are_numbered_as_those_of_arrays(self, names, coloured):
        rules = fitted(boosting(), COLOURS.set_axis(names, axis=1))
        assert rules.ruleset_.feature_names == ("x0", "x1", "x2", "x3", "x4")
        np.testing.assert_array_equal(
            coloured.predict_proba(COLOURS), rules.predict_proba(COLOURS.set_axis(names, axis=1))
        )

    def test_are_explained_by_position(self, names, coloured):
        renamed = COLOURS.set_axis(names, axis=1)
        explanation = fitted(boosting(), renamed).explain(renamed[:1])
        assert explanation.sample == coloured.explain(COLOURS[:1]).sample


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("as_rows", [lambda table: table.to_numpy().tolist(), lambda table: [*table.itertuples(False)]])
def test_lists_with_categories_of_numbers_are_read_as_frames(as_rows):
    size = pd.Categorical(np.where(X[:, 3] > 0, 10, 20))
    table = COLOURS.assign(size=size)
    rules = rulekit.build("rcprob", boosting()).fit(table, X[:, 3] > 0)
    assert "size" in str(rules.ruleset_)
    np.testing.assert_array_equal(rules.predict_proba(table), rules.predict_proba(as_rows(table)))


@pytest.mark.parametrize("ensemble", [forest(), boosting(categorical_features=None)])
def test_categories_that_an_ensemble_reads_as_numbers_are_rejected(ensemble):
    """The trees compared the labels, and the rules their codes."""
    table = FRAME.assign(size=pd.Categorical(np.where(X[:, 3] > 0, 10, 20)))
    with pytest.raises(EnsembleMismatchError, match=r"'size'.* numbers"):
        fitted(ensemble, table)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (pd.to_datetime(["2024-02-29", "2025-01-01"]), "Timestamp"),
        ([b"red", b"blue"], "bytes"),
        (pd.interval_range(0, 2), "Interval"),
    ],
)
def test_categories_are_strings_numbers_or_booleans(labels, kind):
    table = FRAME.assign(odd=pd.Categorical.from_codes(np.arange(120) % 2, categories=pd.Index(labels)))
    message = f"^Column 'odd' of X has categories of type {kind}, which are not supported. Convert them to strings,"
    with pytest.raises(ValueError, match=message):
        fitted(boosting(), table)


MISSING_LABELS = {
    "date": (np.where(Y == 1, np.datetime64("NaT", "s"), np.datetime64("2021-01-01")), "NaT"),
    "duration": (np.where(Y == 1, np.timedelta64("NaT", "s"), np.timedelta64(3, "s")), "NaT"),
    "date of pandas": (pd.Series(pd.Timestamp("2021-01-01"), index=range(120)).where(Y == 1), "NaT"),
    "date with a zone": (pd.Series(pd.Timestamp("2021-01-01", tz="UTC"), index=range(120)).where(Y == 1), "NaT"),
    "string of pandas": (pd.Series(np.where(Y == 1, "yes", None), dtype=pd.StringDtype("python")), "NA"),
    "None": (np.where(Y == 1, "yes", None), "None"),
    "masked": (np.ma.array(Y, mask=X[:, 2] > 1), "masked"),
}


@pytest.mark.parametrize("kind", MISSING_LABELS)
@pytest.mark.parametrize("table", [X, COLOURS], ids=["numbers", "categories"])
def test_a_missing_label_is_no_class(kind, table):
    y, named = MISSING_LABELS[kind]
    with pytest.raises(ValueError, match=rf"^y has missing labels \({named}\)\. Drop these samples, or give them a"):
        rulekit.build("rcprob", boosting()).fit(table, y)


@pytest.mark.parametrize("table", [X, COLOURS], ids=["numbers", "categories"])
def test_a_column_of_labels_is_taken_with_the_warning_of_scikit_learn(table):
    with pytest.warns(match="A column-vector y was passed when a 1d array was expected"):
        rules = rulekit.build("rcprob", boosting()).fit(table, Y[:, None])
    assert rules.ruleset_ == fitted(boosting(), table).ruleset_
