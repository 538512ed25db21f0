"""What fit learns, and its history of the search."""

import numpy as np
import pytest
from extractor.worlds import NAMES, small_forest
from sklearn.exceptions import NotFittedError

import rulekit
from rulekit.core.context import SearchStep
from rulekit.core.errors import UnknownComponentError
from rulekit.core.index import TrainingIndex
from rulekit.ruleset import RuleSet


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

    def test_prediction_before_fit_is_rejected(self, data):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob").predict(data[0])

    def test_probabilities_before_fit_are_rejected(self, data):
        with pytest.raises(NotFittedError):
            rulekit.build("rcprob").predict_proba(data[0])

    def test_explanation_before_fit_is_rejected(self, data):
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
        sample = data[0].iloc[3]
        *lines, ensemble = str(model.explain(sample)).splitlines()
        assert str(model.ruleset_.explain(sample)).splitlines() == lines
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

    def test_scores_are_between_0_and_1(self, history):
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
