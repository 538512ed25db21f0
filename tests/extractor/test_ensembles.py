"""Fitted ensembles are used as they are, unfitted ones are cloned and fitted."""

import pickle

import numpy as np
import pytest
from extractor.worlds import NAMES, PRESETS, small_forest
from sklearn.base import clone
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
    # Four trees with random splits are too few for rules that stand for them.
    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.LowFidelityWarning")
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

    def test_one_may_know_more_classes_than_the_samples_show(self, iris):
        X, y = iris
        fitted = small_forest().fit(X, y)
        model = rulekit.build("rcprob", fitted).fit(X[y < 2], y[y < 2])
        assert model.predict_proba(X).shape == (150, 3)

    def test_names_come_from_one_if_the_samples_have_none(self, data, forest):
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
