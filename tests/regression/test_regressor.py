"""Both methods as scikit-learn regressors: what is learnt, predicted, explained, stored, and rejected."""

import json

import attrs
import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRegressor
from regression.worlds import table
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rulekit
from rulekit.core.errors import (
    InvalidParameterError,
    NoIntervalsError,
    NoPathError,
    RuleSetFormatError,
    UnsupportedEnsembleError,
    UnsupportedFitParameterError,
)
from rulekit.regression.methods import AdditiveRegressor, ListRegressor
from rulekit.regression.regressor import standard_errors_behind
from rulekit.regression.rules import RegressionRules

METHODS = ["additive", "list"]
QUICK = {"choose": "all", "intervals": None}


def forest(n_estimators=10, max_depth=3):
    return RandomForestRegressor(n_estimators, max_depth=max_depth, random_state=0)


@pytest.fixture(scope="module", params=METHODS)
def fitted(request):
    X, y = table(0, n_samples=200)
    names = ["age", "height", "weight"]
    frame = pd.DataFrame(X, columns=names)
    return rulekit.build(request.param, forest(), n_folds=3, random_state=0).fit(frame, y), frame, y


@parametrize_with_checks([method(forest(3), max_rules=3, **QUICK) for method in (AdditiveRegressor, ListRegressor)])
def test_follows_scikit_learns_conventions(estimator, check):
    check(estimator)


class TestPredictions:
    def test_are_those_of_the_ruleset_and_follow_the_target(self, fitted):
        model, X, y = fitted
        assert model.predict(X).tolist() == model.ruleset_.predict(X).tolist()
        assert model.score(X, y) > 0.8

    def test_are_the_sum_or_the_first_answer_of_the_rules_that_match(self, fitted):
        model, X, _ = fitted
        rules, matches = list(model.ruleset_), model.ruleset_.matches(X)
        for sample, predicted in enumerate(model.predict(X)[:40].tolist()):
            matching = [rules[position].value for position in np.flatnonzero(matches[:, sample])]
            if model.ruleset_.combination == "sum":
                assert predicted == pytest.approx(sum(matching) + rules[-1].value, rel=1e-12)
            else:
                assert predicted == (matching[0] if matching else rules[-1].value)

    def test_of_a_list_are_mean_targets_drawn_to_the_ensembles(self):
        X, y = table(1, n_samples=150)
        model = rulekit.build("list", forest(), strength=20.0, **QUICK).fit(X, y)
        first, ensemble = model.ruleset_.first_matches(X), model.ensemble_.predict(X)
        for rule in model.ruleset_:
            own = first == rule.position - 1
            assert rule.n_answered == own.sum()
            expected = (y[own].sum() + 20 * ensemble[own].mean()) / (own.sum() + 20)
            assert rule.value == pytest.approx(expected, rel=1e-9)

    def test_without_a_rule_are_the_mean(self):
        X, _ = table(0)
        for method in METHODS:
            model = rulekit.build(method, forest(), **QUICK).fit(X, np.full(len(X), 7.0))
            assert (len(model.ruleset_), model.predict(X[:2]).tolist()) == (1, [7.0, 7.0])


class TestIntervals:
    def test_hold_their_level_on_new_samples(self, fitted):
        model = fitted[0]
        X, y = table(7, n_samples=1000)
        low, high = model.predict_interval(pd.DataFrame(X, columns=model.feature_names_in_), level=0.9).T
        held = ((low <= y) & (y <= high)).mean()
        assert 0.84 < held < 0.96

    def test_are_wider_for_higher_levels_and_lie_around_the_prediction(self, fitted):
        model, X, _ = fitted
        narrow, wide = (model.predict_interval(X, level=level) for level in (0.5, 0.9))
        assert (wide[:, 0] < narrow[:, 0]).all()
        np.testing.assert_allclose(wide.mean(axis=1), model.predict(X), atol=1e-9)

    def test_from_held_back_samples_use_neither_their_targets_nor_an_ensemble_that_saw_them(self):
        X, y = table(2, n_samples=400)
        model = rulekit.build("additive", forest(), choose="all", intervals="split", random_state=0).fit(X, y)
        assert model.ruleset_.n_samples == 300
        X, y = table(8, n_samples=1000)
        low, high = model.predict_interval(X, level=0.8).T
        assert 0.72 < ((low <= y) & (y <= high)).mean() < 0.9

    def test_that_were_not_calibrated_are_an_error(self):
        X, y = table(0)
        model = rulekit.build("additive", forest(3), **QUICK).fit(X, y)
        with pytest.raises(NoIntervalsError, match="intervals='cross' or intervals='split'"):
            model.predict_interval(X)

    @pytest.mark.parametrize("level", [0, 1, 90])
    def test_need_a_level_between_0_and_1(self, fitted, level):
        model, X, _ = fitted
        with pytest.raises(InvalidParameterError, match="level must be a number between 0 and 1"):
            model.predict_interval(X, level=level)


