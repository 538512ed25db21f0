"""Honest probabilities: those of models that did not see the sample."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.calibration import Temperature
from rulekit.core.honest import HonestSamples, NoHonestProbabilities, honest_ensemble, stratified_folds
from rulekit.plugin.manager import plugins
from rulekit.probability.laplace import Laplace

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
SMALL = {"n_estimators": 3, "max_depth": 2}
SETTINGS = {
    "gbm": SMALL,
    "hist-gbm": {"max_iter": 3},
    "xgboost": SMALL,
    "lightgbm": SMALL,
    "catboost": SMALL,
    "adaboost": SMALL,
    "bagging": SMALL,
    "extra-trees": SMALL,
}


def mixed_table():
    """Numbers with missing values, and a column of categories, one of them rare."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(X[:, 2:], columns=["length", "width"])
    labels = np.array(["red", "green", "blue", "grey"])[(Y + rng.integers(2, size=150)) % 4]
    labels[[3, 80]] = "rare"
    table["colour"] = pd.Categorical(labels)
    table.loc[::7, "width"] = np.nan
    return table


def ensemble_of(name, **parameters):
    return plugins().registry.create("ensemble", name, random_state=0, **SETTINGS[name], **parameters)


def cross_fitted(data, n_folds=2):
    ensemble = honest_ensemble(data, "cross-fit", n_folds)
    return ensemble.folds, ensemble.predict(data.X, np.arange(data.n_samples)[:, None])


def fold_by_fold(ensemble, table, labels, folds):
    """What the library itself predicts for each fold, fitted on the others."""
    classes = np.unique(labels)
    predicted = np.zeros((len(labels), len(classes)))
    for fold in set(folds.tolist()):
        rows = folds == fold
        # CatBoost changes its own parameters, which `clone` takes for an error.
        fitted = copy.deepcopy(ensemble).fit(table[~rows], labels[~rows])
        of_fold = [list(classes).index(label) for label in np.unique(labels[~rows])]
        predicted[np.ix_(rows, of_fold)] = fitted.predict_proba(table[rows])
    return predicted


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("comes_fitted", [False, True])
def test_cross_fitting_is_what_the_library_predicts_for_each_fold(name, comes_fitted):
    labels = Y if name == "xgboost" else NAMES
    ensemble = ensemble_of(name)
    given = clone(ensemble).fit(X, labels) if comes_fitted else ensemble
    folds, predicted = cross_fitted(rulekit.build("rcprob", given).prepare(X, labels))
    np.testing.assert_allclose(predicted, fold_by_fold(ensemble, X, labels, folds), atol=1e-6)


def test_models_that_number_their_classes_are_fitted_again_on_numbers():
    folds, predicted = cross_fitted(rulekit.build("rcprob", ensemble_of("xgboost")).prepare(X, NAMES))
    np.testing.assert_allclose(predicted, fold_by_fold(ensemble_of("xgboost"), X, Y, folds), atol=1e-6)


@pytest.mark.parametrize("name", ["hist-gbm", "lightgbm", "xgboost", "catboost"])
def test_categories_and_missing_values_are_those_of_the_table(name):
    table = mixed_table()
    if name == "catboost":
        table["colour"] = table["colour"].astype(str)
    parameters = {"hist-gbm": {"categorical_features": "from_dtype"}}.get(name, {})
    ensemble = ensemble_of(name).set_params(**parameters)
    if name == "catboost":
        ensemble.set_params(cat_features=["colour"], one_hot_max_size=10)
    folds, predicted = cross_fitted(rulekit.build("rcprob", ensemble).prepare(table, Y))
    expected = fold_by_fold(ensemble, table, Y, folds)
    # Categories that a copy has not seen may go another way: libraries do not define where.
    rows = (table["colour"] != "rare").to_numpy()
    np.testing.assert_allclose(predicted[rows], expected[rows], atol=1e-6)


def test_in_a_pipeline_the_ensemble_is_fitted_again_on_what_the_steps_return():
    boosting = GradientBoostingClassifier(n_estimators=3, random_state=0)
    folds, predicted = cross_fitted(rulekit.build("rcprob", make_pipeline(StandardScaler(), boosting)).prepare(X, Y))
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(predicted, fold_by_fold(boosting, scaled, Y, folds), atol=1e-12)


def test_a_class_that_a_copy_did_not_see_has_probability_zero():
    labels = np.where(np.arange(150) == 60, 3, Y)
    folds, predicted = cross_fitted(rulekit.build("rcprob", ensemble_of("gbm")).prepare(X, labels))
    assert (predicted[folds == folds[60], 3] == 0).all()
    assert (predicted[folds != folds[60], 3] > 0).all()


