"""The classifier: what fit learns, what it leaves alone, and what a fitted model carries."""

import pickle
import re
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import polars as pl
import pytest
from plugin.isolation import registry_put_back
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import rulekit
from rulekit.core.errors import FewRulesWarning, UnknownComponentError, UnsupportedFitParameterError
from rulekit.core.history import SearchStep
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import CombineStage, CoverStage, PriorCombiner, ProbabilityEstimator, SimplifyStage
from rulekit.ruleset import RuleSet

PRESETS = ["rc+", "rcprob", "decision-tree"]
NAMES = ["age", "Time of day", "größe", "x <= 1"]

Data = tuple[pd.DataFrame, pd.Series]


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    with registry_put_back():
        yield


def noisy(n_records: int = 240, seed: int = 0) -> Data:
    """Two classes that no tree of depth 3 tells apart entirely, so that a search looks at every tree."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_records, 4))
    y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * generator.normal(size=n_records) > 0).astype(int)
    return pd.DataFrame(X, columns=NAMES), pd.Series(y)


@pytest.fixture(scope="module")
def data() -> Data:
    return noisy()


@pytest.fixture(scope="module")
def iris() -> Data:
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def forest(data: Data) -> RandomForestClassifier:
    """A fitted forest; no test may change it."""
    return small_forest().fit(*data)


@pytest.fixture(scope="module")
def model(data: Data, forest: RandomForestClassifier) -> rulekit.RuleExtractor:
    """A fitted model; no test may change it."""
    return rulekit.build("rcprob", forest).fit(*data)


@pytest.fixture(scope="module")
def history(model: rulekit.RuleExtractor) -> list[SearchStep]:
    return model.history_


def small_forest(n_estimators: int = 5) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators, max_depth=3, random_state=0)


def conditions_of(ruleset: RuleSet) -> set[str]:
    return {condition.feature for rule in ruleset for condition in rule.conditions}


class TestFittedAttributes:
    def test_fit_returns_the_model(self, data, forest):
        model = rulekit.build("rcprob", forest)
        assert model.fit(*data) is model

    def test_ruleset(self, model):
        assert type(model.ruleset_) is RuleSet

    def test_classes_are_sorted(self, model):
        assert model.classes_.tolist() == [0, 1]

    def test_number_of_features(self, model):
        assert model.n_features_in_ == 4

    def test_feature_names(self, model):
        assert model.feature_names_in_.tolist() == NAMES

    def test_no_feature_names_without_column_names(self, data):
        X, y = data
        assert not hasattr(rulekit.build("rcprob", small_forest()).fit(X.to_numpy(), y), "feature_names_in_")

    def test_no_index_unless_it_is_asked_for(self, model):
        assert not hasattr(model, "index_")

    def test_index_with_keep_index(self, data, forest):
        assert type(rulekit.build("rcprob", forest, keep_index=True).fit(*data).index_) is TrainingIndex

    def test_prediction_before_fit_is_refused(self, data):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob").predict(data[0])

    def test_probabilities_before_fit_are_refused(self, data):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob").predict_proba(data[0])

    def test_explanation_before_fit_is_refused(self, data):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob").explain(data[0].iloc[0])

    def test_an_ensemble_that_there_is_not_is_told_by_fit_alone(self, data, forest):
        """scikit-learn asks for tags before each prediction, and these asked for the ensemble."""
        X, y = data
        model = rulekit.build("rcprob", forest).fit(X, y)
        expected = model.predict_proba(X)
        np.testing.assert_array_equal(expected, model.set_params(ensemble="no such").predict_proba(X))
        with pytest.raises(NotFittedError):
            rulekit.RuleExtractor("no such").predict_proba(X)
        with pytest.raises(UnknownComponentError, match="No ensemble named 'no such'"):
            model.fit(X, y)

    def test_prediction_is_the_most_probable_class(self, model, data):
        expected = model.classes_[model.predict_proba(data[0]).argmax(axis=1)]
        np.testing.assert_array_equal(expected, model.predict(data[0]))

    def test_the_ruleset_alone_gives_the_models_probabilities(self, model, data):
        np.testing.assert_array_equal(model.predict_proba(data[0]), model.ruleset_.predict_proba(data[0]))

    def test_a_model_explains_as_its_ruleset_does(self, model, data):
        record = data[0].iloc[3]
        *lines, ensemble = str(model.explain(record)).splitlines()
        assert str(model.ruleset_.explain(record)).splitlines() == lines
        assert ensemble.startswith("The ensemble ")


class TestHistory:
    def test_one_step_per_tree(self, history):
        assert [step.tree for step in history] == [0, 1, 2, 3, 4]

    def test_each_is_a_search_step(self, history):
        assert {type(step) for step in history} == {SearchStep}

    def test_candidates_of_the_first_tree_are_its_leaves(self, history, forest):
        assert history[0].n_candidates == forest.estimators_[0].get_n_leaves()

    def test_covering_never_adds_rules(self, history):
        assert all(step.n_after_cover <= step.n_candidates for step in history)

    def test_simplifying_never_adds_rules(self, history):
        assert all(step.n_after_simplify <= step.n_after_cover for step in history)

    def test_scores_are_shares(self, history):
        assert all(0 <= step.score <= 1 for step in history)

    def test_the_first_tree_is_accepted(self, history):
        assert history[0].accepted

    def test_a_tree_is_accepted_exactly_if_it_is_the_best_so_far(self, history):
        scores = [step.score for step in history]
        expected = [all(score > earlier for earlier in scores[:tree]) for tree, score in enumerate(scores)]
        assert expected == [step.accepted for step in history]

    def test_the_first_tree_has_the_seconds_of_simplify_only(self, history):
        assert list(history[0].seconds) == ["simplify"]

    def test_other_trees_have_the_seconds_of_each_stage(self, history):
        assert {tuple(step.seconds) for step in history[1:]} == {("combine", "cover", "simplify")}

    def test_seconds_are_not_negative(self, history):
        assert all(seconds >= 0 for step in history for seconds in step.seconds.values())

    def test_the_accepted_score_is_the_models_macro_f1(self, data, forest):
        from sklearn.metrics import f1_score

        model = rulekit.build("rc+", forest).fit(*data)
        accepted = max(step.score for step in model.history_ if step.accepted)
        assert f1_score(data[1], model.predict(data[0]), average="macro") == pytest.approx(accepted, abs=1e-12)


class TestFittedEnsembles:
    @pytest.mark.parametrize("name", PRESETS)
    def test_one_is_used_as_it_is(self, name, data, forest):
        assert rulekit.build(name, forest).fit(*data).ensemble_ is forest

    def test_one_is_used_as_it_is_without_build(self, data, forest):
        assert rulekit.RuleExtractor(forest).fit(*data).ensemble_ is forest

    @pytest.mark.parametrize("name", PRESETS)
    @pytest.mark.parametrize(
        "ensemble",
        [
            RandomForestClassifier(4, max_depth=3, random_state=0),
            ExtraTreesClassifier(4, max_depth=3, random_state=0),
            GradientBoostingClassifier(n_estimators=4, random_state=0),
            BaggingClassifier(DecisionTreeClassifier(max_depth=3), 4, random_state=0),
            DecisionTreeClassifier(max_depth=3, random_state=0),
        ],
        ids=lambda ensemble: type(ensemble).__name__,
    )
    def test_one_is_never_changed(self, name, ensemble, data):
        fitted = clone(ensemble).fit(*data)
        before = pickle.dumps(fitted)
        rulekit.build(name, fitted).fit(*data).predict_proba(data[0])
        assert before == pickle.dumps(fitted)

    def test_one_predicts_as_before(self, data):
        fitted = small_forest().fit(*data)
        before = fitted.predict_proba(data[0])
        rulekit.build("rcprob", fitted).fit(*data)
        np.testing.assert_array_equal(before, fitted.predict_proba(data[0]))

    def test_one_survives_clone(self, data, forest):
        assert clone(rulekit.build("rcprob", forest)).fit(*data).ensemble_ is forest

    def test_one_survives_clone_of_a_clone(self, data, forest):
        assert clone(clone(rulekit.build("rcprob", forest)).fit(*data)).fit(*data).ensemble_ is forest

    def test_one_trained_with_weights_is_the_way_to_use_weights(self, data):
        weighted = small_forest().fit(*data, sample_weight=np.linspace(0.1, 2, len(data[1])))
        assert rulekit.build("rcprob", weighted).fit(*data).ensemble_ is weighted

    def test_one_may_know_more_classes_than_the_records_show(self, iris):
        X, y = iris
        fitted = small_forest().fit(X, y)
        model = rulekit.build("rcprob", fitted).fit(X[y < 2], y[y < 2])
        assert model.predict_proba(X).shape == (150, 3)

    def test_names_come_from_one_if_the_records_have_none(self, data, forest):
        X, y = data
        assert rulekit.build("rcprob", forest).fit(X.to_numpy(), y).ruleset_.feature_names == tuple(NAMES)


class TestUnfittedEnsembles:
    def test_the_original_stays_unfitted(self, data):
        original = small_forest()
        rulekit.build("rcprob", original).fit(*data)
        with pytest.raises(NotFittedError):
            check_is_fitted(original)

    def test_a_clone_is_fitted(self, data):
        original = small_forest()
        model = rulekit.build("rcprob", original).fit(*data)
        assert model.ensemble_ is not original

    def test_the_clone_has_the_originals_parameters(self, data):
        original = small_forest()
        assert rulekit.build("rcprob", original).fit(*data).ensemble_.get_params() == original.get_params()

    def test_the_clone_sees_column_names(self, data):
        assert rulekit.build("rcprob", small_forest()).fit(*data).ensemble_.feature_names_in_.tolist() == NAMES

    def test_fitting_it_here_or_before_gives_the_same_rules(self, data, forest):
        here = rulekit.build("rcprob", small_forest()).fit(*data)
        assert rulekit.build("rcprob", forest).fit(*data).ruleset_ == here.ruleset_


class TestDataFrames:
    def test_pandas_names_appear_in_the_rules(self, data):
        ruleset = rulekit.build("rc+", small_forest()).fit(*data).ruleset_
        assert conditions_of(ruleset) <= set(NAMES)

    def test_pandas_names_appear_in_the_printed_rules(self, data):
        assert "größe" in str(rulekit.build("rc+", small_forest()).fit(*data).ruleset_)

    def test_polars_names_appear_in_the_rules(self, data):
        X, y = data
        model = rulekit.build("rc+", small_forest()).fit(pl.from_pandas(X), pl.Series(y.to_list()))
        assert model.ruleset_.feature_names == tuple(NAMES)

    def test_polars_and_pandas_give_the_same_rules(self, data):
        X, y = data
        from_polars = rulekit.build("rcprob", small_forest()).fit(pl.from_pandas(X), y)
        assert rulekit.build("rcprob", small_forest()).fit(X, y).ruleset_ == from_polars.ruleset_

    def test_polars_and_pandas_get_the_same_answers(self, data, forest):
        model = rulekit.build("rcprob", forest).fit(*data)
        np.testing.assert_array_equal(model.predict_proba(data[0]), model.predict_proba(pl.from_pandas(data[0])))

    def test_columns_of_arrays_are_numbered(self, data):
        X, y = data
        assert rulekit.build("rc+", small_forest()).fit(X.to_numpy(), y).ruleset_.feature_names == (
            "x0",
            "x1",
            "x2",
            "x3",
        )

    def test_integer_and_boolean_columns_are_numbers(self, data):
        X, y = data
        mixed = X.assign(age=(X["age"] * 3).astype(int), größe=X["größe"] > 0)
        assert rulekit.build("rcprob", small_forest()).fit(mixed, y).n_features_in_ == 4

    def test_lists_are_arrays(self, data):
        X, y = data
        from_lists = rulekit.build("rcprob", small_forest()).fit(X.to_numpy().tolist(), y.tolist())
        assert rulekit.build("rcprob", small_forest()).fit(X.to_numpy(), y).ruleset_ == from_lists.ruleset_


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "expected"),
        [
            (np.array([0, 1, 2]), [0, 1, 2]),
            (np.array([-7, 10, 300]), [-7, 10, 300]),
            (np.array(["setosa", "versicolor", "virginica"]), ["setosa", "versicolor", "virginica"]),
            (np.array(["setosa", "versicolor", "virginica"], dtype=object), ["setosa", "versicolor", "virginica"]),
            (np.array([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
            (np.array([True, False, False]), [False, True]),
        ],
        ids=["integers", "any integers", "strings", "objects", "floats", "booleans"],
    )
    @pytest.mark.parametrize("name", PRESETS)
    def test_predictions_are_labels(self, name, labels, expected, iris):
        X, y = iris
        model = rulekit.build(name, small_forest()).fit(X, labels[y])
        assert sorted(set(model.predict(X).tolist())) == expected

    def test_a_pandas_series_of_strings(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, y.map({0: "a", 1: "b", 2: "c"}))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_a_pandas_categorical(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, y.map({0: "a", 1: "b", 2: "c"}).astype("category"))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_a_polars_series_of_strings(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, pl.Series([["a", "b", "c"][label] for label in y]))
        assert model.classes_.tolist() == ["a", "b", "c"]

    def test_rules_conclude_with_labels(self, iris):
        X, y = iris
        model = rulekit.build("rcprob", small_forest()).fit(X, np.array(["a", "b", "c"])[y])
        assert {rule.label for rule in model.ruleset_} == {"a", "b", "c"}

    def test_renaming_labels_changes_nothing_else(self, iris):
        X, y = iris
        numbered = rulekit.build("rcprob", small_forest()).fit(X, y)
        named = rulekit.build("rcprob", small_forest()).fit(X, np.array(["a", "b", "c"])[y])
        np.testing.assert_array_equal(numbered.predict_proba(X), named.predict_proba(X))

    @pytest.mark.parametrize("name", PRESETS)
    def test_swapping_two_labels_swaps_their_columns(self, name, data):
        X, y = data
        model = rulekit.build(name, small_forest()).fit(X, y)
        swapped = rulekit.build(name, small_forest()).fit(X, 1 - y)
        np.testing.assert_allclose(model.predict_proba(X), swapped.predict_proba(X)[:, ::-1], rtol=0, atol=1e-12)


class TestSameResults:
    @pytest.mark.parametrize("name", PRESETS)
    def test_fitting_twice_gives_the_same_rules(self, name, data):
        model = rulekit.build(name, small_forest())
        assert model.fit(*data).ruleset_ == clone(model).fit(*data).ruleset_

    def test_a_seed_gives_the_same_rules_from_an_ensemble_by_name(self, data):
        model = rulekit.build("rcprob", "bagging", random_state=3)
        assert model.fit(*data).ruleset_ == clone(model).fit(*data).ruleset_

    @pytest.mark.parametrize("name", PRESETS)
    def test_the_order_of_the_records_does_not_matter(self, name, data, forest):
        X, y = data
        order = np.random.default_rng(1).permutation(len(y))
        shuffled = rulekit.build(name, forest).fit(X.iloc[order], y.iloc[order])
        assert rulekit.build(name, forest).fit(X, y).ruleset_ == shuffled.ruleset_

    @pytest.mark.parametrize("name", PRESETS)
    def test_a_record_gets_the_same_answer_alone_and_among_others(self, name, data, forest):
        X, y = data
        model = rulekit.build(name, forest, inference="aggregate").fit(X, y)
        alone = np.vstack([model.predict_proba(X.iloc[[row]]) for row in range(20)])
        np.testing.assert_array_equal(model.predict_proba(X)[:20], alone)

    def test_the_memory_layout_of_the_records_does_not_matter(self, data):
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
        """With `keep_index` turned off, a refitted model still carried the records of the earlier fit."""
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

    @pytest.mark.parametrize("parameter", ["evidence", "probability"])
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
        model = rulekit.RuleExtractor(small_forest(), probability="laplace").fit(*data)
        assert model.probability == "laplace"

    def test_the_records_are_not_changed(self, data):
        X, y = data[0].to_numpy().copy(), data[1].to_numpy().copy()
        before = X.copy()
        rulekit.build("rcprob", small_forest()).fit(X, y)
        np.testing.assert_array_equal(before, X)


class TestPickling:
    @pytest.mark.parametrize("name", PRESETS)
    def test_a_pickled_model_predicts_the_same(self, name, data, forest):
        model = rulekit.build(name, forest).fit(*data)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.predict_proba(data[0]), copy.predict_proba(data[0]))

    def test_a_pickled_model_has_the_same_rules(self, data, forest):
        model = rulekit.build("rcprob", forest).fit(*data)
        assert pickle.loads(pickle.dumps(model)).ruleset_ == model.ruleset_

    def test_an_unfitted_model_can_be_pickled(self, data):
        copy = pickle.loads(pickle.dumps(rulekit.build("rcprob", small_forest())))
        assert copy.fit(*data).ruleset_ == rulekit.build("rcprob", small_forest()).fit(*data).ruleset_

    @pytest.mark.parametrize("name", PRESETS)
    def test_size_does_not_grow_with_the_records(self, name, data, forest):
        X, y = data
        small = rulekit.build(name, forest).fit(X, y)
        large = rulekit.build(name, forest).fit(pd.concat([X] * 40), pd.concat([y] * 40))
        assert len(pickle.dumps(large)) < 1.1 * len(pickle.dumps(small))

    def test_a_pickled_model_carries_no_record(self, data, forest):
        X, y = data
        carried = pickle.dumps(rulekit.build("rcprob", forest).fit(X, y))
        assert not any(value.tobytes() in carried for value in X.to_numpy()[:, 0])

    def test_with_keep_index_size_grows_with_the_records(self, data, forest):
        X, y = data
        model = rulekit.build("rcprob", forest, keep_index=True)
        small = len(pickle.dumps(model.fit(X, y)))
        large = len(pickle.dumps(model.fit(pd.concat([X] * 40), pd.concat([y] * 40))))
        assert large > small + 39 * len(y)

    def test_with_keep_index_a_pickled_model_predicts_the_same(self, data, forest):
        model = rulekit.build("rcprob", forest, keep_index=True).fit(*data)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.predict_proba(data[0]), copy.predict_proba(data[0]))


class FirstHalf(CoverStage):
    """Keeps the first half of the candidates."""

    def cover(self, candidates, context):
        return candidates.take(np.arange((len(candidates) + 1) // 2))


class TreeAlone(CombineStage):
    """Forgets the rules so far."""

    def combine(self, rules, tree_rules, context):
        return tree_rules


class Untouched(SimplifyStage):
    """Leaves rules as they are."""

    def simplify(self, rules, context):
        return rules


class Left(PriorCombiner):
    """Takes the distribution of the rules so far."""

    def combine(self, left, right, left_support, right_support):
        return np.repeat(left[:, None, :], len(right), axis=1)


class Blend(ProbabilityEstimator):
    """Half the prior, half the records."""

    def __init__(self, weight: float = 0.5) -> None:
        self.weight = weight

    def estimate(self, rules):
        shares = rules.counts / np.maximum(rules.support, 1)[:, None]
        shares = np.where(rules.support[:, None] > 0, shares, rules.priors)
        return self.weight * rules.priors + (1 - self.weight) * shares


class TestOwnComponents:
    OWN = (
        ("cover", FirstHalf()),
        ("combine", TreeAlone()),
        ("simplify", Untouched()),
        ("priors", Left()),
        ("evidence", Blend()),
        ("probability", Blend(0.25)),
    )

    @pytest.mark.parametrize(("parameter", "component"), OWN)
    def test_an_own_class_takes_the_place_of_a_built_in_one(self, parameter, component, data, forest):
        model = rulekit.build("rc+", forest, **{parameter: component}).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    @pytest.mark.parametrize("stage", ["combine", "cover", "simplify"])
    @pytest.mark.parametrize("name", ["rc+", "rcprob"])
    def test_a_stage_can_be_left_out(self, name, stage, data, forest):
        model = rulekit.build(name, forest, **{stage: None}).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    def test_all_stages_can_be_left_out(self, data, forest):
        model = rulekit.build("rc+", forest, combine=None, cover=None, simplify=None).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    def test_an_own_probability_is_what_the_rules_state(self, data, forest):
        model = rulekit.build("rc+", forest, probability=Blend(0.0)).fit(*data)
        shares = model.ruleset_.counts / model.ruleset_.counts.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(shares, model.ruleset_.probabilities)

    def test_an_own_parameter_nests(self, forest):
        assert (
            rulekit.build("rcprob", forest, probability=Blend()).set_params(probability__weight=0.1).probability.weight
            == 0.1
        )

    def test_an_own_class_can_be_registered_and_named(self, data, forest):
        rulekit.register("probability", "blend", Blend)
        by_name = rulekit.build("rcprob", forest, probability="blend", probability__weight=0.2).fit(*data)
        by_instance = rulekit.build("rcprob", forest, probability=Blend(0.2)).fit(*data)
        assert by_instance.ruleset_ == by_name.ruleset_

    def test_a_decision_tree_answers_like_the_tree(self, iris):
        X, y = iris
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
        model = rulekit.build("decision-tree", tree).fit(X, y)
        np.testing.assert_allclose(tree.predict_proba(X), model.predict_proba(X))

    def test_a_tree_without_a_split_is_only_a_default(self):
        """Its only leaf, a rule without conditions, stood before the default rule; `from_dict` then refused it."""
        X, y = np.zeros((12, 2)), np.array([0, 1, 1] * 4)
        tree = DecisionTreeClassifier().fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRulesWarning)
            model = rulekit.build("decision-tree", tree).fit(X, y)
        assert len(model.ruleset_) == 1


class TestThresholds:
    def test_every_rule_is_more_precise_than_asked(self, data, forest):
        model = rulekit.build("rc+", forest, min_precision=0.8).fit(*data)
        assert all(rule.precision > 0.8 for rule in model.ruleset_[:-1])

    def test_every_rule_covers_more_than_asked(self, data, forest):
        model = rulekit.build("rcprob", forest, min_coverage=0.1).fit(*data)
        assert all(rule.coverage > 0.1 for rule in model.ruleset_[:-1])

    @pytest.mark.parametrize("order", ["support", "coverage", "precision"])
    def test_every_rule_order_gives_rules(self, order, data, forest):
        assert len(rulekit.build("rcprob", forest, rule_order=order).fit(*data).ruleset_) > 1

    def test_a_model_without_rules_warns_and_says_what_to_do(self, data, forest):
        text = (
            "No rule of the first tree passed min_precision=1.0 and min_coverage=0.0, so that only the default rule is "
            "left. Lower them."
        )
        with pytest.warns(FewRulesWarning, match=f"^{re.escape(text)}$"):
            rulekit.build("rcprob", forest, min_precision=1.0).fit(*data)

    def test_a_model_without_rules_states_the_class_shares(self, data, forest):
        with pytest.warns(FewRulesWarning):
            model = rulekit.build("rcprob", forest, min_precision=1.0).fit(*data)
        expected = np.tile(np.bincount(data[1]) / len(data[1]), (3, 1))
        np.testing.assert_array_equal(expected, model.predict_proba(data[0].head(3)))


class TestWeights:
    TEXT = (
        "RuleExtractor.fit does not take sample_weight: rules state counts of records, which weights distort. "
        "Fit the ensemble with weights and pass it fitted."
    )

    def test_weights_are_refused(self, data, forest):
        with pytest.raises(UnsupportedFitParameterError, match=f"^{re.escape(self.TEXT)}$"):
            rulekit.build("rcprob", forest).fit(*data, sample_weight=np.ones(len(data[1])))

    def test_no_weights_are_fine(self, data, forest):
        """Meta-estimators pass `sample_weight=None` to say that there are none."""
        assert rulekit.build("rcprob", forest).fit(*data, sample_weight=None).ruleset_

    def test_anything_else_is_refused_by_name(self, data, forest):
        with pytest.raises(UnsupportedFitParameterError, match="takes X and y only, got groups"):
            rulekit.build("rcprob", forest).fit(*data, groups=np.ones(len(data[1])))
