"""Many samples at once."""

import json

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ruleset.handmade import BOTH, COUNTS, FIRST, NAMES, NONE, SECOND, handmade
from ruleset.test_table import HOSTILE, Tags
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.explain import Explanation, Explanations
from rulekit.inference.aggregate import Aggregate

SAMPLES = [BOTH, FIRST, SECOND, NONE]
FRAME = pd.DataFrame(SAMPLES, columns=list(NAMES), index=["a", "b", "c", "d"])
TABLE = """\
4 samples, answered by DecisionList; the rule is the first that matches
sample  class  p      rule  answered  interval        others        if
------  -----  -----  ----  --------  --------------  ------------  -------------------------
a       yes    0.938  1     30 of 32  0.814 to 0.987  0 of 1 agree  Time <= 8.125
b       yes    0.938  1     30 of 32  0.814 to 0.987  none          Time <= 8.125
c       no     0.875  2     30 of 40  0.602 to 0.864  none          age > 16.5 and Time <= 20
d       no     0.750  3     6 of 8    0.408 to 0.944  none          (otherwise)
answered: training samples of the rule's class, of all that it answers; interval: 95 % interval of this fraction."""


@pytest.fixture(scope="module")
def explained():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = rulekit.build("rcprob", RandomForestClassifier(20, max_depth=3, random_state=0)).fit(X, y)
    return model.explain(X[::7])


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map({0: "a", 1: "b", 2: "c"})


class TestSequence:
    @pytest.mark.parametrize(
        "X",
        [
            FRAME,
            FRAME[["age", "Time"]],
            FRAME.set_axis([0, 1], axis=1),
            FRAME.to_numpy(),
            SAMPLES,
            pl.DataFrame(FRAME.reset_index(drop=True)),
            pa.Table.from_pandas(FRAME[["age", "Time"]], preserve_index=False),
        ],
        ids=["frame", "another order", "no names", "array", "lists", "polars", "Arrow"],
    )
    @pytest.mark.parametrize("inference", [None, Aggregate()], ids=["list", "aggregate"])
    def test_each_is_the_explanation_of_one_sample(self, X, inference):
        ruleset = handmade(inference=inference)
        assert [str(each) for each in ruleset.explain(X)] == [str(ruleset.explain(sample)) for sample in SAMPLES]

    @pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
    def test_whatever_stands_for_a_missing_value_is_one(self, missing):
        """Columns of pandas' own types hand out `NA`, which is no float."""
        X, y = load_iris(return_X_y=True, as_frame=True)
        X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
        model = rulekit.build("rcprob", RandomForestClassifier(5, max_depth=3, random_state=0)).fit(X, y)
        expected = model.explain(X.iloc[:20])
        marked = X.iloc[:20].astype(object).where(X.iloc[:20].notna(), missing)
        assert [str(each) for each in model.ruleset_.explain(marked)] == [
            str(each) for each in model.ruleset_.explain(X.iloc[:20])
        ]
        assert [str(each) for each in model.explain(X.iloc[:20].astype("Float64"))] == [str(each) for each in expected]

    def test_a_slice_is_a_sequence_too(self):
        some = handmade().explain(FRAME)[1:3]
        assert isinstance(some, Explanations)
        assert [each.rule.position for each in some] == [1, 2]

    def test_one_row_is_one_explanation(self):
        assert isinstance(handmade().explain(FRAME[:1]), Explanation)

    def test_it_is_plain_as_data(self):
        document = handmade().explain(FRAME).to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document


class TestTable:
    def test_it_is_aligned(self):
        assert str(handmade(answered=COUNTS).explain(FRAME)) == TABLE

    @pytest.mark.parametrize("ruleset", [handmade(), handmade(inference=Aggregate(), answered=COUNTS)])
    def test_it_has_covered_samples_where_no_rule_answers_alone_or_that_is_unknown(self, ruleset):
        overlapping = attrs.evolve(ruleset, counts=np.array([[2, 30], [30, 20], [6, 2]]))
        lines = str(overlapping.explain(FRAME)).splitlines()
        assert lines[1].split()[4:6] == ["covered", "interval"]
        assert "30 of 50" in lines[5]
        assert lines[-1].startswith("covered: training samples of the rule's class, of all that it covers;")

    def test_of_many_samples_the_first_are_listed(self):
        lines = str(handmade().explain(SAMPLES * 10)).splitlines()
        assert len(lines) == 24
        expected = "40 samples, answered by DecisionList; the rule is the first that matches; the first 20 are listed"
        assert lines[0] == expected

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_hostile_name_adds_no_tag(self, name):
        hostile = Tags(handmade((name, "age"), ("no", name)).explain(SAMPLES)._repr_html_())
        assert hostile.tags == Tags(handmade().explain(SAMPLES)._repr_html_()).tags


