"""Bagged trees that see only some columns, or samples that lack a class."""

import re

import numpy as np
import pytest
from adapters.agreement import assert_rules_are_the_leaves, assert_same_leaves, assert_same_probabilities
from adapters.data import depths, random_data, seeds, training_data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from rulekit.adapters.sklearn_trees import SklearnBaggingAdapter
from rulekit.core.errors import UnfittedEnsembleError

quickly = settings(max_examples=40, deadline=None)


def fitted(base, depth, data, **parameters):
    base = base if base is None else base(max_depth=depth)
    return BaggingClassifier(base, **parameters).fit(*data), data[0]


bagged = st.builds(
    fitted,
    base=st.sampled_from([None, DecisionTreeClassifier, ExtraTreeClassifier]),
    depth=depths,
    data=training_data,
    n_estimators=st.integers(1, 4),
    max_samples=st.sampled_from([4, 15, 50]),
    max_features=st.sampled_from([0.5, 0.7, 1.0]),
    bootstrap=st.booleans(),
    bootstrap_features=st.booleans(),
    random_state=seeds,
)


def read(model):
    return SklearnBaggingAdapter().forest(model)


def lacking_a_class():
    """A model whose second tree was trained on samples of the first and third of four classes only."""
    X, y = random_data(5, 4, "continuous", "strings")
    model = BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    some = np.isin(codes, [0, 2])
    columns = model.estimators_features_[1]
    model.estimators_[1] = DecisionTreeClassifier(random_state=0).fit(X[some][:, columns], codes[some])
    return model, X


@quickly
@given(bagged)
def test_probabilities_are_the_librarys_also_at_thresholds(case):
    model, X = case
    assert_same_probabilities(model, read(model), X)


@quickly
@given(bagged)
def test_samples_reach_the_librarys_leaves_also_at_thresholds(case):
    model, X = case
    assert_same_leaves(model, read(model), X)


@quickly
@given(bagged)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_at_thresholds(case):
    model, X = case
    assert_rules_are_the_leaves(model, read(model), X)


def test_a_class_that_a_tree_has_not_seen_keeps_its_column():
    model, X = lacking_a_class()
    assert_same_probabilities(model, read(model), X)


def test_the_fraction_of_a_class_that_a_tree_has_not_seen_is_zero():
    model, _ = lacking_a_class()
    (tree,) = read(model).rounds[1]
    assert not tree.values[:, [1, 3]].any()
    assert not tree.priors[:, [1, 3]].any()


def test_a_class_that_a_bootstrap_sample_lacks_has_no_fraction():
    X, y = random_data(5, 3, "continuous", "strings")
    model = BaggingClassifier(n_estimators=5, max_samples=5, random_state=0).fit(X, y)
    lacking = [position for position, drawn in enumerate(model.estimators_samples_) if "cow" not in y[drawn]]
    assert lacking
    assert not any(read(model).rounds[position][0].priors[:, 2].any() for position in lacking)


def test_columns_are_those_of_the_whole_table():
    X, y = random_data(1, 2, "continuous", "integers", n_features=5)
    model = BaggingClassifier(n_estimators=8, max_features=0.4, random_state=0).fit(X, y)
    for trees, columns in zip(read(model).rounds, model.estimators_features_, strict=True):
        assert set(trees[0].features.tolist()) - {-1} <= set(columns.tolist())


@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(), ExtraTreeClassifier()])
def test_bagging_over_trees_is_accepted_unfitted(base):
    assert SklearnBaggingAdapter().accepts(BaggingClassifier(base))


def test_fitted_bagging_over_trees_is_accepted():
    assert SklearnBaggingAdapter().accepts(lacking_a_class()[0])


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(LogisticRegression()),
        BaggingRegressor(DecisionTreeRegressor()),
        DecisionTreeClassifier(),
        None,
    ],
)
def test_other_models_are_not_accepted(model):
    assert not SklearnBaggingAdapter().accepts(model)


def test_an_unfitted_tree_inside_is_named():
    X, y = random_data(0, 2, "continuous", "integers")
    model = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    model.estimators_[2] = DecisionTreeClassifier()
    expected = (
        "Tree 2 of the BaggingClassifier is not fitted, although the ensemble is. "
        "Fit the ensemble again as a whole, or pass it unfitted."
    )
    with pytest.raises(UnfittedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_a_tree_of_a_sample_with_one_class_only_says_so():
    X = np.arange(20.0)[:, None]
    model = BaggingClassifier(n_estimators=6, max_samples=1, random_state=0).fit(X, np.arange(20) % 2)
    priors = {tuple(trees[0].priors[0].tolist()) for trees in read(model).rounds}
    assert {(1.0, 0.0), (0.0, 1.0)} == priors
