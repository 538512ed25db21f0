"""XGBoost: boosted trees, dart and random forests."""

import json
import warnings

import numpy as np
import pytest
from adapters.data import VALUES
from adapters.xgboost_models import (
    SMALL,
    assert_agrees,
    assert_same_leaves,
    assert_same_probabilities,
    edge_samples,
    margins,
    read,
    samples,
    splits,
    stored_model,
    xgboost,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from sklearn.ensemble import GradientBoostingClassifier

from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.adapters.xgboost_document import read_document

quickly = settings(max_examples=60, deadline=None)


def fitted(case, *, kind, is_weighted, is_monotone, growth, **parameters):
    X, y = case
    weights = np.random.default_rng(0).uniform(0.1, 3, size=len(y)) if is_weighted else None
    if is_monotone:
        parameters["monotone_constraints"] = (1, -1, 0, 0, 1)[: X.shape[1]]
    if parameters.get("booster") == "dart":
        parameters["rate_drop"] = 0.5
    if kind is xgboost.XGBRFClassifier:
        # A forest has no rounds, and its own name for the number of parallel trees.
        del parameters["num_parallel_tree"]
    return kind(n_jobs=1, **growth, **parameters).fit(X, y, sample_weight=weights), X


random_samples = st.builds(
    samples,
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    values=st.sampled_from(list(VALUES)),
    n_features=st.integers(1, 5),
    missing=st.sampled_from([0.0, 0.0, 0.2]),
)
models = st.builds(
    fitted,
    random_samples,
    kind=st.sampled_from([xgboost.XGBClassifier, xgboost.XGBClassifier, xgboost.XGBRFClassifier]),
    is_weighted=st.booleans(),
    is_monotone=st.booleans(),
    growth=st.sampled_from(
        [
            {"tree_method": "hist", "colsample_bynode": 0.5},
            {"tree_method": "hist", "max_bin": 4},
            {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 5},
            {"tree_method": "approx"},
            {"tree_method": "exact", "colsample_bynode": 1.0},
        ]
    ),
    booster=st.sampled_from(["gbtree", "gbtree", "dart"]),
    n_estimators=st.integers(1, 5),
    max_depth=st.integers(1, 4),
    learning_rate=st.sampled_from([0.05, 0.3, 1.0]),
    num_parallel_tree=st.integers(1, 3),
    base_score=st.sampled_from([None, 0.1, 0.9]),
    subsample=st.sampled_from([0.5, 1.0]),
    colsample_bytree=st.sampled_from([0.5, 1.0]),
    reg_lambda=st.sampled_from([0.5, 1.0]),
    reg_alpha=st.sampled_from([0.0, 0.5]),
    gamma=st.sampled_from([0.0, 1.0]),
    min_child_weight=st.sampled_from([0.1, 1.0]),
    random_state=st.integers(0, 2**31 - 1),
)


@quickly
@given(models)
def test_probabilities_are_the_librarys_also_at_thresholds_and_where_values_are_missing(case):
    model, X = case
    assert_same_probabilities(model, edge_samples(model, X))


@quickly
@given(models)
def test_samples_reach_the_librarys_leaves_also_at_thresholds_and_where_values_are_missing(case):
    model, X = case
    assert_same_leaves(model, edge_samples(model, X))


@quickly
@given(models)
def test_probabilities_do_not_depend_on_which_scores_the_priors_use(case):
    model, X = case
    np.testing.assert_array_equal(read(model).predict_proba(X), read(model, "shrunken").predict_proba(X))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_booster_is_read_like_the_classifier_around_it(n_classes, missing):
    X, y = samples(n_classes=n_classes, missing=missing)
    booster = xgboost.XGBClassifier(**SMALL).fit(X, y).get_booster()
    assert_agrees(booster, edge_samples(booster, X))


@pytest.mark.parametrize(
    "parameters",
    [
        {"objective": "binary:logistic"},
        {"objective": "binary:logitraw"},
        {"objective": "binary:logitraw", "base_score": 0.2},
        {"objective": "multi:softprob", "num_class": 2},
        {"objective": "multi:softmax", "num_class": 2},
    ],
)
def test_a_trained_booster_is_read_with_every_objective(parameters):
    X, y = samples()
    booster = xgboost.train({"max_depth": 2, "nthread": 1, **parameters}, xgboost.DMatrix(X, y), 4)
    assert_agrees(booster, edge_samples(booster, X))


@pytest.mark.parametrize("objective", ["binary:logistic", "binary:logitraw"])
def test_two_classes_are_read_with_every_objective(objective):
    X, y = samples()
    model = xgboost.XGBClassifier(objective=objective, **SMALL).fit(X, y)
    assert_agrees(model, edge_samples(model, X))


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
def test_several_classes_are_read_with_every_objective(objective):
    X, y = samples(n_classes=4)
    model = xgboost.XGBClassifier(objective=objective, **SMALL).fit(X, y)
    assert model.objective == objective
    assert_agrees(model, edge_samples(model, X))


def test_an_objective_of_ones_own_is_read_as_the_library_predicts():
    def squares(labels, margin):
        return margin - labels, np.ones_like(labels)

    X, y = samples()
    model = xgboost.XGBClassifier(objective=squares, **SMALL).fit(X, y)
    assert_agrees(model, edge_samples(model, X))


@pytest.mark.parametrize("base_score", [1e-9, 3e-7, 1e-5, 0.1, 0.999, 0.9999995])
def test_the_initial_score_is_the_librarys_also_near_certainty(base_score):
    """XGBoost 3.2 began to keep the start away from 0 and 1, earlier versions do not."""
    X, y = samples()
    model = xgboost.XGBClassifier(base_score=base_score, min_child_weight=1e9, n_estimators=1, n_jobs=1).fit(X, y)
    only_leaf = stored_model(model)["trees"][0]["split_conditions"][0]
    np.testing.assert_allclose(read(model).initial_scores, margins(model, X[:1]) - only_leaf, rtol=1e-6)


def test_the_initial_score_is_the_log_odds_of_a_given_base_score():
    X, y = samples()
    model = xgboost.XGBClassifier(base_score=0.2, **SMALL).fit(X, y)
    np.testing.assert_allclose(read(model).initial_scores, [logit(0.2)], rtol=1e-6)


def test_the_same_base_score_for_all_classes_is_given_to_each():
    X, y = samples(n_classes=3)
    model = xgboost.XGBClassifier(base_score=0.2, **SMALL).fit(X, y)
    np.testing.assert_allclose(read(model).initial_scores, [0.2, 0.2, 0.2], rtol=1e-6)


def test_estimated_base_scores_of_several_classes_are_read():
    X, y = samples(n_classes=3)
    model = xgboost.XGBClassifier(min_child_weight=1e9, n_estimators=1, n_jobs=1).fit(X, y)
    leaves = [tree["split_conditions"][0] for tree in stored_model(model)["trees"]]
    np.testing.assert_allclose(read(model).initial_scores, margins(model, X[:1])[0] - leaves, atol=1e-6)


def test_nodes_that_were_pruned_away_do_no_harm():
    X, y = samples(n_samples=200)
    model = xgboost.XGBClassifier(tree_method="exact", gamma=2, max_depth=6, n_estimators=3, n_jobs=1).fit(X, y)
    assert any(int(tree["tree_param"]["num_deleted"]) > 0 for tree in stored_model(model)["trees"])
    assert_agrees(model, edge_samples(model, X))


def test_trees_without_a_split_predict_like_the_library():
    X, y = samples()
    model = xgboost.XGBClassifier(min_child_weight=1e9, **SMALL).fit(X, y)
    assert not splits(model)
    assert_agrees(model, X)


def test_values_near_the_largest_float32_are_compared_like_the_library_does():
    X, y = samples()
    X *= 1e38
    model = xgboost.XGBClassifier(**SMALL).fit(X, y)
    assert_agrees(model, edge_samples(model, X))


def test_zero_and_its_neighbours_go_where_the_library_sends_them():
    X = np.repeat([-1.0, 0.0], 30)[:, None]
    model = xgboost.XGBClassifier(tree_method="hist", **SMALL).fit(X, np.repeat([0, 1], 30))
    assert splits(model) == [(0, 0.0)]
    tiny = np.nextafter(np.float32(0), np.float32(1)).astype(float)
    assert_agrees(model, np.array([[-tiny], [-0.0], [0.0], [tiny]]))


def test_a_round_of_two_classes_is_one_tree():
    model = xgboost.XGBClassifier(**SMALL).fit(*samples())
    assert [len(trees) for trees in read(model).rounds] == [1, 1, 1]


def test_the_trees_of_one_multiclass_round_form_one_ruleset():
    model = xgboost.XGBClassifier(**SMALL).fit(*samples(n_classes=4))
    assert [len(trees) for trees in read(model).rounds] == [4, 4, 4]


def test_parallel_trees_are_rulesets_of_their_own():
    model = xgboost.XGBClassifier(num_parallel_tree=2, **SMALL).fit(*samples(n_classes=3))
    assert [len(trees) for trees in read(model).rounds] == [3] * 6


def test_the_trees_of_a_ruleset_are_those_of_all_classes_in_order():
    model = xgboost.XGBClassifier(num_parallel_tree=2, **SMALL).fit(*samples(n_classes=3))
    for trees in read(model).rounds:
        for column, tree in enumerate(trees):
            assert {column} == set(np.flatnonzero(tree.values.any(axis=0)).tolist())


def test_every_tree_of_a_random_forest_is_a_ruleset():
    model = xgboost.XGBRFClassifier(n_estimators=7, max_depth=2, n_jobs=1).fit(*samples())
    assert [len(trees) for trees in read(model).rounds] == [1] * 7


def test_a_slice_of_a_booster_is_read_on_its_own():
    X, y = samples(n_classes=3)
    some = xgboost.XGBClassifier(**SMALL).fit(X, y).get_booster()[1:3]
    assert_agrees(some, edge_samples(some, X))


def test_training_that_went_on_from_an_earlier_model_is_read_as_a_whole():
    X, y = samples()
    first = xgboost.XGBClassifier(**SMALL).fit(X, y)
    model = xgboost.XGBClassifier(**SMALL).fit(X, y, xgb_model=first)
    assert len(read(model).rounds) == 6
    assert_agrees(model, edge_samples(model, X))


def test_missing_values_and_float32_samples_are_announced():
    forest = read(xgboost.XGBClassifier(**SMALL).fit(*samples(n_features=3)))
    assert (True, np.float32, 3) == (forest.handles_missing, forest.input_dtype, forest.n_features)


def test_classes_of_a_classifier_are_its_labels():
    class Named(xgboost.XGBClassifier):
        classes_ = np.array(["ant", "bee"])

        def fit(self, X, y):
            self.n_classes_ = 2
            self._Booster = xgboost.XGBClassifier(**SMALL).fit(X, y).get_booster()
            return self

    assert read(Named().fit(*samples())).classes.tolist() == ["ant", "bee"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_of_a_booster_are_numbers(n_classes):
    booster = xgboost.XGBClassifier(**SMALL).fit(*samples(n_classes=n_classes)).get_booster()
    assert list(range(n_classes)) == read(booster).classes.tolist()


def test_reading_does_not_change_the_model():
    X, y = samples()
    model = xgboost.XGBClassifier(**SMALL).fit(X, y)
    before = bytes(model.get_booster().save_raw("json")), model.get_booster().save_config(), model.get_params()
    read(model)
    after = bytes(model.get_booster().save_raw("json")), model.get_booster().save_config(), model.get_params()
    assert repr(before) == repr(after)


@pytest.mark.parametrize("model", [xgboost.XGBClassifier(), xgboost.XGBRFClassifier(), xgboost.Booster()])
def test_classifiers_and_boosters_are_accepted_unfitted(model):
    assert XGBoostAdapter().accepts(model)


def test_a_fitted_classifier_is_accepted():
    assert XGBoostAdapter().accepts(xgboost.XGBClassifier(**SMALL).fit(*samples()))


@pytest.mark.parametrize(
    "model",
    [
        xgboost.XGBRegressor(),
        xgboost.XGBRFRegressor(),
        xgboost.XGBRanker(),
        GradientBoostingClassifier(),
        xgboost.XGBClassifier,
        None,
    ],
)
def test_other_models_are_not_accepted(model):
    assert not XGBoostAdapter().accepts(model)


class Beside:
    """A booster of dart as XGBoost 3.4 writes it: one of trees, with the weights among them."""

    def __init__(self, booster):
        document = json.loads(booster.save_raw("json"))
        dart = document["learner"]["gradient_booster"]
        if dart["name"] == "dart":
            dart["gbtree"]["model"]["weight_drop"] = dart["weight_drop"]
            document["learner"]["gradient_booster"] = dart["gbtree"]
        self.document = document

    def save_raw(self, form):
        return json.dumps(self.document)


def test_weights_of_dart_are_found_beside_the_trees_too():
    """Version 3.4 moved them; without them the probabilities were silently wrong."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = xgboost.XGBClassifier(booster="dart", rate_drop=0.5, n_estimators=6, max_depth=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 3.4 says that the name is to go
        booster = model.fit(X, y).get_booster()
    weights = [[tree.weight for (tree,), *_ in read_document(each).iterations] for each in (booster, Beside(booster))]
    assert weights[0] == weights[1]
    assert min(weights[0]) < 1
