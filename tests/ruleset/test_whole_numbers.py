"""Columns of whole numbers have limits in whole numbers, and an option makes the printed limits decide."""

import json
import math
import re
import sqlite3
from contextlib import closing

import attrs
import numpy as np
import onnxruntime
import pandas as pd
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from ruleset.handmade import handmade
from ruleset.printed import first_match, satisfies
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.core.columns import ColumnFacts, is_whole
from rulekit.core.conditions import Conditions
from rulekit.core.errors import InvalidParameterError, RuleSetFormatError
from rulekit.export import to_onnx, to_pmml, to_python, to_sql
from rulekit.ruleset import Condition, Requirement, RuleSet
from rulekit.ruleset.numbers import with_displays, with_shown_thresholds


def conditions_on(thresholds: list[float], dtype: type = np.float64) -> Conditions:
    """`x <= t` and `x > t` for each threshold, one after the other."""
    return Conditions(
        features=np.zeros(2 * len(thresholds), dtype=np.int64),
        is_upper=np.tile([True, False], len(thresholds)),
        thresholds=np.repeat(np.array(thresholds, dtype=np.float64), 2),
        feature_names=("x",),
        input_dtype=np.dtype(dtype),
    )


def facts(conditions: Conditions, column: list[float]) -> ColumnFacts:
    return ColumnFacts.of(np.array(column, dtype=np.float64)[:, None], conditions.cutoffs_by_feature)


