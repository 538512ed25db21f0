"""What rules of a list state about the samples that they answer."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.calibration import Temperature
from rulekit.core.errors import InvalidParameterError
from rulekit.core.honest import HonestSamples, stratified_folds
from rulekit.core.rules import RuleList
from rulekit.probability.answered import Answered, _stated

DATA = {"iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}


def forest(**parameters):
    return RandomForestClassifier(30, max_depth=4, random_state=0, oob_score=True, **parameters)


def laplace(counts):
    return [(count + 1) / (sum(counts) + len(counts)) for count in counts]


def by_hand(ruleset, X, y, honest, strength=20.0, smoothing=0.5):
    """Rule by rule and class by class, with Python's own numbers."""
    n_classes, matches = len(ruleset.classes), ruleset.matches(X)
    rows = []
    for rule in range(len(matches) + 1):
        free = ~matches[:rule].any(axis=0)
        answered = free & matches[rule] if rule < len(matches) else free
        region = matches[rule] if rule < len(matches) else answered
        n = [int((y[answered] == label).sum()) for label in range(n_classes)]
        N = [int((y[region] == label).sum()) for label in range(n_classes)]
        predicted = honest[answered & ~np.isnan(honest).any(axis=1)]
        mean = predicted.mean(axis=0) if len(predicted) else [(y == label).mean() for label in range(n_classes)]
        prior = [(mean[label] + laplace(N)[label]) / 2 for label in range(n_classes)]
        total = sum(n) + strength + smoothing * n_classes
        drawn = [(n[label] + strength * prior[label] + smoothing) / total for label in range(n_classes)]
        rows.append(drawn if n[int(np.argmax(drawn))] == max(n) else laplace(n))
    return np.array(rows)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("parameters", [{}, {"strength": 5.0, "smoothing": 1.0}])
def test_it_states_what_scikit_learns_out_of_bag_predictions_give_by_hand(name, parameters):
    X, y = DATA[name]
    model = rulekit.build("rcprob", forest().fit(X, y), final_estimator=Answered(**parameters)).fit(X, y)
    predicted = model.ensemble_.oob_decision_function_
    seen = ~np.isnan(predicted).any(axis=1)
    honest = np.full(predicted.shape, np.nan)
    temperature = Temperature().fit(predicted[seen], y[seen])
    honest[seen] = temperature.transform(predicted[seen])
    expected = by_hand(model.ruleset_, X, y, honest, **parameters)
    np.testing.assert_allclose(model.ruleset_.probabilities, expected, rtol=1e-9)
    assert model.final_report_["honest"] == "out-of-bag"
    assert model.final_report_["temperature"] == pytest.approx(temperature.temperature_)


@pytest.mark.parametrize(
    ("ensemble", "parameters"),
    [
        (GradientBoostingClassifier(n_estimators=10, random_state=0), {}),
        (ExtraTreesClassifier(10, max_depth=3, random_state=0), {}),
        (forest(), {"honest": "none"}),
    ],
)
def test_without_honest_predictions_it_smooths_the_answered_samples(ensemble, parameters):
    X, y = DATA["iris"]
    model = rulekit.build("rcprob", ensemble, final_estimator=Answered(**parameters)).fit(X, y)
    matches = model.ruleset_.matches(X)
    first = np.where(matches.any(axis=0), matches.argmax(axis=0), len(matches))
    expected = [laplace(np.bincount(y[first == rule], minlength=3).tolist()) for rule in range(len(matches) + 1)]
    np.testing.assert_allclose(model.ruleset_.probabilities, expected, rtol=1e-14)
    assert model.final_report_ == {"honest": "none", "temperature": None}


@pytest.mark.parametrize("name", DATA)
def test_cross_fitted_predictions_are_used_where_they_are_asked_for(name):
    X, y = DATA[name]
    boosting = GradientBoostingClassifier(n_estimators=5, random_state=0)
    options = {"final_estimator": Answered(honest="cross-fit", n_folds=3), "random_state": 1}
    model = rulekit.build("rcprob", boosting, **options).fit(X, y)
    data = rulekit.build("rcprob", boosting, **options).prepare(X, y)
    folds = stratified_folds(y, 3, data.seed)
    raw = np.zeros((len(y), len(np.unique(y))))
    for fold in range(3):
        rows = folds == fold
        raw[rows] = clone(boosting).fit(X[~rows], y[~rows]).predict_proba(X[rows])
    temperature = Temperature().fit(raw, y)
    expected = by_hand(model.ruleset_, X, y, temperature.transform(raw))
    np.testing.assert_allclose(model.ruleset_.probabilities, expected, rtol=1e-6)
    assert model.final_report_["honest"] == "cross-fit"
    assert model.final_report_["temperature"] == pytest.approx(temperature.temperature_, rel=1e-6)


class HoldsBack(Answered):
    """Keeps every third sample for itself."""

    def hold_back(self, y):
        return np.arange(len(y)) % 3 == 0


