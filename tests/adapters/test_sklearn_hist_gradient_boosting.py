"""Histogram boosting: gaps, categories that the library codes and moves, and what leaves say before shrinkage."""

import datetime
import math
import re

import numpy as np
import pandas as pd
import pytest
from adapters.data import random_data
from adapters.gap_agreement import assert_rules_are_the_leaves_reached
from adapters.hist_cases import cases, edge_samples, encoded, fitted
from hypothesis import given, settings
from sklearn._loss.loss import ExponentialLoss
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from threadpoolctl import threadpool_limits

import rulekit
from rulekit.adapters.sklearn_hist_gradient_boosting import SklearnHistGradientBoostingAdapter
from rulekit.core.errors import (
    EnsembleMismatchError,
    InvalidParameterError,
    UnsupportedDataError,
    UnsupportedEnsembleError,
)

quickly = settings(max_examples=40, deadline=None)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """On tables this small, threads of the library wait for one another most of the time."""
    with threadpool_limits(1, user_api="openmp"):
        yield


def read(model, scores="raw"):
    return SklearnHistGradientBoostingAdapter(scores).forest(model)


def trees_of(forest):
    return [tree for trees in forest.rounds for tree in trees]


def assert_same_probabilities(case, forest=None):
    forest = read(case.model) if forest is None else forest
    samples = edge_samples(case, forest)
    actual = forest.predict_proba(encoded(forest, samples))
    np.testing.assert_allclose(actual, case.library_probabilities(samples), rtol=1e-10, atol=1e-13)


def assert_same_leaves(case):
    forest = read(case.model)
    samples = edge_samples(case, forest)
    X = encoded(forest, samples)
    for expected, tree in zip(case.library_leaves(samples), trees_of(forest), strict=True):
        np.testing.assert_array_equal(expected, tree.apply(X))


def assert_predicts_like(model, frame, X=None):
    """The model sees `X`, by default the frame itself; the forest the frame's codes."""
    forest = read(model)
    expected = model.predict_proba(frame if X is None else X)
    np.testing.assert_allclose(forest.predict_proba(encoded(forest, frame)), expected, rtol=1e-10, atol=1e-13)


def two_class_model(**parameters):
    X, y = random_data(3, 2, "continuous", "integers")
    y[:20] = 1
    options = {"max_iter": 3, "min_samples_leaf": 5, "random_state": 0} | parameters
    return HistGradientBoostingClassifier(**options).fit(X, y), y


def three_class_model(**parameters):
    X, y = random_data(3, 3, "continuous", "integers")
    options = {"max_iter": 3, "min_samples_leaf": 5, "random_state": 0} | parameters
    return HistGradientBoostingClassifier(**options).fit(X, y), y


def leaf_scores(model, round_, column=0):
    """Shrunken scores of all nodes, as the library keeps them."""
    return model._predictors[round_][column].nodes["value"].tolist()


def logistic(scores):
    return [1 / (1 + math.exp(-score)) for score in scores]


def softmax(scores):
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


def small_model(X, y, **parameters):
    options = {"max_iter": 2, "min_samples_leaf": 3, "random_state": 0} | parameters
    return HistGradientBoostingClassifier(**options).fit(X, y)


@quickly
@given(cases)
def test_probabilities_are_the_librarys_also_at_thresholds_gaps_and_unseen_categories(case):
    assert_same_probabilities(case)


@quickly
@given(cases)
def test_samples_reach_the_librarys_leaves_also_at_thresholds_gaps_and_unseen_categories(case):
    assert_same_leaves(case)


@quickly
@given(cases)
def test_each_sample_satisfies_the_rule_of_its_leaf_only(case):
    forest = read(case.model)
    samples = edge_samples(case, forest)
    assert_rules_are_the_leaves_reached(forest, case.library_leaves(samples), encoded(forest, samples))


@quickly
@given(cases)
def test_leaves_say_distributions(case):
    for tree in trees_of(read(case.model)):
        np.testing.assert_allclose(tree.priors.sum(axis=1), 1.0, rtol=1e-12)
        assert (tree.priors >= 0).all()


@quickly
@given(cases)
def test_listed_categories_are_codes_of_their_feature(case):
    forest = read(case.model)
    for tree in trees_of(forest):
        for node, split in tree.category_splits.items():
            assert split.codes <= set(range(len(forest.categories[int(tree.features[node])])))


def test_probabilities_do_not_depend_on_which_scores_the_priors_use():
    case = fitted(1, 3, "strings", ["continuous"], ["words"], "dtype", max_iter=4)
    assert_same_probabilities(case, read(case.model, "shrunken"))


