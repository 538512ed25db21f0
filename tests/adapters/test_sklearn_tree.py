"""Single trees."""

import re

import numpy as np
import pytest
from adapters.agreement import assert_rules_are_the_leaves, assert_same_leaves, assert_same_probabilities
from adapters.data import depths, random_data, seeds, training_data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from rulekit.adapters.sklearn_trees import SklearnTreeAdapter
from rulekit.core.errors import UnsupportedEnsembleError

quickly = settings(max_examples=40, deadline=None)


def fitted(kind, data, **parameters):
    return kind(**parameters).fit(*data), data[0]


trees = st.builds(
    fitted,
    kind=st.sampled_from([DecisionTreeClassifier, ExtraTreeClassifier]),
    data=training_data,
    max_depth=depths,
    class_weight=st.sampled_from([None, "balanced"]),
    max_leaf_nodes=st.sampled_from([None, 5]),
    ccp_alpha=st.sampled_from([0.0, 0.01]),
    random_state=seeds,
)


def read(model):
    return SklearnTreeAdapter().forest(model)


@quickly
@given(trees)
def test_probabilities_are_the_librarys_also_at_thresholds(case):
    model, X = case
    assert_same_probabilities(model, read(model), X)


@quickly
@given(trees)
def test_samples_reach_the_librarys_leaves_also_at_thresholds(case):
    model, X = case
    assert_same_leaves(model, read(model), X)


@quickly
@given(trees)
def test_each_sample_satisfies_the_rule_of_its_leaf_only_also_at_thresholds(case):
    model, X = case
    assert_rules_are_the_leaves(model, read(model), X)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_both_kinds_are_accepted_unfitted(kind):
    assert SklearnTreeAdapter().accepts(kind())


@pytest.mark.parametrize("model", [DecisionTreeRegressor(), RandomForestClassifier(), object(), None])
def test_other_models_are_not_accepted(model):
    assert not SklearnTreeAdapter().accepts(model)


def test_a_tree_of_several_targets_is_rejected():
    X, y = random_data(0, 2, "continuous", "integers")
    model = DecisionTreeClassifier(random_state=0).fit(X, np.column_stack([y, y, y]))
    expected = (
        "The DecisionTreeClassifier predicts 3 targets at once. "
        "Fit one ensemble for each target and extract rules from each."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)
