"""Missing values in scikit-learn's classic trees: each node says where they go."""

import numpy as np
import pytest
from adapters.data import depths, random_data, seeds, training_data
from adapters.gap_agreement import assert_rules_are_the_leaves_reached
from adapters.library import library_leaves, samples_around_thresholds
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from rulekit.adapters.sklearn_adaboost import SklearnAdaBoostAdapter
from rulekit.adapters.sklearn_gradient_boosting import SklearnGradientBoostingAdapter
from rulekit.adapters.sklearn_trees import SklearnBaggingAdapter, SklearnForestAdapter, SklearnTreeAdapter

quickly = settings(max_examples=60, deadline=None)

ADAPTERS = [
    SklearnTreeAdapter(),
    SklearnForestAdapter(),
    SklearnBaggingAdapter(),
    SklearnAdaBoostAdapter(),
    SklearnGradientBoostingAdapter(),
]
KINDS = {
    "tree": lambda depth, seed: DecisionTreeClassifier(max_depth=depth, random_state=seed),
    "random tree": lambda depth, seed: ExtraTreeClassifier(max_depth=depth, random_state=seed),
    "forest": lambda depth, seed: RandomForestClassifier(3, max_depth=depth, random_state=seed),
    "extra trees": lambda depth, seed: ExtraTreesClassifier(3, max_depth=depth, random_state=seed),
    "bagging": lambda depth, seed: BaggingClassifier(
        DecisionTreeClassifier(max_depth=depth), 3, max_features=0.7, random_state=seed
    ),
}


def with_gaps(data, fraction, seed):
    """The data, and in half of the cases an informative gap: the first class lacks a value more often."""
    X, y = data
    rng = np.random.default_rng(seed)
    chance = np.where((y == y[0]) & (seed % 2 == 0), 2 * fraction, fraction)
    return np.where(rng.random(X.shape) < chance[:, None], np.nan, X), y


def fitted(kind, depth, seed, data, fraction):
    """A model and samples to ask it about: its own, those without any gap, and those with nothing but gaps."""
    X, y = with_gaps(data, fraction, seed)
    model = KINDS[kind](depth, seed).fit(X, y)
    return model, np.concatenate([X, data[0], np.full((1, X.shape[1]), np.nan)])


models = st.builds(
    fitted,
    kind=st.sampled_from(list(KINDS)),
    depth=depths,
    seed=seeds,
    data=training_data,
    fraction=st.sampled_from([0.0, 0.05, 0.3]),
)


def samples_to_ask(model, X):
    """Samples around thresholds, except those that the library rejects: a split on missing values is at infinity."""
    X = samples_around_thresholds(model, X)
    return X[~(np.abs(X) > np.finfo(np.float32).max).any(axis=1)]


def assert_same_probabilities(model, X):
    X = samples_to_ask(model, X)
    np.testing.assert_allclose(read(model).predict_proba(X), model.predict_proba(X), rtol=1e-10, atol=1e-13)


def assert_same_leaves(model, X):
    X = samples_to_ask(model, X)
    rounded = X.astype(np.float32).astype(np.float64)
    for expected, (tree,) in zip(library_leaves(model, X), read(model).rounds, strict=True):
        np.testing.assert_array_equal(expected, tree.apply(rounded))


def read(model):
    return next(adapter for adapter in ADAPTERS if adapter.accepts(model)).forest(model)


@quickly
@given(models)
def test_probabilities_are_the_librarys_also_for_gaps(case):
    model, X = case
    assert_same_probabilities(model, X)


@quickly
@given(models)
def test_samples_reach_the_librarys_leaves_also_for_gaps(case):
    model, X = case
    assert_same_leaves(model, X)


@quickly
@given(models)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_for_gaps(case):
    model, X = case
    X = samples_to_ask(model, X)
    assert_rules_are_the_leaves_reached(read(model), library_leaves(model, X), X)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_tested_with_gaps_on_both_sides_of_a_split(kind):
    model, _ = fitted(kind, None, 0, random_data(0, 3, "continuous", "strings"), 0.3)
    trees = [tree for (tree,) in read(model).rounds]
    inner = np.concatenate([tree.missing_left[tree.features >= 0] for tree in trees])
    assert {False, True} == set(inner.tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_any_value_is_no_obstacle(kind):
    X, y = random_data(0, 2, "continuous", "strings")
    X[:, 1] = np.nan
    model = KINDS[kind](None, 0).fit(X, y)
    assert_same_probabilities(model, X)


@pytest.mark.parametrize("kind", KINDS)
def test_the_forest_says_that_gaps_are_handled(kind):
    model, _ = fitted(kind, 2, 0, random_data(0, 2, "continuous", "strings"), 0.0)
    assert read(model).handles_missing


@pytest.mark.parametrize("model", [AdaBoostClassifier(n_estimators=2), GradientBoostingClassifier(n_estimators=2)])
def test_ensembles_that_reject_missing_values_do_not_handle_them(model):
    X, y = random_data(0, 2, "continuous", "strings")
    forest = read(model.fit(X, y))
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict_proba(np.full((1, X.shape[1]), np.nan))
    assert not forest.handles_missing