def test_a_library_s_own_booster_cannot_be_fitted_again():
    data = rulekit.build("rcprob", ensemble_of("lightgbm").fit(X, Y).booster_).prepare(X, Y)
    with pytest.raises(NoHonestProbabilities, match="cannot be fitted again"):
        honest_ensemble(data, "auto", 5)


def test_an_ensemble_without_a_seed_is_fitted_again_with_that_of_the_extractor():
    fitted = RandomForestClassifier(5, max_depth=2).fit(X, Y)
    predicted = [cross_fitted(rulekit.build("rcprob", fitted, random_state=4).prepare(X, Y))[1] for _ in range(2)]
    assert np.array_equal(*predicted)


def test_virtual_samples_of_a_forest_are_predicted_by_trees_that_saw_neither_parent():
    forest = RandomForestClassifier(12, max_depth=3, random_state=0).fit(X, Y)
    data = rulekit.build("rcprob", forest).prepare(X, Y)
    rng = np.random.default_rng(0)
    parents = rng.integers(150, size=(60, 2))
    mixed = (X[parents[:, 0]] + X[parents[:, 1]]) / 2
    predicted = honest_ensemble(data, "auto", 5).predict(mixed, parents)
    for sample, both, found in zip(mixed, parents.tolist(), predicted, strict=True):
        unseen = [
            tree
            for tree, seen in zip(forest.estimators_, forest.estimators_samples_, strict=True)
            if not set(both) & set(seen.tolist())
        ]
        expected = [tree.predict_proba(sample[None])[0] for tree in unseen]
        np.testing.assert_allclose(found, np.mean(expected, axis=0) if unseen else [np.nan] * 3)
    assert 0 < np.isnan(predicted).any(axis=1).sum() < 60


@pytest.mark.parametrize("ensemble", [RandomForestClassifier(12, max_depth=3, random_state=0), ensemble_of("gbm")])
def test_all_are_tempered_by_the_temperature_of_the_training_samples(ensemble):
    data = rulekit.build("rcprob", ensemble).prepare(X, Y)
    predicts = honest_ensemble(data, "auto", 5)
    honest = HonestSamples.of(data, predicts, 2)
    real = predicts.predict(X, np.arange(150)[:, None])
    known = ~np.isnan(real).any(axis=1)
    temperature = Temperature().fit(real[known], Y[known])
    assert honest.temperature == pytest.approx(temperature.temperature_)
    np.testing.assert_allclose(honest.probabilities[:150][known], temperature.transform(real[known]), rtol=1e-9)
    assert np.array_equal(honest.X[:150], X)
    assert len(honest.X) == len(honest.probabilities) == 150 + honest.n_virtual
    assert not np.isnan(honest.probabilities[150:]).any()


class HoldsBack(Laplace):
    """Keeps every third sample for itself."""

    def hold_back(self, y):
        return np.arange(len(y)) % 3 == 0


class Remembers(GradientBoostingClassifier):
    """Remembers what it was fitted on."""

    def fit(self, X, y):
        self.fitted_on_ = {tuple(row) for row in X.tolist()}
        return super().fit(X, y)


@pytest.mark.parametrize("part", ["searched", "counted"])
def test_copies_see_neither_their_fold_nor_in_the_search_what_is_held_back(part):
    distinct = X + np.arange(150)[:, None] * 1e-6
    seen = []
    remembers = Remembers(n_estimators=2, max_depth=2, random_state=0)
    data = rulekit.build("rcprob", remembers, final_estimator=HoldsBack()).prepare(distinct, Y)
    own = getattr(data, part)
    original = Remembers.fit

    def fit(self, X, y):
        seen.append({tuple(row) for row in X.tolist()})
        return original(self, X, y)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Remembers, "fit", fit)
        folds, _ = cross_fitted(own)
    everything = {tuple(row) for row in distinct.tolist()}
    held_back = {tuple(row) for row in distinct[::3].tolist()}
    for fold, of_copy in enumerate(seen):
        hidden = {tuple(row) for row in own.X[folds == fold].tolist()}
        assert of_copy == everything - hidden - (held_back if part == "searched" else set())


def test_folds_have_about_equal_sizes_and_shares_of_each_class():
    y = np.repeat([0, 1, 2], [50, 23, 4])
    folds = stratified_folds(y, 5, seed=0)
    for rows, most in ((folds, 16), (folds[y == 0], 10), (folds[y == 1], 5), (folds[y == 2], 1)):
        counts = np.bincount(rows, minlength=5)
        assert counts.max() <= most
        assert counts.max() - counts.min() <= 1
    assert np.array_equal(folds, stratified_folds(y, 5, seed=0))
    assert not np.array_equal(folds, stratified_folds(y, 5, seed=1))