class TestPath:
    def test_has_every_length_once_and_its_model_predicts_with_it(self, fitted):
        model, X, _ = fitted
        lengths = [step.n_rules for step in model.path_]
        assert lengths == sorted(set(lengths))
        shorter = model.with_rules(2)
        assert len(shorter.ruleset_) == 3
        assert shorter.predict(X).tolist() == model.path_[lengths.index(2)].ruleset.predict(X).tolist()
        assert len(shorter.predict_interval(X)) == len(X)

    def test_leads_to_the_fewest_rules_that_are_not_clearly_worse(self, fitted):
        model = fitted[0]
        chosen = len(model.ruleset_) - 1
        assert [step.behind <= 1 for step in model.path_ if step.n_rules <= chosen] == [False] * chosen + [True]
        assert min(step.behind for step in model.path_) == 0

    def test_other_lengths_are_an_error(self, fitted):
        with pytest.raises(NoPathError, match="none of 99"):
            fitted[0].with_rules(99)

    def test_standard_errors_are_those_of_paired_differences(self):
        errors = np.random.default_rng(0).random((3, 50)) + np.array([[0.0], [0.05], [1.0]])
        best = errors.mean(axis=1).argmin()
        differences = errors[2] - errors[best]
        expected = differences.mean() / (differences.std(ddof=1) / np.sqrt(50))
        assert standard_errors_behind(errors)[2] == pytest.approx(expected)


class TestExplanations:
    def test_add_up_to_the_prediction_or_name_the_rule_that_answers(self, fitted):
        model, X, _ = fitted
        for row in range(5):
            explanation = model.explain(X.iloc[row])
            assert explanation.prediction == model.predict(X.iloc[[row]])[0]
            total = sum(rule.value for rule in explanation.rules)
            if explanation.combination == "sum":
                assert total == pytest.approx(explanation.prediction)
            else:
                assert [rule.position - 1 for rule in explanation.rules] == [
                    model.ruleset_.first_matches(X.iloc[[row]])[0]
                ]
            assert str(explanation).startswith("Predicted: ")
        assert len(model.explain(X[:3])) == 3

    def test_of_no_rule_speak_of_the_default(self):
        X, y = table(0)
        model = rulekit.build("list", forest(), **QUICK).fit(X, np.ones(len(y)))
        assert "no rule matches" in str(model.explain(X[0]))