def table(n_samples: int = 400) -> tuple[pd.DataFrame, pd.Series]:
    """Whole numbers of three types, one of them with gaps, and one column of fractions."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 91, n_samples),
            "gain": (rng.exponential(4000, n_samples)).round().astype(float),
            "owner": rng.random(n_samples) < 0.5,
            "rate": rng.random(n_samples).round(3),
        }
    )
    X.loc[rng.random(n_samples) < 0.2, "gain"] = np.nan
    is_yes = (X["age"] > 36) & (X["gain"].fillna(0) <= 8000) ^ (X["owner"] & (X["rate"] > 0.3))
    return X, pd.Series(np.where(is_yes ^ (rng.random(n_samples) < 0.05), "yes", "no"))


@pytest.fixture(scope="module")
def models():
    X, y = table()
    ensemble = HistGradientBoostingClassifier(max_iter=12, random_state=0).fit(X, y)
    with rulekit.using_engine("numpy"):
        return {
            thresholds: rulekit.build("rcprob", ensemble, thresholds=thresholds, min_coverage=0.02).fit(X, y)
            for thresholds in ("exact", "shown")
        }


def random_samples(n_samples: int, *, whole: bool) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.uniform(10, 100, n_samples),
            "gain": rng.choice([rng.exponential(4000), np.nan], n_samples) + rng.uniform(0, 3000, n_samples),
            "owner": rng.uniform(0, 1, n_samples),
            "rate": rng.random(n_samples),
        }
    )
    return X.round() if whole else X


WHOLE = st.lists(st.integers(-40, 40), min_size=1, max_size=8)
THRESHOLDS = st.lists(st.floats(-50, 50) | st.integers(-50, 50).map(float), min_size=1, max_size=4)


class TestExactInMeaning:
    @settings(max_examples=60, deadline=None)
    @given(WHOLE, THRESHOLDS, st.sampled_from([np.float32, np.float64]), st.integers(0, 1000))
    def test_every_whole_number_satisfies_the_printed_condition_if_it_satisfies_the_exact_one(
        self, column, thresholds, dtype, shift
    ):
        """Also those that no training sample has; the shift reaches numbers that are printed differently."""
        conditions = conditions_on([threshold + shift for threshold in thresholds], dtype)
        shown = with_displays(conditions, facts(conditions, [value + shift for value in column]))
        for row in range(len(shown)):
            printed = str(Condition.of(shown, row))
            assert "." not in printed
            for value in np.arange(-60.0, 61.0) + shift:
                exact = (value <= conditions.cutoffs[row]) == conditions.is_upper[row]
                assert satisfies(printed, {"x": value}) == exact, (printed, value)

    def test_rules_as_printed_answer_whole_numbers_as_the_ruleset_does(self, models):
        ruleset = models["exact"].ruleset_
        assert ruleset.conditions.whole_features == {0, 1, 2} & set(ruleset.conditions.features.tolist())
        X = random_samples(300, whole=True).assign(rate=table()[0]["rate"][:300])
        printed = [first_match(ruleset, sample) for sample in X.to_dict(orient="records")]
        assert printed == ruleset.first_matches(X).tolist()

    def test_fractions_are_answered_by_the_ensembles_own_thresholds(self, models):
        """What is shown decides nothing, unless it is asked to."""
        ruleset, X = models["exact"].ruleset_, random_samples(300, whole=False)
        conditions = attrs.evolve(
            ruleset.conditions, whole_features=frozenset(), displays=np.full(len(ruleset.conditions), np.nan)
        )
        unrounded = attrs.evolve(ruleset, conditions=conditions)
        assert ruleset.predict_proba(X).tobytes() == unrounded.predict_proba(X).tobytes()


def whole(operator: str, cutoff: float) -> Condition:
    return Condition("age", 0, operator, cutoff, cutoff, is_whole=True)


class TestPrinted:
    @pytest.mark.parametrize(
        ("ends", "printed"),
        [
            ([("<=", 36.9)], "age <= 36"),
            ([("<=", 36.0)], "age <= 36"),
            ([(">", 36.9)], "age >= 37"),
            ([(">", 36.0)], "age > 36"),
            ([(">", 16.5), ("<=", 50.5)], "17 <= age <= 50"),
            ([(">", 16.5), ("<=", 17.5)], "age = 17"),
            ([(">", -0.5)], "age >= 0"),
            ([("<=", -0.5)], "age <= -1"),
            ([(">", 16.0), ("<=", 17.0)], "16 < age <= 17"),
            ([(">", 16.0), ("<=", 50.5)], "16 < age <= 50"),
        ],
    )
    def test_limits(self, ends, printed):
        assert str(Requirement(tuple(whole(*end) for end in ends))) == printed

    def test_a_limit_beyond_exact_whole_numbers_stays_as_it_is(self):
        conditions = conditions_on([1e300, 2.0**53])
        shown = with_displays(conditions, facts(conditions, [1.0, 2.0]))
        assert not shown.is_whole.any()
        assert str(Condition.of(shown, 1)) == "x > 1e+300"

    @pytest.mark.parametrize(
        ("value", "operator", "margin", "comment"),
        [
            (36.0, "<=", 0, "age <= 36 (value 36, holds by 0)"),
            (40.0, "<=", -4, "age <= 36 (value 40, fails by 4)"),
            (40.0, ">", 3, "age >= 37 (value 40, holds by 3)"),
            (36.0, ">", -1, "age >= 37 (value 36, fails by 1)"),
            (36.25, "<=", 0.25, "age <= 36.5 (value 36.25, holds by 0.25)"),
            (36.75, ">", 0.25, "age > 36.5 (value 36.75, holds by 0.25)"),
            (36.25, ">", -0.25, "age >= 37 (value 36.25, fails by 0.75)"),
        ],
    )
    def test_margins_are_whole_and_a_fraction_sees_the_exact_limit_where_it_matters(
        self, value, operator, margin, comment
    ):
        check = rulekit.explain.Check(whole(operator, 36.5), value, value)
        assert check.margin == margin
        assert f"{check.shown} ({check.comment})" == comment

    def test_the_strings_in_every_output_are_those_of_the_table(self, models):
        ruleset = models["exact"].ruleset_
        text, rules = ruleset.to_text(), [rule.antecedent for rule in ruleset if rule.antecedent]
        assert any(re.search(r"age (<=|>=) \d+\b(?!\.)", rule) for rule in rules)
        for other in (text, to_python(ruleset), to_sql(ruleset), ruleset.to_markdown().replace("\\", "")):
            assert all(rule in other for rule in rules)


class TestColumns:
    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ([1.0, 2.0], True),
            ([1.0, np.nan], True),
            ([-0.0, 1e15], True),
            ([1.0, 2.5], False),
            ([np.nan], False),
            ([], False),
            ([1.0, 2.0**60], False),
        ],
    )
    def test_whole_numbers_are_recognised_by_their_values(self, column, expected):
        assert is_whole(np.array(column, dtype=np.float64)) == expected

    def test_parts_of_a_table_tell_the_same_as_the_whole(self):
        X = np.array([[1.0, 1.0, np.nan, np.nan], [2.0, 1.0, np.nan, 3.0], [3.0, 1.5, np.nan, 4.0]])
        joined = ColumnFacts.of(X[:1], {}).joined(ColumnFacts.of(X[1:], {}))
        assert joined.whole_features(range(4)) == ColumnFacts.of(X, {}).whole_features(range(4)) == {0, 3}

    @pytest.mark.parametrize("dtype", ["int8", "float64", "Int64", "bool"])
    def test_the_type_of_the_column_does_not_matter(self, dtype):
        X = pd.DataFrame({"x": pd.array([0, 1] * 20).astype(dtype)})
        forest = RandomForestClassifier(3, max_depth=1, random_state=0)
        with rulekit.using_engine("numpy"):
            rules = rulekit.build("rcprob", forest).fit(X, [0, 1] * 20).ruleset_
        assert {rule.antecedent for rule in rules} <= {"x <= 0", "x >= 1", ""}
        assert len(rules) > 1


class TestShownThresholds:
    def test_every_training_sample_is_answered_as_before(self, models):
        X, _ = table()
        exact, shown = (models[name].ruleset_ for name in ("exact", "shown"))
        assert [rule.counts.tolist() for rule in exact] == [rule.counts.tolist() for rule in shown]
        assert (exact.matches(X) == shown.matches(X)).all()
        assert exact.predict_proba(X).tobytes() == shown.predict_proba(X).tobytes()

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.floats(-1e4, 1e4) | st.integers(-5, 5).map(float), min_size=1, max_size=8), THRESHOLDS)
    def test_no_sample_changes_sides_and_the_printed_threshold_decides(self, column, thresholds):
        conditions = conditions_on(thresholds, np.float32)
        shown = with_shown_thresholds(conditions, facts(conditions, column))
        samples = np.array([*column, *thresholds, *shown.thresholds, *np.nextafter(shown.thresholds, np.inf)])
        for row in range(len(shown)):
            holds = shown.hold(row, samples[None])
            assert holds[: len(column)].tolist() == conditions.hold(row, np.array([column])).tolist()
            printed = str(Condition.of(shown, row))
            assert [satisfies(printed, {"x": value}) for value in samples] == holds.tolist()

    def test_rules_as_printed_answer_any_sample_as_the_ruleset_does(self, models):
        ruleset, X = models["shown"].ruleset_, random_samples(300, whole=False)
        printed = [first_match(ruleset, sample) for sample in X.to_dict(orient="records")]
        assert printed == ruleset.first_matches(X).tolist()
        assert printed != models["exact"].ruleset_.first_matches(X).tolist()

    def test_exports_compare_with_the_printed_thresholds(self, models):
        ruleset, X = models["shown"].ruleset_, random_samples(100, whole=False)
        expected = ruleset.predict(X).tolist()
        space: dict = {}
        exec(to_python(ruleset), space)
        assert [space["predict"](sample)[0] for sample in X.to_dict(orient="records")] == expected
        with closing(sqlite3.connect(":memory:")) as connection:
            X.to_sql("samples", connection, index_label="id")
            rows = sorted(connection.execute(to_sql(ruleset, keep=["id"])).fetchall())
        assert [row[2] for row in rows] == expected
        session = onnxruntime.InferenceSession(to_onnx(ruleset).SerializeToString())
        assert session.run(["label"], {"X": X.to_numpy()})[0].tolist() == expected
        limits = re.findall(r'operator="(?:lessOrEqual|greaterThan)" value="([^"]+)"', to_pmml(ruleset))
        assert {float(limit) for limit in limits} == set(ruleset.conditions.displays.tolist())
        back = RuleSet.from_json(json.dumps(ruleset.to_dict()))
        assert (back, str(back)) == (ruleset, str(ruleset))
        assert back.predict(X).tolist() == expected

    def test_an_extractor_and_a_ruleset_round_alike(self, models):
        X, _ = table()
        assert models["exact"].ruleset_.with_shown_thresholds(X) == models["shown"].ruleset_
        assert models["shown"].ruleset_.with_shown_thresholds(X) == models["shown"].ruleset_

    def test_round_numbers_are_preferred(self):
        conditions = conditions_on([8614.5])
        shown = with_shown_thresholds(conditions, facts(conditions, [7688.0, 8700.0]))
        assert [str(Condition.of(shown, row)) for row in (0, 1)] == ["x <= 8000", "x > 8000"]
        assert shown.cutoffs.tolist() == [8000.0, 8000.0]

    @pytest.mark.parametrize("limit", [3.4028234663852886e38, math.inf])
    def test_a_limit_beyond_all_numbers_only_tests_for_missing_values(self, limit):
        conditions = attrs.evolve(
            conditions_on([limit]), holds_missing=np.array([False, True]), missing_features=frozenset({0})
        )
        shown = with_shown_thresholds(conditions, facts(conditions, [1.0, np.nan]))
        assert [str(Condition.of(shown, row)) for row in (0, 1)] == ["x is not missing", "x is missing"]
        for row in (0, 1):
            values = np.array([[1.0, 3.5e38, np.nan]])
            assert shown.hold(row, values, np.isnan(values)).tolist() == [row == 0, row == 0, row == 1]

    def test_a_number_that_counts_as_missing_still_does(self):
        """It is recognised in the precision of the ensemble, whatever the thresholds are compared in."""
        X, _ = table()
        numbers, y = X[["gain"]].astype(np.float32).fillna(-999.1), X["gain"].isna() | (X["gain"] > 4000)
        ensemble = xgboost.XGBClassifier(n_estimators=2, max_depth=2, missing=-999.1, random_state=0)
        with rulekit.using_engine("numpy"):
            exact = rulekit.build("rcprob", ensemble, adapter=XGBoostAdapter(missing=-999.1)).fit(numbers, y)
        shown = exact.ruleset_.with_shown_thresholds(numbers)
        assert "missing" in str(shown)
        assert shown.predict_proba(numbers).tobytes() == exact.predict_proba(numbers).tobytes()

    def test_another_choice_is_rejected(self):
        with pytest.raises(InvalidParameterError, match=r"thresholds must be one of 'exact', 'shown', got 'round'"):
            rulekit.build("rcprob", thresholds="round").fit([[0.0], [1.0]], [0, 1])


class TestDocument:
    def test_a_document_without_the_key_is_read_and_shown_as_before(self):
        document = handmade().to_dict()
        assert "whole_features" not in document
        assert "age > 16.5" in str(RuleSet.from_dict(document))

    def test_the_key_comes_back(self, models):
        ruleset = models["exact"].ruleset_
        document = json.loads(json.dumps(ruleset.to_dict()))
        assert document["whole_features"]
        assert (RuleSet.from_dict(document), str(RuleSet.from_dict(document))) == (ruleset, str(ruleset))

    @pytest.mark.parametrize("value", [[], [2], [1, 1], ["1"], [True], None, 1])
    def test_anything_but_indices_of_features_is_rejected(self, value):
        document = {**handmade().to_dict(), "whole_features": value}
        with pytest.raises(RuleSetFormatError, match="damaged: whole_features"):
            RuleSet.from_dict(document)