def test_of_samples_that_are_held_back_only_these_count():
    X, y = DATA["cancer"]
    boosting = GradientBoostingClassifier(n_estimators=5, random_state=0)
    model = rulekit.build("rcprob", boosting, final_estimator=HoldsBack(honest="cross-fit", n_folds=2)).fit(X, y)
    held_back = np.arange(len(y)) % 3 == 0
    folds = stratified_folds(y[held_back], 2, 0)
    raw = np.zeros((held_back.sum(), 2))
    for fold in range(2):
        hidden = np.flatnonzero(held_back)[folds == fold]
        seen = np.setdiff1d(np.arange(len(y)), hidden)
        raw[folds == fold] = clone(boosting).fit(X[seen], y[seen]).predict_proba(X[hidden])
    honest = Temperature().fit(raw, y[held_back]).transform(raw)
    expected = by_hand(model.ruleset_, X[held_back], y[held_back], honest)
    np.testing.assert_allclose(model.ruleset_.probabilities, expected, rtol=1e-6)


class CountsFits(GradientBoostingClassifier):
    """Counts how often any of its copies is fitted."""

    n_fits = 0

    def fit(self, X, y):
        CountsFits.n_fits += 1
        return super().fit(X, y)


def test_all_lists_of_a_path_share_the_fits_of_cross_fitting():
    X, y = DATA["cancer"]
    boosting = CountsFits(n_estimators=5, random_state=0)
    parts = {"refine": "relist", "final_estimator": Answered(honest="cross-fit", n_folds=2)}
    model = rulekit.build("rcprob", boosting, **parts).fit(X, y)
    assert len(model.path_) > 1
    assert CountsFits.n_fits == 1 + 2


def test_cross_fitting_what_cannot_be_fitted_again_is_an_error():
    X, y = DATA["iris"]
    booster = rulekit.build("rcprob", "lightgbm", ensemble__n_estimators=3).fit(X, y).ensemble_.booster_
    with pytest.raises(InvalidParameterError, match="'cross-fit' is not possible: the ensemble cannot be fitted again"):
        rulekit.build("rcprob", booster, final_estimator=Answered(honest="cross-fit")).fit(X, y)


def test_on_few_samples_a_model_that_cannot_be_fitted_again_keeps_its_list_and_says_so():
    X, y = DATA["iris"]
    booster = rulekit.build("rcprob", "lightgbm", ensemble__n_estimators=3).fit(X, y).ensemble_.booster_
    model = rulekit.build("rclist", booster).fit(X, y)
    assert model.history_[-1].report["stage"] == "kept"
    assert model.history_[-1].report["reason"] == "the ensemble cannot be fitted again"
    assert model.final_report_ == {"honest": "none", "temperature": None}


def test_the_example_of_the_documentation():
    prior = np.array([[0.5 * 0.6 + 0.5 * 10 / 14, 0.5 * 0.4 + 0.5 * 4 / 14]])
    stated = _stated(np.array([[5, 3]]), prior, 20.0, 0.5)
    assert stated[0, 0] == pytest.approx((5 + 20 * (0.3 + 5 / 14) + 0.5) / 29)
    assert round(stated[0, 0], 3) == 0.643


def test_the_most_frequent_class_is_kept():
    assert _stated(np.array([[5, 3]]), np.array([[0.1, 0.9]]), 20.0, 0.5).tolist() == [[0.6, 0.4]]


def test_soft_labels_of_a_refine_stage_replace_the_out_of_bag_predictions():
    X, y = DATA["iris"]
    extractor = rulekit.build("rcprob", forest())
    data = extractor.prepare(X, y)
    rules = data.leaf_rules().take(np.arange(4))
    generator = np.random.default_rng(0)
    everything = data.with_samples(np.vstack([X, X + 0.01]), np.tile(y, 2))
    honest = HonestSamples(everything, generator.dirichlet(np.ones(3), 300), 150, "cross-fit", 1.5)
    listed = RuleList(data, rules.conditions, honest=honest)
    estimator = Answered().fit(data)
    stated = estimator.estimate_list(listed)
    answering = RuleList(everything, rules.conditions).answering
    for rule, row in enumerate(stated):
        n = np.bincount(y[answering[:150] == rule], minlength=3)
        answered = honest.probabilities[answering == rule]
        mean = answered.mean(axis=0) if len(answered) else np.bincount(y) / 150
        drawn = (n + 80 * mean + 0.5) / (n.sum() + 80 + 1.5)
        expected = drawn if n[drawn.argmax()] == n.max() else (n + 1) / (n.sum() + 3)
        np.testing.assert_allclose(row, expected, rtol=1e-12)
    assert estimator.report_ == {"honest": "cross-fit", "temperature": 1.5}


def test_out_of_bag_predictions_that_do_not_exist_are_an_error():
    X, y = DATA["iris"]
    model = rulekit.build("rcprob", "gbm", final_estimator=Answered(honest="out-of-bag"))
    with pytest.raises(InvalidParameterError, match="honest='out-of-bag' needs a forest"):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"final_estimator": "answered", "inference": "aggregate"}, "lets other rules answer them too"),
        ({"search_estimator": "answered"}, "estimates finished lists only"),
        ({"final_estimator": Answered(strength=-1.0)}, "strength must be a number"),
        ({"final_estimator": Answered(smoothing=0.0)}, "smoothing must be a number above 0"),
        ({"final_estimator": Answered(honest="yes")}, "honest must be one of"),
        ({"final_estimator": Answered(n_folds=1)}, "n_folds must be a whole number of at least 2"),
        ({"final_estimator": Answered(virtual_strength=-1.0)}, "virtual_strength must be a number"),
    ],
)
def test_what_it_cannot_do_is_an_error(parameters, message):
    X, y = DATA["iris"]
    with pytest.raises(InvalidParameterError, match=message):
        rulekit.build("rcprob", forest(), **parameters).fit(X, y)
