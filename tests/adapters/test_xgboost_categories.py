"""Splits on categories, and what becomes of categories that XGBoost has not seen."""

import re

import numpy as np
import pandas as pd
import pytest
from adapters.xgboost_models import assert_agrees, assert_same_leaves, edge_samples, read, stored_model, xgboost
from hypothesis import given, settings
from hypothesis import strategies as st

import rulekit
from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.core.errors import EnsembleMismatchError
from rulekit.core.forest import CategorySplit
from rulekit.testing import check_agreement

N_COLOURS, N_SHAPES = 9, 3
KINDS = ["c", "q", "c"]
KEEPS_LABELS = tuple(int(part) for part in xgboost.__version__.split(".")[:2]) >= (3, 1)
needs_labels = pytest.mark.skipif(not KEEPS_LABELS, reason="XGBoost stores the labels of categories from 3.1 on")
quickly = settings(max_examples=50, deadline=None)


def coded(seed=0, n_classes=2, missing=0.0, n_samples=150):
    """Samples of a many-valued category, a number and a few-valued category, as codes; and labels."""
    rng = np.random.default_rng(seed)
    colours, shapes = rng.integers(N_COLOURS, size=n_samples), rng.integers(N_SHAPES, size=n_samples)
    # XGBoost asks that the largest code be seen.
    colours[0], shapes[0] = N_COLOURS - 1, N_SHAPES - 1
    sizes = rng.normal(size=n_samples)
    noise = rng.integers(n_classes, size=n_samples)
    y = np.where(rng.random(n_samples) < 0.2, noise, (colours % 4 + (shapes == 1) + (sizes > 0)) % n_classes)
    y[:n_classes] = np.arange(n_classes)
    X = np.column_stack([colours, sizes, shapes]).astype(float)
    X[1:][rng.random((n_samples - 1, 3)) < missing] = np.nan
    return X, y


def fitted(case, **parameters):
    X, y = case
    model = xgboost.XGBClassifier(feature_types=KINDS, enable_categorical=True, n_jobs=1, **parameters)
    return model.fit(X, y), X


def with_unseen(X, seed=0):
    """The samples once more with codes that were not trained on, at the word limits of bit sets too, or cannot be."""
    rng = np.random.default_rng(seed)
    strange = [N_COLOURS, 31, 32, 33, 63, 64, 100, 2**24 - 1, 2**24, 1e8, -1, -2, np.nan]
    copies = [X]
    for value in strange:
        for columns in ([0], [2], [0, 2]):
            some = X[rng.integers(len(X), size=10)].copy()
            some[:, columns] = value
            copies.append(some)
    return np.concatenate(copies)


models = st.builds(
    fitted,
    st.builds(
        coded,
        seed=st.integers(0, 2**32 - 1),
        n_classes=st.integers(2, 4),
        missing=st.sampled_from([0.0, 0.2]),
    ),
    tree_method=st.sampled_from(["hist", "approx"]),
    n_estimators=st.integers(1, 4),
    max_depth=st.integers(1, 4),
    # One-hot splits below the limit, partitions from it on.
    max_cat_to_onehot=st.sampled_from([1, 4, 100]),
    max_cat_threshold=st.sampled_from([2, 64]),
    num_parallel_tree=st.integers(1, 2),
    subsample=st.sampled_from([0.6, 1.0]),
    random_state=st.integers(0, 2**31 - 1),
)


@quickly
@given(models)
def test_samples_with_known_and_unknown_categories_agree_with_the_library(case):
    model, X = case
    assert_agrees(model, with_unseen(edge_samples(model, X)))


def test_a_booster_with_categories_agrees_with_the_library():
    model, X = fitted(coded(n_classes=3), n_estimators=3, max_depth=3)
    assert_agrees(model.get_booster(), with_unseen(X))


def test_dart_with_categories_agrees_with_the_library():
    model, X = fitted(coded(), n_estimators=4, max_depth=3, booster="dart", rate_drop=0.5)
    assert_agrees(model, with_unseen(X))


@pytest.mark.parametrize("limit", [1, 100])
def test_listed_categories_go_right_and_all_others_left(limit):
    model, _ = fitted(coded(), n_estimators=1, max_depth=1, max_cat_to_onehot=limit)
    stored = stored_model(model)["trees"][0]
    assert stored["categories_nodes"] == [0]
    expected = {0: CategorySplit(frozenset(stored["categories"]), goes_left=False)}
    assert expected == dict(read(model).rounds[0][0].category_splits)


def test_the_threshold_of_a_category_split_is_a_number():
    """Up to XGBoost 3.0 the document says NaN there, later a tiny number; neither means anything."""
    model, _ = fitted(coded(), n_estimators=1, max_depth=1)
    (tree,) = read(model).rounds[0]
    assert tree.thresholds[0] == 0


def test_an_unknown_category_is_not_taken_for_a_missing_value():
    X, y = coded()
    X[1::3, 0] = np.nan
    # Missing goes right with category 2 only: all others, known or not, go left.
    y = (np.isnan(X[:, 0]) | (X[:, 0] == 2)).astype(int)
    model, _ = fitted((X, y), n_estimators=1, max_depth=1, max_cat_to_onehot=100)
    (tree,) = read(model).rounds[0]
    assert not tree.missing_left[0]
    assert not read(model).unknown_as_missing
    assert_same_leaves(model, np.array([[np.nan, 0, 0], [2, 0, 0], [3, 0, 0], [50, 0, 0], [-1, 0, 0]]))