def test_boosting_that_stopped_early_is_read_as_far_as_it_went():
    case = fitted(
        0, 2, "strings", ["integers"], ["words"], "dtype", max_iter=200, early_stopping=True, n_iter_no_change=2
    )
    assert case.model.n_iter_ < 200
    assert case.model.n_iter_ == len(read(case.model).rounds)
    assert_same_probabilities(case)


def test_trees_without_a_split_predict_like_the_library():
    X, y = random_data(0, 3, "continuous", "strings")
    model = small_model(X, y, min_samples_leaf=40)
    assert [len(tree.features) for tree in trees_of(read(model))] == [1] * 6
    assert_predicts_like(model, pd.DataFrame(X), X)


def test_a_split_on_gaps_alone_has_an_infinite_threshold():
    X = np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60.0) % 4)[:, None]
    model = small_model(X, np.isnan(X[:, 0]))
    assert [np.inf, 0.0, 0.0] == read(model).rounds[0][0].thresholds.tolist()
    assert_predicts_like(model, pd.DataFrame([[-np.inf], [0.0], [np.inf], [np.nan]]))


def test_gaps_go_where_the_library_sends_them_when_it_was_trained_without_any():
    X, y = random_data(0, 2, "continuous", "strings")
    assert_predicts_like(small_model(X, y), pd.DataFrame(np.full((1, X.shape[1]), np.nan)))


def test_categories_of_a_numeric_array_are_the_values_that_it_holds():
    """scikit-learn's documentation says that negative values count as missing; they are categories like any other."""
    values = np.array([-3.0, -1.0, 2.0, 7.5, 300.0, np.nan])
    X = np.column_stack([np.arange(120) % 7, values[np.arange(120) % 6]])
    model = small_model(X, np.isin(X[:, 1], [-3.0, 7.5]), categorical_features=[False, True])
    assert read(model).categories == {1: (-3.0, -1.0, 2.0, 7.5, 300.0)}
    never_seen = [0.0, 1.0, 4.0, -2.0]
    frame = pd.DataFrame({"a": 0.0, "b": [*values, *never_seen]})
    assert_predicts_like(model, frame, frame.to_numpy())


def test_categories_of_a_frame_are_its_labels_in_the_encoders_order():
    labels = pd.Categorical(np.tile(["mid", "low", "high"], 40), categories=["low", "mid", "high", "never"])
    frame = pd.DataFrame({"x": np.arange(120.0), "level": labels})
    model = small_model(frame, np.tile([0, 1, 1], 40))
    assert read(model).categories == {1: ("high", "low", "mid")}
    assert_predicts_like(model, frame)


def test_splits_name_the_users_columns_although_the_library_moves_categories_to_the_front():
    frame = pd.DataFrame({"x": np.arange(120.0), "level": pd.Categorical(np.tile(["a", "b"], 60)), "z": 0.0})
    model = small_model(frame, np.tile([0, 1], 60), max_depth=1)
    assert model._predictors[0][0].nodes["feature_idx"][0] == 0
    assert read(model).rounds[0][0].features.tolist() == [1, -1, -1]


def test_a_frame_of_categories_only_is_read():
    frame = pd.DataFrame({"a": np.tile(["x", "y", "z"], 40), "b": np.repeat([5, 6], 60)}).astype("category")
    model = small_model(frame, np.tile([0, 1, 1], 40) ^ np.repeat([0, 1], 60))
    assert read(model).categories == {0: ("x", "y", "z"), 1: (5, 6)}
    assert_predicts_like(model, frame)


def test_a_categorical_column_that_no_tree_splits_on_has_its_labels_too():
    frame = pd.DataFrame({"x": np.arange(120.0), "same": pd.Categorical(["only"] * 120)})
    assert read(small_model(frame, np.arange(120) > 50)).categories == {1: ("only",)}


def test_every_one_of_255_categories_is_read():
    X = np.tile(np.arange(255.0), 20)[:, None] * 3 - 100
    y = np.random.default_rng(0).integers(2, size=255)[np.arange(len(X)) % 255]
    model = small_model(X, y, categorical_features=[0], max_iter=3)
    assert max(max(split.codes) for tree in trees_of(read(model)) for split in tree.category_splits.values()) > 250
    assert_predicts_like(model, pd.DataFrame(X), X)


def test_none_in_an_array_of_objects_is_a_category_as_for_the_library():
    X = np.array([[position % 5, label] for position, label in enumerate(["x", "y", None] * 40)], dtype=object)
    model = small_model(X, np.tile([0, 0, 1], 40), categorical_features=[1])
    forest = read(model)
    assert forest.categories == {1: ("x", "y", None)}
    codes = np.column_stack([X[:, 0].astype(float), np.tile([0.0, 1.0, 2.0], 40)])
    np.testing.assert_allclose(forest.predict_proba(codes), model.predict_proba(X), rtol=1e-12)


