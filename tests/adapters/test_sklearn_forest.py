"""Random forests and extra trees."""

import re

import numpy as np
import pytest
from adapters.agreement import assert_rules_are_the_leaves, assert_same_leaves, assert_same_probabilities
from adapters.data import depths, random_data, seeds, training_data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.tree_rules import leaf_rules

quickly = settings(max_examples=40, deadline=None)


def fitted(kind, data, **parameters):
    return kind(**parameters).fit(*data), data[0]


forests = st.builds(
    fitted,
    kind=st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]),
    data=training_data,
    n_estimators=st.integers(1, 4),
    max_depth=depths,
    bootstrap=st.booleans(),
    class_weight=st.sampled_from([None, "balanced"]),
    criterion=st.sampled_from(["gini", "entropy"]),
    random_state=seeds,
)


def read(model):
    return SklearnForestAdapter().forest(model)


@quickly
@given(forests)
def test_probabilities_are_the_librarys_also_at_thresholds(case):
    model, X = case
    assert_same_probabilities(model, read(model), X)


@quickly
@given(forests)
def test_samples_reach_the_librarys_leaves_also_at_thresholds(case):
    model, X = case
    assert_same_leaves(model, read(model), X)


@quickly
@given(forests)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_at_thresholds(case):
    model, X = case
    assert_rules_are_the_leaves(model, read(model), X)


@quickly
@given(forests)
def test_priors_are_the_class_distributions_of_the_leaves(case):
    model, X = case
    _, rounds = leaf_rules(read(model), [f"x{column}" for column in range(X.shape[1])])
    rules_of_first_tree = rounds[0]
    tree = model.estimators_[0].tree_
    leaf_values = {tuple(np.round(value, 12)) for value in tree.value[tree.children_left < 0, 0]}
    assert leaf_values == {tuple(np.round(prior, 12)) for prior in rules_of_first_tree.priors}


def test_classes_are_the_models_labels_in_its_order():
    X, y = random_data(0, 3, "continuous", "strings")
    model = RandomForestClassifier(2, random_state=0).fit(X, y)
    assert read(model).classes.tolist() == ["ant", "bee", "cow"]


def test_a_forest_has_as_many_rulesets_as_trees():
    model = RandomForestClassifier(7, random_state=0).fit(*random_data(0, 3, "continuous", "integers"))
    assert [len(trees) for trees in read(model).rounds] == [1] * 7


def test_trees_without_a_split_predict_like_the_library():
    X = np.ones((6, 2))
    model = RandomForestClassifier(3, random_state=0).fit(X, [0, 0, 0, 1, 1, 0])
    np.testing.assert_allclose(read(model).predict_proba(X), model.predict_proba(X), rtol=1e-12)


def test_trees_without_a_split_give_one_rule_without_conditions_each():
    model = RandomForestClassifier(3, random_state=0).fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 0])
    _, rounds = leaf_rules(read(model), ["a", "b"])
    assert [leaves.antecedents.shape for leaves in rounds] == [(1, 0)] * 3


def test_the_model_is_not_changed():
    X, y = random_data(0, 3, "continuous", "integers")
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    before = model.predict_proba(X).tolist()
    (tree,) = read(model).rounds[0]
    tree.values[:] = 0.0
    tree.priors[:] = 0.0
    assert before == model.predict_proba(X).tolist()


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_both_kinds_are_accepted_unfitted(kind):
    assert SklearnForestAdapter().accepts(kind())


def test_a_subclass_is_accepted():
    class MyForest(RandomForestClassifier):
        pass

    assert SklearnForestAdapter().accepts(MyForest())


def test_a_namesake_from_elsewhere_is_not_accepted():
    namesake = type("RandomForestClassifier", (), {})
    assert not SklearnForestAdapter().accepts(namesake())


def test_an_unfitted_tree_inside_is_named():
    model = RandomForestClassifier(3, random_state=0).fit(*random_data(0, 2, "continuous", "integers"))
    model.estimators_[1] = DecisionTreeClassifier()
    expected = (
        "Tree 1 of the RandomForestClassifier is not fitted, although the ensemble is. "
        "Fit the ensemble again as a whole, or pass it unfitted."
    )
    with pytest.raises(UnfittedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_a_forest_without_trees_is_rejected():
    model = RandomForestClassifier(3, random_state=0).fit(*random_data(0, 2, "continuous", "integers"))
    model.estimators_ = []
    with pytest.raises(UnfittedEnsembleError, match="The RandomForestClassifier has no trees, although it is fitted"):
        read(model)


@pytest.mark.parametrize(
    ("tree", "n_columns", "n_classes"),
    [(DecisionTreeRegressor, 4, 3), (DecisionTreeClassifier, 2, 3), (DecisionTreeClassifier, 4, 2)],
    ids=["regression", "other columns", "other classes"],
)
def test_a_tree_that_was_trained_on_something_else_is_named(tree, n_columns, n_classes):
    """A regression tree leaked a warning of NumPy, and one of other columns was taken as if it fitted."""
    X, y = np.eye(4)[[0, 1, 2, 3, 0, 1]], np.array([0, 1, 2, 0, 1, 2])
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    model.estimators_[1] = tree(random_state=0).fit(X[:, :n_columns], y % n_classes)
    expected = (
        f"Tree 1 of the RandomForestClassifier, a {tree.__name__} of {n_columns} features, was not trained with the "
        "others: they classify samples of 4 features into 3 classes. Fit the ensemble again as a whole, or pass it"
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}"):
        read(model)


def test_a_forest_of_several_targets_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers")
    model = RandomForestClassifier(2, random_state=0).fit(X, np.column_stack([y, y]))
    expected = (
        "The RandomForestClassifier predicts 2 targets at once. "
        "Fit one ensemble for each target and extract rules from each."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)
