"""Searches and decision thresholds: rules come from the model that they chose, and `predict` keeps the threshold."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 (the import makes the searches available)
from sklearn.metrics import f1_score, make_scorer, recall_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from wrappers.models import BASES, WRAPPERS, table

import rulekit
from rulekit.core.errors import DecisionThresholdWarning, UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.evaluation import evaluate

DEPTHS = {"max_depth": [2, 3]}
SEARCHES = {
    "grid": lambda model: GridSearchCV(model, DEPTHS, cv=2),
    "random": lambda model: RandomizedSearchCV(model, DEPTHS, n_iter=1, cv=2, random_state=0),
    "halving": lambda model: HalvingGridSearchCV(model, DEPTHS, cv=2, random_state=0),
    "halving-random": lambda model: HalvingRandomSearchCV(model, DEPTHS, n_candidates=2, cv=2, random_state=0),
}


def rules(ensemble, X, y):
    """Rules, without the warning that the threshold is one of `predict` alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DecisionThresholdWarning)
        return rulekit.build("rcprob", ensemble, random_state=0).fit(X, y)


def text(model):
    return model.ruleset_.to_text()


@pytest.mark.parametrize("search", SEARCHES)
def test_rules_of_a_fitted_search_are_those_of_its_best_estimator(search):
    X, y = table(0)
    fitted = SEARCHES[search](BASES["forest"]()).fit(X, y)
    assert text(rules(fitted.best_estimator_, X, y)) == text(rules(fitted, X, y))


def test_a_search_that_was_not_refitted_has_no_best_estimator():
    X, y = table(0)
    search = GridSearchCV(BASES["forest"](), DEPTHS, cv=2, refit=False).fit(X, y)
    with pytest.raises(UnfittedEnsembleError, match="fitted with refit=False, so that it has no best_estimator_"):
        rulekit.build("rcprob", search)


def test_a_search_may_be_the_last_step_of_a_pipeline_or_search_over_one():
    X, y = table(0)
    inside = make_pipeline(StandardScaler(), GridSearchCV(BASES["forest"](), DEPTHS, cv=2)).fit(X, y)
    over = GridSearchCV(
        make_pipeline(StandardScaler(), BASES["forest"]()), {"randomforestclassifier__max_depth": [2, 3]}, cv=2
    ).fit(X, y)
    plain = make_pipeline(StandardScaler(), clone(inside[-1].best_estimator_)).fit(X, y)
    expected = text(rules(plain, X, y))
    assert [expected, expected] == [text(rules(inside, X, y)), text(rules(over, X, y))]


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]], ids=str)
@pytest.mark.parametrize("rank", [1, -1])
def test_predict_keeps_a_fixed_threshold(rank, labels):
    X, y = table(0, 2)
    y = np.array(labels)[y]
    # A probability that some rule predicts: it counts as reached.
    threshold = np.unique(rules(BASES["forest"](), X, y).predict_proba(X)[:, 0])[rank]
    given = FixedThresholdClassifier(BASES["forest"](), threshold=threshold, pos_label=labels[0]).fit(X, y)
    model = rules(given, X, y)
    expected = np.where(model.predict_proba(X)[:, 0] >= threshold, labels[0], labels[1])
    np.testing.assert_array_equal(expected, model.predict(X))
    # scikit-learn's own decision about the same probabilities.
    own = FixedThresholdClassifier(model, threshold=threshold, pos_label=labels[0])
    np.testing.assert_array_equal(own.predict(X), model.predict(X))
    assert (model.predict(X) != model.ruleset_.predict(X)).any()


def test_predict_keeps_a_tuned_threshold_for_the_class_that_it_was_tuned_for():
    X, y = table(1, 2)
    y = np.array(["ill", "well"])[y]
    tuned = TunedThresholdClassifierCV(BASES["forest"](), scoring=make_scorer(f1_score, pos_label="ill"), cv=3)
    model = rules(tuned.fit(X, y), X, y)
    expected = np.where(model.predict_proba(X)[:, 0] >= tuned.best_threshold_, "ill", "well")
    np.testing.assert_array_equal(expected, model.predict(X))