def test_rules_are_not_made_where_none_is_a_category():
    """The library distinguished None from missing values, the rules did not, and lost the samples that have it."""
    frame = pd.DataFrame({"x": np.arange(120.0), "colour": pd.Series(["x", "y", None] * 40, dtype=object)})
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=["colour"])
    y = np.tile([0, 0, 1], 40)
    with pytest.raises(
        EnsembleMismatchError, match="treats None in the column 'colour' as a category, but rules treat"
    ):
        rulekit.build("rc+", model).fit(frame, y)
    filled = frame.fillna({"colour": "none"})
    assert rulekit.build("rc+", model).fit(filled, y).score(filled, y) == 1


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_dates_as_categories_are_found_again(unit):
    days = pd.Series(pd.to_datetime(["2024-02-29", "2025-01-01", "2023-06-30"] * 40)).dt.as_unit(unit)
    frame = pd.DataFrame({"x": np.arange(120.0), "day": days})
    model = small_model(frame, np.tile([0, 0, 1], 40), categorical_features=["day"])
    assert datetime.datetime(2023, 6, 30) == read(model).categories[1][0]
    assert_predicts_like(model, frame)


def test_a_model_without_categorical_columns_has_no_categories():
    assert read(two_class_model()[0]).categories == {}


def test_unseen_categories_count_as_missing():
    assert read(two_class_model()[0]).unknown_as_missing


def test_missing_values_are_handled():
    assert read(two_class_model()[0]).handles_missing


def test_gaps_in_a_column_of_one_category_are_split_off_as_the_library_predicts():
    """The library splits "only" from gaps, but looks "only" up among the colours that go left at the root.

    So its prediction for the samples of colour "b" that hold "only" is not what it learnt; rules must follow it.
    """
    frame = pd.DataFrame({"colour": np.repeat(["a", "b"], 40), "gap": np.tile(np.repeat(["only", None], 20), 2)})
    y = (frame["colour"] == "a") | frame["gap"].isna()
    frame = frame.astype("category")
    model = small_model(frame, y, max_iter=1)
    assert {0, 1} == set(read(model).rounds[0][0].features.tolist()) - {-1}
    assert_predicts_like(model, frame)


def test_two_class_boosting_starts_from_the_log_odds():
    model, y = two_class_model()
    expected = math.log((y == 1).sum() / (y == 0).sum())
    np.testing.assert_allclose(read(model).initial_scores, [expected], rtol=1e-12)


def test_weighted_boosting_starts_from_the_log_odds_of_weights():
    X, y = random_data(3, 2, "continuous", "integers")
    weights = np.arange(1.0, len(y) + 1)
    model = HistGradientBoostingClassifier(max_iter=1).fit(X, y, sample_weight=weights)
    expected = math.log(weights[y == 1].sum() / weights[y == 0].sum())
    np.testing.assert_allclose(read(model).initial_scores, [expected], rtol=1e-12)


def test_balanced_boosting_of_two_classes_starts_from_even_odds():
    model, _ = two_class_model(class_weight="balanced")
    np.testing.assert_allclose(read(model).initial_scores, [0.0], atol=1e-12)


def test_multiclass_boosting_starts_from_the_class_fractions():
    model, y = three_class_model()
    expected = [(y == label).mean() for label in range(3)]
    np.testing.assert_allclose(softmax(read(model).initial_scores), expected, rtol=1e-12)


def test_two_class_priors_of_the_first_tree_include_the_initial_log_odds():
    model, y = two_class_model(learning_rate=0.2)
    log_odds = math.log((y == 1).sum() / (y == 0).sum())
    expected = logistic([log_odds + score / 0.2 for score in leaf_scores(model, 0)])
    np.testing.assert_allclose(read(model).rounds[0][0].priors[:, 1], expected, rtol=1e-10)


def test_two_class_priors_of_later_trees_do_not_include_the_initial_log_odds():
    model, _ = two_class_model(learning_rate=0.2)
    expected = logistic([score / 0.2 for score in leaf_scores(model, 1)])
    np.testing.assert_allclose(read(model).rounds[1][0].priors[:, 1], expected, rtol=1e-10)


def test_shrunken_priors_come_after_the_learning_rate():
    model, _ = two_class_model(learning_rate=0.2)
    expected = logistic(leaf_scores(model, 1))
    np.testing.assert_allclose(read(model, "shrunken").rounds[1][0].priors[:, 1], expected, rtol=1e-10)


