"""What stays the same: rules from the same input, parameters, and whatever fit was given."""

import numpy as np
import pytest
from extractor.worlds import PRESETS, noisy, small_forest
from sklearn.base import clone

import rulekit


class TestSameResults:
    @pytest.mark.parametrize("name", PRESETS)
    def test_fitting_twice_gives_the_same_rules(self, name, data):
        model = rulekit.build(name, small_forest())
        assert model.fit(*data).ruleset_ == clone(model).fit(*data).ruleset_

    def test_a_seed_gives_the_same_rules_from_an_ensemble_by_name(self, data):
        model = rulekit.build("rcprob", "bagging", random_state=3)
        assert model.fit(*data).ruleset_ == clone(model).fit(*data).ruleset_

    @pytest.mark.parametrize("name", [name for name in PRESETS if name != "rclist"])
    def test_the_order_of_the_samples_does_not_matter(self, name, data, forest):
        X, y = data
        order = np.random.default_rng(1).permutation(len(y))
        shuffled = rulekit.build(name, forest).fit(X.iloc[order], y.iloc[order])
        assert rulekit.build(name, forest).fit(X, y).ruleset_ == shuffled.ruleset_

    def test_out_of_bag_predictions_are_not_used_for_samples_in_another_order(self, data, forest):
        """The forest only knows by their positions which samples its trees have seen."""
        X, y = data
        order = np.random.default_rng(1).permutation(len(y))
        options = {"refine__honest": "out-of-bag"}
        known = rulekit.build("rclist", forest, **options).fit(X, y)
        shuffled = rulekit.build("rclist", forest, **options).fit(X.iloc[order], y.iloc[order])
        without = rulekit.build("rclist", forest, refine__honest="none", final_estimator__honest="none").fit(X, y)
        assert (known.final_report_["honest"], shuffled.final_report_["honest"]) == ("out-of-bag", "none")
        assert shuffled.ruleset_ == without.ruleset_ != known.ruleset_

    @pytest.mark.parametrize("name", [name for name in PRESETS if name != "rclist"])
    def test_a_sample_gets_the_same_answer_alone_and_among_others(self, name, data, forest):
        X, y = data
        model = rulekit.build(name, forest, inference="aggregate").fit(X, y)
        alone = np.vstack([model.predict_proba(X.iloc[[row]]) for row in range(20)])
        np.testing.assert_array_equal(model.predict_proba(X)[:20], alone)

    def test_the_memory_layout_of_the_samples_does_not_matter(self, data):
        X, y = data
        by_columns = rulekit.build("rcprob", small_forest()).fit(np.asfortranarray(X.to_numpy()), y)
        assert rulekit.build("rcprob", small_forest()).fit(X.to_numpy(), y).ruleset_ == by_columns.ruleset_


class TestRefitting:
    def test_forgets_the_earlier_rules(self, data, iris):
        model = rulekit.build("rcprob", small_forest()).fit(*data).fit(*iris)
        assert rulekit.build("rcprob", small_forest()).fit(*iris).ruleset_ == model.ruleset_

    def test_forgets_the_earlier_classes(self, data, iris):
        model = rulekit.build("rcprob", small_forest()).fit(*iris).fit(*data)
        assert model.classes_.tolist() == [0, 1]

    def test_forgets_the_earlier_column_names(self, data):
        X, y = data
        model = rulekit.build("rcprob", small_forest()).fit(X, y).fit(X.to_numpy(), y)
        assert not hasattr(model, "feature_names_in_")

    def test_forgets_the_earlier_history(self, data):
        model = rulekit.build("rcprob", small_forest()).fit(*data)
        assert len(model.set_params(ensemble=small_forest(2)).fit(*data).history_) == 2

    def test_forgets_the_earlier_index(self, data):
        """With `keep_index` turned off, a refitted model still carried the samples of the earlier fit."""
        model = rulekit.build("rcprob", small_forest(), keep_index=True).fit(*data)
        assert not hasattr(model.set_params(keep_index=False).fit(*data), "index_")

    def test_a_stage_forgets_the_earlier_search(self, data):
        model = rulekit.RuleExtractor(small_forest())
        first = model.fit(*data).ruleset_
        assert model.fit(*noisy(seed=5)).fit(*data).ruleset_ == first


class TestParametersStayAsTheyAre:
    @pytest.mark.parametrize("name", PRESETS)
    def test_fit_changes_no_parameter(self, name, data):
        model = rulekit.build(name, small_forest())
        before = repr(model.get_params())
        model.fit(*data)
        assert before == repr(model.get_params())

    def test_fit_replaces_no_component(self, data):
        model = rulekit.build("rcprob", small_forest())
        before = {name: id(value) for name, value in model.get_params(deep=False).items()}
        model.fit(*data)
        assert before == {name: id(value) for name, value in model.get_params(deep=False).items()}

    @pytest.mark.parametrize("parameter", ["search_estimator", "final_estimator"])
    def test_fit_does_not_fit_the_estimators_that_were_passed(self, parameter, data):
        model = rulekit.build("rcprob", small_forest())
        before = dict(vars(getattr(model, parameter)))
        model.fit(*data)
        assert before == vars(getattr(model, parameter))

    @pytest.mark.parametrize("stage", ["combine", "cover", "simplify"])
    def test_fit_leaves_no_trace_on_the_stages_that_were_passed(self, stage, data):
        model = rulekit.build("rcprob", small_forest())
        before = dict(vars(getattr(model, stage)))
        model.fit(*data)
        assert before == vars(getattr(model, stage))

    def test_names_stay_names_without_build(self, data):
        model = rulekit.RuleExtractor(small_forest(), final_estimator="laplace").fit(*data)
        assert model.final_estimator == "laplace"

    def test_the_samples_are_not_changed(self, data):
        X, y = data[0].to_numpy().copy(), data[1].to_numpy().copy()
        before = X.copy()
        rulekit.build("rcprob", small_forest()).fit(X, y)
        np.testing.assert_array_equal(before, X)
