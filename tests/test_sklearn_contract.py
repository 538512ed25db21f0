"""What scikit-learn asks of a classifier, and its tools around ours."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import rulekit
from rulekit.core.errors import FewRulesWarning

#: Checks that cannot pass, each with its reason. None.
EXPECTED_FAILURES: dict[str, str] = {}

Data = tuple[pd.DataFrame, pd.Series]


def small_forest() -> RandomForestClassifier:
    return RandomForestClassifier(5, max_depth=3, random_state=0)


def whole_forest() -> RandomForestClassifier:
    """A forest without bootstrap: a draw of repeated samples is another one than a draw of weighted samples.

    Where a check makes classes weigh next to nothing, it asks of trees that no leaf weighs so little.
    """
    return small_forest().set_params(bootstrap=False, min_weight_fraction_leaf=0.01)


# One check makes all classes but one weigh nothing: there is nothing left to tell apart then.
@pytest.mark.filterwarnings(f"ignore::{FewRulesWarning.__module__}.{FewRulesWarning.__name__}")
@parametrize_with_checks(
    [
        rulekit.build("rc+", whole_forest()),
        rulekit.build("rcprob", whole_forest()),
        rulekit.build("rclist", whole_forest(), refine="relist", final_estimator__honest="none"),
        rulekit.build("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        rulekit.build("rcprob", whole_forest(), inference="aggregate", rule_order="precision"),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data() -> Data:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * generator.normal(size=200) > 0
    return pd.DataFrame(X, columns=["age", "Time", "Area"]), pd.Series(np.where(y, "yes", "no"))


@pytest.fixture(scope="module")
def forest(data: Data) -> RandomForestClassifier:
    """A fitted forest; no test may change it."""
    return small_forest().fit(*data)


class TestParameters:
    def test_clone_keeps_nested_parameters(self):
        assert clone(rulekit.build("rcprob", final_estimator__crossover=20)).final_estimator.crossover == 20

    def test_clone_shares_no_component(self):
        model = rulekit.build("rcprob")
        assert clone(model).final_estimator is not model.final_estimator

    def test_set_params_reaches_a_component(self):
        assert rulekit.build("rcprob").set_params(final_estimator__crossover=20).final_estimator.crossover == 20

    def test_set_params_swaps_a_component_by_name(self, data, forest):
        model = rulekit.build("rcprob", forest).set_params(final_estimator="laplace").fit(*data)
        assert rulekit.build("rcprob", forest, final_estimator="laplace").fit(*data).ruleset_ == model.ruleset_

    def test_set_params_swaps_by_name_and_sets_a_nested_parameter_at_once(self):
        """A component set by name stayed a string, of which scikit-learn then asked `set_params`."""
        model = rulekit.build("rcprob").set_params(final_estimator="m-estimate", final_estimator__strength=2.0)
        assert model.final_estimator.strength == 2.0

    def test_a_nested_parameter_of_a_component_given_by_name_works_without_build(self):
        model = rulekit.RuleExtractor(final_estimator="hybrid").set_params(final_estimator__crossover=20)
        assert model.final_estimator.crossover == 20

    def test_get_params_shows_nested_parameters(self):
        assert rulekit.build("rcprob").get_params()["final_estimator__crossover"] == 50.0

    def test_nested_parameters_of_the_ensemble_are_shown(self):
        assert rulekit.build("rcprob", small_forest()).get_params()["ensemble__max_depth"] == 3

    def test_the_printed_model_names_what_was_swapped(self):
        assert "MEstimate(strength=2.0)" in repr(
            rulekit.build("rcprob", final_estimator="m-estimate", final_estimator__strength=2.0)
        )


class TestGridSearch:
    def test_over_nested_parameters(self, data, forest):
        grid = {"final_estimator__crossover": [20, 50], "min_precision": [0.5, 0.55]}
        search = GridSearchCV(rulekit.build("rcprob", forest), grid, cv=2, error_score="raise").fit(*data)
        assert len(search.cv_results_["params"]) == 4

    def test_over_names_of_components(self, data, forest):
        grid = {"final_estimator": ["hybrid", "laplace"], "inference": ["decision-list", "aggregate"]}
        search = GridSearchCV(rulekit.build("rcprob", forest), grid, cv=2, error_score="raise").fit(*data)
        assert search.best_params_["final_estimator"] in grid["final_estimator"]

    def test_over_names_with_their_own_parameters(self, data, forest):
        grid = [
            {"final_estimator": ["m-estimate"], "final_estimator__strength": [1.0, 2.0]},
            {"final_estimator": ["laplace"]},
        ]
        search = GridSearchCV(rulekit.build("rcprob", forest), grid, cv=2, error_score="raise").fit(*data)
        assert len(search.cv_results_["params"]) == 3

    def test_over_stages_left_out(self, data, forest):
        grid = {"cover": ["cover", None]}
        search = GridSearchCV(rulekit.build("rc+", forest), grid, cv=2, error_score="raise").fit(*data)
        assert len(search.cv_results_["params"]) == 2

    def test_over_parameters_of_an_unfitted_ensemble(self, data):
        grid = {"ensemble__max_depth": [1, 3]}
        search = GridSearchCV(rulekit.build("rcprob", small_forest()), grid, cv=2, error_score="raise").fit(*data)
        assert search.best_estimator_.ensemble_.max_depth == search.best_params_["ensemble__max_depth"]

    def test_a_fitted_ensemble_survives(self, data, forest):
        search = GridSearchCV(rulekit.build("rcprob", forest), {"min_precision": [0.5, 0.6]}, cv=2).fit(*data)
        assert search.best_estimator_.ensemble_ is forest

    def test_parameters_of_a_fitted_ensemble_cannot_be_set(self, forest):
        with pytest.raises(ValueError, match="cannot set parameters of the inner estimator in a frozen estimator"):
            rulekit.build("rcprob", forest).set_params(ensemble__max_depth=1)

    def test_in_several_processes(self, data, forest):
        search = GridSearchCV(rulekit.build("rcprob", forest), {"min_precision": [0.5, 0.6]}, cv=2, n_jobs=2)
        assert search.fit(*data).best_estimator_.ensemble_ is forest


class TestOtherTools:
    def test_cross_val_score(self, data):
        assert cross_val_score(rulekit.build("rcprob", small_forest()), *data, cv=3).mean() > 0.6

    def test_cross_val_score_with_a_fitted_ensemble(self, data, forest):
        assert cross_val_score(rulekit.build("rcprob", forest), *data, cv=3, scoring="neg_log_loss").shape == (3,)

    def test_cross_validated_probabilities(self, data):
        answers = cross_val_predict(rulekit.build("rcprob", small_forest()), *data, cv=2, method="predict_proba")
        assert answers.shape == (200, 2)

    def test_pipeline_with_a_scaler(self, data):
        pipeline = make_pipeline(StandardScaler(), rulekit.build("rcprob", small_forest()))
        assert pipeline.fit(*data).score(*data) > 0.6

    def test_pipeline_with_a_scaler_that_keeps_names(self, data):
        scaler = StandardScaler().set_output(transform="pandas")
        pipeline = make_pipeline(scaler, rulekit.build("rcprob", small_forest())).fit(*data)
        assert pipeline[-1].ruleset_.feature_names == ("age", "Time", "Area")

    def test_pipeline_parameters_nest_twice(self, data):
        pipeline = make_pipeline(StandardScaler(), rulekit.build("rcprob", small_forest()))
        grid = {"ruleextractor__final_estimator__crossover": [20, 50]}
        assert len(GridSearchCV(pipeline, grid, cv=2).fit(*data).cv_results_["params"]) == 2

    def test_calibration(self, data):
        model = CalibratedClassifierCV(rulekit.build("rc+", small_forest()), cv=2).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    def test_one_against_the_rest(self, data):
        labels = pd.Series(np.digitize(data[0]["age"], [-0.5, 0.5]))
        assert (
            OneVsRestClassifier(rulekit.build("rcprob", small_forest())).fit(data[0], labels).score(data[0], labels)
            > 0.6
        )

    def test_permutation_importance(self, data, forest):
        model = rulekit.build("rcprob", forest).fit(*data)
        assert permutation_importance(model, *data, n_repeats=2, random_state=0).importances_mean.shape == (3,)

    def test_the_notebook_view_of_a_model(self, forest):
        assert "RuleExtractor" in rulekit.build("rcprob", forest)._repr_html_()