class TestRuleset:
    def test_prints_its_rules(self, fitted):
        model = fitted[0]
        lines = str(model.ruleset_).splitlines()
        assert lines[0].startswith(f"{len(model.ruleset_)} rules, ")
        assert ("adds" in lines[1]) == (model.ruleset_.combination == "sum")
        assert "90 %" in lines[1]
        assert len(model.ruleset_.to_frame()) == len(model.ruleset_)

    def test_goes_to_json_and_back_exactly(self, fitted):
        model, X, _ = fitted
        again = RegressionRules.from_dict(json.loads(json.dumps(model.ruleset_.to_dict())))
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert again.predict_interval(X).tolist() == model.predict_interval(X).tolist()
        assert again == model.ruleset_
        assert again != attrs.evolve(again, n_samples=again.n_samples + 1)

    @pytest.mark.parametrize(
        "change",
        [
            {"format": "rulekit-ruleset"},
            {"combination": "product"},
            {"quantiles": [1.0]},
            {"rules": []},
            {"rules": [{"conditions": [99], "value": 1.0, "scale": 1.0, "covered": 1, "answered": 1}]},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_damaged_documents_are_rejected(self, fitted, change):
        with pytest.raises(RuleSetFormatError):
            RegressionRules.from_dict({**fitted[0].ruleset_.to_dict(), **change})


class TestData:
    @pytest.mark.parametrize("method", METHODS)
    def test_categories_and_missing_values_of_a_frame(self, method):
        rng = np.random.default_rng(0)
        colours, size = rng.choice(["red", "green", "blue"], 300), rng.normal(size=300)
        y = 4.0 * (colours == "red") + np.where(rng.random(300) < 0.2, 9.0, size)
        size = np.where(y > 8, np.nan, size)
        X = pd.DataFrame({"colour": pd.Categorical(colours), "size": size})
        ensemble = HistGradientBoostingRegressor(max_iter=20, max_depth=2, random_state=0)
        model = rulekit.build(method, ensemble, n_folds=3, random_state=0).fit(X, y)
        text = str(model.ruleset_)
        assert "colour" in text
        assert "missing" in text
        assert model.score(X, y) > 0.7

    def test_a_pipeline_is_used_as_a_whole(self):
        X, y = table(0, n_samples=100)
        pipeline = make_pipeline(StandardScaler(), forest(5))
        model = rulekit.build("additive", pipeline, n_folds=2, random_state=0).fit(X, y)
        assert model.transformer_ is not None
        assert model.predict(X).tolist() == model.ruleset_.predict(model.transformer_.transform(X)).tolist()

    def test_the_order_of_samples_does_not_change_the_rules(self):
        X, y = table(3, n_samples=120)
        fitted = forest(6).fit(X, y)
        order = np.random.default_rng(0).permutation(len(y))
        for method in METHODS:
            model = rulekit.build(method, fitted, **QUICK)
            one, other = (clone(model).fit(X[rows], y[rows]).ruleset_ for rows in (np.arange(len(y)), order))
            assert [rule.antecedent for rule in one] == [rule.antecedent for rule in other]
            np.testing.assert_allclose(one.values, other.values, rtol=1e-9)

    def test_transform_says_which_rules_match(self, fitted):
        model, X, _ = fitted
        assert model.transform(X).tolist() == model.ruleset_.matches(X).T.astype(float).tolist()


class TestEnsembles:
    def test_a_fitted_one_is_used_as_it_is_and_survives_clone(self):
        X, y = table(0)
        ensemble = forest(4).fit(X, y)
        model = clone(rulekit.build("additive", ensemble, **QUICK)).fit(X, y)
        assert model.ensemble_ is ensemble or isinstance(model.ensemble, FrozenEstimator)
        assert model.ensemble_.predict(X).tolist() == ensemble.predict(X).tolist()

    def test_none_is_a_random_forest(self):
        X, y = table(0)
        model = rulekit.build("additive", random_state=0, **QUICK).fit(X, y)
        assert (type(model.ensemble_).__name__, model.ensemble_.max_depth) == ("RandomForestRegressor", 5)

    def test_rclist_of_a_regressor_is_a_list_for_numbers(self):
        assert isinstance(rulekit.build("rclist", GradientBoostingRegressor()), ListRegressor)

    @pytest.mark.parametrize("name", ["rcprob", "rc+", "tree"])
    def test_methods_for_classes_say_which_to_use_instead(self, name):
        with pytest.raises(UnsupportedEnsembleError, match="one of the methods 'additive', 'list'"):
            rulekit.build(name, GradientBoostingRegressor())

    def test_a_booster_needs_no_copies_or_says_so(self):
        X, y = table(0, n_samples=100)
        booster = LGBMRegressor(n_estimators=5, verbosity=-1, n_jobs=1).fit(X, y).booster_
        with pytest.raises(UnsupportedEnsembleError, match="cannot be fitted again"):
            rulekit.build("additive", booster).fit(X, y)
        model = rulekit.build("additive", booster, choose="all", intervals="split", random_state=0).fit(X, y)
        assert len(model.predict_interval(X)) == len(X)


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"max_rules": 0}, "max_rules"),
            ({"choose": "best"}, "choose"),
            ({"intervals": "bootstrap"}, "intervals"),
            ({"n_folds": 1}, "n_folds"),
            ({"ensemble": "rf"}, "takes a regressor itself, not a name"),
        ],
    )
    def test_of_parameters_is_reported_by_fit(self, parameters, message):
        X, y = table(0)
        with pytest.raises(InvalidParameterError, match=message):
            AdditiveRegressor(**parameters).fit(X, y)

    def test_labels_are_no_numbers(self):
        X, y = table(0)
        with pytest.raises(ValueError, match=r"y must hold numbers for AdditiveRegressor, got 'high'.*rclist"):
            AdditiveRegressor(forest(), **QUICK).fit(X, np.where(y > 0, "high", "low"))

    def test_more_folds_than_samples_are_too_many(self):
        X, y = table(0)
        with pytest.raises(InvalidParameterError, match="n_folds=5 needs as many samples, got 4"):
            AdditiveRegressor(forest()).fit(X[:4], y[:4])

    def test_weights_are_not_supported(self):
        X, y = table(0)
        with pytest.raises(UnsupportedFitParameterError, match=r"sample_weight.*and pass it fitted\.$"):
            AdditiveRegressor(forest()).fit(X, y, sample_weight=np.ones(len(y)))

    def test_of_missing_values_names_no_choice_that_these_rules_do_not_have(self, fitted):
        model, X, _ = fitted
        for predict in (model.predict, model.ruleset_.predict):
            with pytest.raises(ValueError, match=r"missing values in 'age'.*in these columns\.$|NaN"):
                predict(X.assign(age=np.nan))

    def test_a_failed_fit_leaves_the_model_as_it_was(self, fitted):
        model, X, _ = fitted
        before = model.ruleset_
        with pytest.raises(ValueError, match="NaN"):
            model.fit(X, np.full(len(X), np.nan))
        assert model.ruleset_ is before