def test_shrunken_priors_of_the_first_tree_include_the_whole_initial_log_odds():
    model, y = two_class_model(learning_rate=0.2)
    log_odds = math.log((y == 1).sum() / (y == 0).sum())
    expected = logistic([log_odds + score for score in leaf_scores(model, 0)])
    np.testing.assert_allclose(read(model, "shrunken").rounds[0][0].priors[:, 1], expected, rtol=1e-10)


def test_a_raw_prior_is_the_newton_step_of_the_leafs_samples():
    """Without regularisation a first leaf's raw score is sum(y - p) / sum(p (1 - p)) with p the fraction of class 1."""
    X = np.repeat([0.0, 1.0], 10)[:, None]
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0] + [1] * 8 + [0] * 2)
    model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=5, learning_rate=0.05).fit(X, y)
    fraction = 11 / 20
    steps = [(ones - 10 * fraction) / (10 * fraction * (1 - fraction)) for ones in (3, 8)]
    expected = logistic([math.log(fraction / (1 - fraction)) + step for step in steps])
    tree = read(model).rounds[0][0]
    np.testing.assert_allclose(tree.priors[tree.apply(np.array([[0.0], [1.0]])), 1], expected, rtol=1e-6)


@pytest.mark.parametrize(("round_", "includes_start"), [(0, True), (2, False)])
def test_multiclass_priors_are_softmax_of_one_score_and_of_the_start_in_the_first_round_only(round_, includes_start):
    model, y = three_class_model(learning_rate=0.5)
    start = [math.log((y == label).mean()) if includes_start else 0.0 for label in range(3)]
    for column, tree in enumerate(read(model).rounds[round_]):
        scores = leaf_scores(model, round_, column)
        expected = [softmax([start[k] + (score / 0.5 if k == column else 0.0) for k in range(3)]) for score in scores]
        np.testing.assert_allclose(tree.priors, expected, rtol=1e-10)


def test_the_trees_of_one_multiclass_round_form_one_ruleset():
    assert [len(trees) for trees in read(three_class_model()[0]).rounds] == [3, 3, 3]


def test_classes_are_the_models_labels_in_its_order():
    model = small_model(*random_data(0, 3, "continuous", "strings"))
    assert read(model).classes.tolist() == ["ant", "bee", "cow"]


def test_the_model_is_not_changed():
    X, y = random_data(0, 3, "continuous", "integers")
    model = small_model(X, y)
    before = model.predict_proba(X).tolist()
    forest = read(model)
    forest.initial_scores[:] = 7.0
    for tree in trees_of(forest):
        for name in ("values", "priors", "features", "thresholds", "left", "right", "missing_left"):
            getattr(tree, name)[:] = 0
    assert before == model.predict_proba(X).tolist()


def test_histogram_boosting_is_accepted_unfitted():
    assert SklearnHistGradientBoostingAdapter().accepts(HistGradientBoostingClassifier())


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier(), HistGradientBoostingRegressor(), RandomForestClassifier(), None]
)
def test_other_models_are_not_accepted(model):
    assert not SklearnHistGradientBoostingAdapter().accepts(model)


def test_a_namesake_from_elsewhere_is_not_accepted():
    assert not SklearnHistGradientBoostingAdapter().accepts(type("HistGradientBoostingClassifier", (), {})())


def test_a_model_of_one_class_is_rejected():
    model = small_model(np.arange(40.0)[:, None], np.full(40, "ant"))
    expected = (
        "The HistGradientBoostingClassifier was fitted on one class only, 'ant', but predicts probabilities of two. "
        "Fit it on data with at least two classes."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_a_custom_loss_is_rejected():
    model = small_model(*random_data(0, 2, "continuous", "integers"), loss=ExponentialLoss())
    expected = (
        "The HistGradientBoostingClassifier was fitted with the loss ExponentialLoss, whose scores cannot be turned "
        "into the priors of rules. Fit it with loss='log_loss'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(expected)}$"):
        read(model)


def test_unknown_scores_are_rejected():
    expected = "SklearnHistGradientBoostingAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        read(two_class_model()[0], "cooked")


def test_a_column_without_values_is_named():
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "TBG": np.nan})
    model = HistGradientBoostingClassifier(max_iter=1)
    for table, name in ((X, "'TBG'"), (X.to_numpy(), "2")):
        with pytest.raises(UnsupportedDataError, match=f"Column {name} of X has no values"):
            rulekit.build("rcprob", model).fit(table, ["a", "a", "b", "b"])