class TestFrame:
    @pytest.mark.parametrize(
        ("column", "of_one"),
        [
            ("class", lambda each: each.label),
            ("probability", lambda each: each.probabilities.max()),
            ("rule", lambda each: each.rule.position),
            ("rule_probability", lambda each: each.rule.probability),
            ("n_answered", lambda each: each.rule.n_answered),
            ("n_right", lambda each: each.rule.n_right),
            ("answered_precision", lambda each: each.rule.answered_precision),
            ("answered_low", lambda each: each.rule.answered_interval[0]),
            ("answered_high", lambda each: each.rule.answered_interval[1]),
            ("n_covered", lambda each: each.rule.n_covered),
            ("precision", lambda each: each.rule.precision),
            ("low", lambda each: each.rule.interval[0]),
            ("high", lambda each: each.rule.interval[1]),
            ("n_others", lambda each: len(each.others)),
            ("n_agreeing", lambda each: len(each.agreeing)),
            ("ensemble_class", lambda each: each.ensemble_label),
            ("ensemble_probability", lambda each: each.ensemble.max()),
        ],
    )
    def test_a_column_has_what_the_explanations_have(self, explained, column, of_one):
        assert explained.to_frame()[column].tolist() == [of_one(each) for each in explained]

    def test_the_precision_of_a_rule_that_answered_nothing_is_unknown(self):
        facts = handmade(answered=[[32, 0], [0, 0], [30, 18]]).explain(FRAME).to_frame().loc["c"]
        assert (facts["n_answered"], facts["answered_low"], facts["answered_high"]) == (0, 0, 1)
        assert np.isnan(facts["answered_precision"])

    def test_answered_samples_are_left_out_where_they_are_unknown(self):
        assert not any("answered" in name for name in handmade().explain(FRAME).to_frame())

    def test_samples_keep_their_names(self):
        assert handmade().explain(FRAME).to_frame().index.tolist() == ["a", "b", "c", "d"]

    def test_the_ensemble_is_left_out_of_what_a_ruleset_explains(self):
        assert "ensemble_class" not in handmade().explain(FRAME).to_frame()


class TestEnsemble:
    @pytest.mark.parametrize("named", [True, False])
    @pytest.mark.parametrize("prefit", [True, False])
    @pytest.mark.parametrize("form", ["frame", "row", "array"])
    def test_it_is_shown_with_its_own_probabilities(self, data, named, prefit, form):
        X, y = data
        forest = RandomForestClassifier(10, max_depth=3, random_state=0)
        forest = forest.fit(X if named else X.to_numpy(), y) if prefit else forest
        model = rulekit.build("rcprob", forest).fit(X, y)
        sample = {"frame": X.iloc[[80]], "row": X.iloc[80], "array": X.iloc[80].to_numpy()}[form]
        ensemble = model.ensemble_
        expected = ensemble.predict_proba(X.iloc[[80]] if named or not prefit else X.iloc[[80]].to_numpy())
        assert model.explain(sample).ensemble.tolist() == expected[0].tolist()

    @pytest.mark.parametrize("form", [lambda X: X, lambda X: X.to_numpy()], ids=["frame", "array"])
    def test_behind_a_pipeline_it_gets_the_samples_as_they_came(self, data, form):
        X, y = form(data[0]), data[1]
        steps = make_pipeline(StandardScaler(), RandomForestClassifier(10, max_depth=3, random_state=0))
        model = rulekit.build("rcprob", steps).fit(X, y)
        np.testing.assert_array_equal(model.explain(X[:5]).ensemble, model.ensemble_.predict_proba(X[:5]))

    def test_a_booster_without_probabilities_is_left_out(self, data):
        import lightgbm

        X, y = data[0].to_numpy(), data[1].to_numpy() == "a"
        booster = lightgbm.train(
            {"objective": "binary", "verbose": -1}, lightgbm.Dataset(X, y.astype(int)), num_boost_round=3
        )
        model = rulekit.build("rcprob", booster).fit(X, y.astype(int))
        assert model.explain(X[0]).ensemble is None

    def test_it_is_left_out_where_it_rejects_what_the_rules_accept(self, data):
        """Numbers in a column of labels are unknown categories to the rules; scikit-learn's encoder fails on them."""
        X, y = data
        X = X.assign(colour=pd.Categorical(np.where(y == "a", "red", "blue")))
        model = rulekit.build("rcprob", HistGradientBoostingClassifier(max_iter=3)).fit(X, y)
        odd = X.assign(colour=np.arange(len(X), dtype=float))
        assert model.explain(X[:2]).ensemble is not None
        assert model.explain(odd[:2]).ensemble is None
        assert model.explain(odd[:2]).probabilities.tolist() == model.predict_proba(odd[:2]).tolist()

    def test_it_is_said_to_agree_where_it_does(self, data):
        X, y = data
        model = rulekit.build("rcprob", "rf", random_state=0).fit(X, y)
        lines = [str(each).splitlines()[-1] for each in model.explain(X)]
        agrees = model.ensemble_.predict(X) == model.predict(X)
        assert not agrees.all()
        assert [line.startswith("The ensemble agrees: ") for line in lines] == agrees.tolist()

    def test_calibrated_answers_for_many_samples(self, data):
        X, y = data
        model = rulekit.build("rcprob", "rf", random_state=0).fit(X[::2], y[::2])
        calibrated = CalibratedRules(model, prefit=True).fit(X[1::2], y[1::2])
        explained = calibrated.explain(X[:9])
        np.testing.assert_array_equal(explained.probabilities, calibrated.predict_proba(X[:9]))
        assert [each.label for each in explained] == calibrated.predict(X[:9]).tolist()