def test_a_threshold_is_kept_through_pipelines_searches_clones_and_refits():
    X, y = table(0, 2)
    threshold = FixedThresholdClassifier(BASES["forest"](), threshold=0.3)
    expected = rules(threshold, X, y).decision_threshold_
    unfitted = make_pipeline(StandardScaler(), threshold)
    search = GridSearchCV(threshold, {"estimator__max_depth": [2]}, cv=2).fit(X, y)
    fitted = rulekit.build("rcprob", clone(threshold).fit(X, y), random_state=0)
    for model in (rules(unfitted, X, y), rules(clone(unfitted).fit(X, y), X, y), rules(search, X, y)):
        assert expected == model.decision_threshold_
    with pytest.warns(DecisionThresholdWarning, match=r"`predict` answers 1 from a probability of 0\.3 on"):
        assert expected == clone(fitted).fit(X, y).decision_threshold_


def test_a_threshold_of_scores_is_not_supported():
    X, y = table(0, 2)
    given = FixedThresholdClassifier(BASES["boosting"](), threshold=0.5, response_method="decision_function").fit(X, y)
    with pytest.raises(UnsupportedEnsembleError, match=r"is one of scores.*response_method='predict_proba'"):
        rules(given, X, y)


def test_an_unfitted_tuned_threshold_is_reported():
    with pytest.raises(UnfittedEnsembleError, match="has no threshold"):
        rulekit.build("rcprob", TunedThresholdClassifierCV(BASES["forest"]()))


def test_other_models_have_no_threshold():
    assert not hasattr(rules(BASES["forest"](), *table(0)), "decision_threshold_")


PREPROCESSING = {"none": None, "scaled": StandardScaler}
ESTIMATORS = ["empirical", "hybrid", "answered"]


@pytest.mark.parametrize("preprocessing", PREPROCESSING)
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("base", ["forest", "boosting", "xgboost", "lightgbm", "catboost"])
def test_every_wrapper_leads_to_rules_that_follow_it(base, wrapper, preprocessing):
    """Each ensemble, wrapper, preprocessing and estimator of the final rules; the estimators share a search."""
    X, y = table(0)
    model = WRAPPERS[wrapper](BASES[base]())
    if PREPROCESSING[preprocessing] is not None:
        model = make_pipeline(PREPROCESSING[preprocessing](), model)
    model.fit(X, y)
    data = rulekit.build("rcprob", model).prepare(X, y)
    for estimator in ESTIMATORS:
        found = rulekit.build("rcprob", model, final_estimator=estimator).fit(data, data.y)
        probabilities = found.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        assert np.mean(found.predict(X) == model.predict(X)) >= 0.5  # guessing: 0.33


def test_a_search_over_a_calibrated_model_is_read_as_a_whole():
    X, y = table(0)
    search = GridSearchCV(CalibratedClassifierCV(BASES["forest"](), cv=2), {"estimator__max_depth": [2, 3]}, cv=2)
    assert type(rules(search.fit(X, y), X, y).ensemble_).__name__ == "CalibratedClassifierCV"


def test_measures_are_those_of_the_classes_that_predict_answers():
    X, y = table(0, 2)
    model = rules(FixedThresholdClassifier(BASES["forest"](), threshold=0.97, pos_label=1).fit(X, y), X, y)
    predicted = model.predict(X)
    assert (predicted != model.ruleset_.predict(X)).any()
    found = evaluate(model, X, y)
    assert found["accuracy"] == pytest.approx(np.mean(predicted == y))
    assert found["rarest_class_recall"] == pytest.approx(recall_score(y, predicted, pos_label=1))
    # The ensemble inside answers its most probable class, as the rules do without the threshold.
    assert found["fidelity"] == evaluate(model.ruleset_, X, y, model.ensemble_)["fidelity"]


def test_a_summary_puts_everything_at_the_same_threshold():
    X, y = table(0, 2)
    model = rules(FixedThresholdClassifier(BASES["forest"](), threshold=0.97, pos_label=1).fit(X, y), X, y)
    probabilities = model.ensemble_.predict_proba(X)[:, 1]
    found = model.summary(X, y, (X, y)).values
    assert found["ensemble"]["accuracy"] == pytest.approx(np.mean((probabilities >= 0.97) == y))