def labelled(colours, seed=0):
    """A frame with a column of labels, and its codes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(len(colours), size=90)
    frame = pd.DataFrame({"size": rng.normal(size=90), "colour": pd.Categorical.from_codes(codes, colours)})
    return frame, np.column_stack([frame["size"], codes]).astype(float), (codes == 1).astype(int)


def fitted_on_labels(colours):
    frame, X, y = labelled(colours)
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=2, enable_categorical=True, n_jobs=1).fit(frame, y)
    return model, frame, X


@needs_labels
@pytest.mark.parametrize("colours", [["red", "", "green"], ["z", "b", "a"], [30, -10, 20]])
def test_labels_are_known_by_code(colours):
    model, _, _ = fitted_on_labels(colours)
    assert {1: tuple(colours)} == dict(read(model).categories)


@needs_labels
def test_labels_of_dart_are_known_too():
    frame, _, y = labelled(["red", "blue", "green"])
    model = xgboost.XGBClassifier(booster="dart", n_estimators=2, enable_categorical=True, n_jobs=1).fit(frame, y)
    assert dict(read(model).categories) == {1: ("red", "blue", "green")}


@needs_labels
def test_labels_with_longer_characters_are_left_out():
    """XGBoost 3.1 and 3.2 cut such labels in the wrong places: `red, blué, green` came back as other words."""
    model, _, _ = fitted_on_labels(["red", "blué", "green"])
    assert dict(read(model).categories) == {}


def test_labels_are_left_out_where_the_model_was_trained_on_codes():
    model, _ = fitted(coded(), n_estimators=1)
    assert dict(read(model).categories) == {}


@pytest.mark.parametrize("colours", [["red", "blue", "green"], [30, -10, 20]])
def test_codes_of_labels_predict_like_the_library_does_for_labels(colours):
    model, frame, X = fitted_on_labels(colours)
    np.testing.assert_allclose(read(model).predict_proba(X), model.predict_proba(frame), rtol=0, atol=1e-6)


@pytest.mark.parametrize("code", [1.5, -0.5, 1 + 1e-9, 8.25])
def test_fractional_codes_are_rejected_in_fit_and_predict(code):
    """XGBoost truncates 1.5 to the category 1; a set of codes does not hold it, and the rules were 0.63 off."""
    for seed in range(5):
        model, X = fitted(coded(seed), n_estimators=3, max_depth=3)
        y = model.predict(X)
        rules = rulekit.build("rcprob", model).fit(X, y)
        column = int(rules.ruleset_.conditions.features[rules.ruleset_.conditions.is_set][0])
        fractional = X.copy()
        fractional[3, column] = code
        expected = f"X has the fractional value {code:g} in 'x{column}', which holds codes of categories. Pass whole"
        with pytest.raises(ValueError, match=re.escape(expected)):
            rulekit.build("rcprob", model).fit(fractional, y)
        for one in (rules, rules.ruleset_):
            with pytest.raises(ValueError, match=re.escape(expected)):
                one.predict_proba(fractional)


def test_fractions_in_a_numeric_column_and_missing_codes_are_read():
    X, y = coded(missing=0.2)
    model, _ = fitted((X, y), n_estimators=3, max_depth=3)
    rules = rulekit.build("rcprob", model).fit(X, y)
    np.testing.assert_array_equal(rules.predict_proba(X), rules.ruleset_.predict_proba(X))


@needs_labels
def test_labels_beyond_ascii_in_another_order_than_in_training_are_rejected():
    """XGBoost truncates them, so the codes came from the table that was passed: 0.74 became 0.52."""
    frame, _, y = labelled(["red", "blué", "green"])
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True, n_jobs=1).fit(frame, y)
    rules = rulekit.build("rcprob", model).fit(frame, y)
    assert "blué" in str(rules.ruleset_)
    other = frame.assign(colour=frame["colour"].cat.set_categories(["green", "red", "blué"]))
    with pytest.raises(EnsembleMismatchError, match="may not come in the order in which the XGBClassifier was tr"):
        rulekit.build("rcprob", model).fit(other, y)
    np.testing.assert_array_equal(rules.predict_proba(other), rules.predict_proba(frame))


def test_a_missing_integer_category_goes_where_the_library_sends_it():
    """Beside a column of integers, pandas made a number of it, and the rules took that for an unseen category."""
    frame = pd.DataFrame({"grade": pd.Categorical([None, 3] * 10, [40, 1, 3]), "n": [-2, 2] * 10})
    y = np.array([1, 0] * 10)
    model = xgboost.XGBClassifier(n_estimators=1, enable_categorical=True, min_child_weight=0, n_jobs=1).fit(frame, y)
    check_agreement(XGBoostAdapter(), model, frame, y)


@needs_labels
def test_labels_whose_order_is_lost_are_rejected_unless_rulekit_fits_the_model():
    """Of "日本", "é" and "e" XGBoost stores four bytes and the lengths: the last two may be exchanged."""
    frame, _, y = labelled(["日本", "é", "e"])
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True, n_jobs=1)
    assert "é" in str(rulekit.build("rcprob", model).fit(frame, y).ruleset_)
    with pytest.raises(EnsembleMismatchError, match="or pass an unfitted ensemble"):
        rulekit.build("rcprob", model.fit(frame, y)).fit(frame, y)
