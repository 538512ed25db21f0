"""LightGBM's classifiers and boosters: which are read, how far, and where zero and missing values go."""

import copy
import pickle

import lightgbm as lgb
import numpy as np
import pytest
from adapters.data import random_data
from adapters.lightgbm_cases import (
    Case,
    edge_samples,
    fit,
    forest_leaves,
    library_leaves,
    library_probabilities,
    quiet,
    random_case,
)

from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.conditions import match
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.tree_rules import leaf_rules


def read(model):
    return LightGBMAdapter().forest(model)


def assert_agrees(model, X):
    """Leaves exactly; probabilities up to the order of a multiplication and a sum."""
    samples = edge_samples(Case(model, X, ()))
    forest = read(model)
    np.testing.assert_array_equal(library_leaves(model, samples), forest_leaves(forest, samples))
    predicted = library_probabilities(model, samples)
    np.testing.assert_allclose(forest.predict_proba(samples), predicted, rtol=1e-12, atol=1e-15)


def trained(keep=False, **parameters):
    """A booster, and its samples."""
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    defaults = {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3}
    return lgb.train(defaults | parameters, lgb.Dataset(X, y), 4, keep_training_booster=keep), X


@pytest.mark.parametrize("model", [lgb.LGBMClassifier(), trained()[0], type("Own", (lgb.LGBMClassifier,), {})()])
def test_classifiers_and_boosters_are_accepted(model):
    assert LightGBMAdapter().accepts(model)


@pytest.mark.parametrize("model", [lgb.LGBMRegressor(), lgb.LGBMRanker(), lgb.LGBMModel(), object(), None])
def test_other_models_are_not_accepted(model):
    assert not LightGBMAdapter().accepts(model)


@pytest.mark.parametrize("labels", ["integers", "gaps", "strings"])
def test_classes_are_the_classifiers_labels_in_its_order(labels):
    X, y = random_data(0, 3, "continuous", labels, n_samples=150)
    model = quiet().fit(X, y)
    assert model.classes_.tolist() == read(model).classes.tolist()


@pytest.mark.parametrize(
    ("parameters", "expected"), [({}, [0, 1]), ({"objective": "multiclass", "num_class": 3}, [0, 1, 2])]
)
def test_classes_of_a_booster_are_numbers(parameters, expected):
    assert expected == read(trained(**parameters)[0]).classes.tolist()


@pytest.mark.parametrize(("n_classes", "per_round"), [(2, 1), (3, 3)])
def test_a_round_has_one_tree_or_one_for_each_class(n_classes, per_round):
    model = quiet(n_estimators=4).fit(*random_data(0, n_classes, "continuous", "integers", n_samples=150))
    assert [len(trees) for trees in read(model).rounds] == [per_round] * 4


def test_two_classes_can_have_two_trees_a_round():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet(objective="multiclass", num_class=2).fit(X, y)
    assert [len(trees) for trees in read(model).rounds] == [2] * 5
    assert_agrees(model, X)


def test_columns_without_a_split_are_counted():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    model = quiet().fit(np.column_stack([np.zeros(150), X, np.ones(150)]), y)
    assert read(model).n_features == X.shape[1] + 2


def test_samples_are_compared_in_double_precision():
    """Both values are the same in single precision."""
    X = np.repeat([1.0, 1.0 + 1e-12], 50)[:, None]
    model = quiet().fit(X, X[:, 0] > 1)
    assert_agrees(model, X)
    assert len(np.unique(read(model).predict_proba(X)[:, 1])) == 2


@pytest.mark.parametrize("as_booster", [True, False])
def test_boosting_that_stopped_early_is_read_up_to_its_best_iteration(as_booster):
    X, y = random_data(0, 3, "continuous", "strings", n_samples=150)
    stop = lgb.early_stopping(3, verbose=False)
    model = fit(quiet(n_estimators=60), X[:90], y[:90], eval_set=[(X[90:], y[90:])], callbacks=[stop])
    model = model.booster_ if as_booster else model
    best = (model if as_booster else model.booster_).best_iteration
    assert 0 < best < 50
    assert len(read(model).rounds) == best
    assert_agrees(model, X)


@pytest.mark.parametrize("parameters", [{}, {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}])
def test_trees_after_the_best_iteration_are_left_out(parameters):
    """A booster that can still be trained keeps them, but does not predict with them; a forest's mean is over fewer."""
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    training = lgb.Dataset(X[:90], y[:90])
    booster = lgb.train(
        {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3} | parameters,
        training,
        num_boost_round=60,
        valid_sets=[training.create_valid(X[90:], y[90:])],
        callbacks=[lgb.early_stopping(3, verbose=False)],
        keep_training_booster=True,
    )
    assert booster.num_trees() > booster.best_iteration == len(read(booster).rounds)
    assert_agrees(booster, X)


def test_a_booster_that_can_still_be_trained_is_read():
    """Its sigmoid has all digits, the model string has six."""
    booster, X = trained(keep=True, sigmoid=1.23456789)
    assert_agrees(booster, X)
    booster.update()
    assert_agrees(booster, X)


def test_a_booster_in_the_making_is_read():
    X, y = random_data(0, 2, "continuous", "integers", n_samples=150)
    parameters = {"objective": "binary", "verbosity": -1, "num_threads": 1, "sigmoid": 0.987654321}
    booster = lgb.Booster(parameters, lgb.Dataset(X, y))
    booster.update()
    assert_agrees(booster, X)


def test_a_model_file_is_read(tmp_path):
    X, y = random_data(0, 3, "continuous", "strings", n_samples=150)
    model = quiet(learning_rate=0.1).fit(X, y)
    model.booster_.save_model(tmp_path / "model.txt")
    loaded = lgb.Booster(model_file=tmp_path / "model.txt")
    assert_agrees(loaded, X)
    for mine, theirs in zip(read(model).rounds[0], read(loaded).rounds[0], strict=True):
        np.testing.assert_array_equal(mine.priors, theirs.priors)


def test_a_model_file_without_its_parameters_is_read():
    """Then the learning rate is that of the second tree."""
    booster, X = trained(learning_rate=0.3)
    model_string = booster.model_to_string()
    start, stop = model_string.index("parameters:"), model_string.index("end of parameters") + len("end of parameters")
    loaded = lgb.Booster(model_str=model_string[:start] + model_string[stop:])
    assert_agrees(loaded, X)
    np.testing.assert_array_equal(read(booster).rounds[0][0].priors, read(loaded).rounds[0][0].priors)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_are_read(copied):
    X, y = random_data(0, 2, "continuous", "strings", n_samples=150)
    assert_agrees(copied(quiet(sigmoid=1.23456789).fit(X, y)), X)


def test_the_model_is_not_changed():
    X, y = random_data(0, 2, "continuous", "strings", n_samples=150)
    model = quiet().fit(X, y)
    before = model.booster_.model_to_string()
    read(model)
    assert before == model.booster_.model_to_string()


def test_trees_of_one_leaf_are_read():
    X, y = random_data(0, 3, "continuous", "integers", n_samples=150)
    model = quiet().fit(np.ones_like(X), y)
    np.testing.assert_allclose(read(model).predict_proba(X), library_probabilities(model, X), rtol=1e-12)
    assert read(model).rounds[0][0].features.tolist() == [-1]


def test_some_trees_of_one_leaf_are_read():
    """One class is random, so that its trees find no split that is worth it."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(300, 1)).astype(float)
    y = np.where(rng.random(300) < 0.3, 2, X[:, 0].astype(int))
    model = quiet(min_split_gain=5.0).fit(X, y)
    sizes = {len(tree.features) for trees in read(model).rounds for tree in trees}
    assert {1, 3} == sizes
    assert_agrees(model, X)


def test_a_chain_of_many_splits_is_read():
    """A dictionary in a dictionary for each split would be too deep for Python."""
    X = np.arange(3000.0)[:, None]
    y = X[:, 0] % 2
    model = quiet(num_leaves=1500, min_child_samples=1, max_bin=4000, min_data_in_bin=1, n_estimators=1).fit(X, y)
    np.testing.assert_allclose(read(model).predict_proba(X), library_probabilities(model, X), rtol=1e-12)


def test_missing_values_count_as_zero_where_training_had_none():
    X = np.repeat([-1.0, 1.0], 50)[:, None]
    model = quiet(n_estimators=1).fit(X, X[:, 0] > 0)
    gap, zero = read(model).predict_proba(np.array([[np.nan], [0.0]]))
    np.testing.assert_array_equal(zero, gap)
    assert_agrees(model, X)


@pytest.mark.parametrize("missing_is_high", [True, False])
def test_missing_values_go_where_training_sent_them(missing_is_high):
    X = np.concatenate([np.repeat([1.0, 2.0], 50), np.full(30, np.nan)])[:, None]
    y = np.where(np.isnan(X[:, 0]), missing_is_high, X[:, 0] > 1)
    model = quiet(n_estimators=1).fit(X, y)
    missing = read(model).predict_proba(np.array([[np.nan]]))
    np.testing.assert_array_equal(read(model).predict_proba(np.array([[2.0 if missing_is_high else 1.0]])), missing)
    assert_agrees(model, X)


@pytest.mark.parametrize("threshold", ["0", "-0", "1e-36", "-1e-36", "-1.0000000180025095e-35"])
def test_values_next_to_zero_are_zero_at_any_threshold(threshold):
    """Training puts thresholds on the borders of zero only, a model file can have others."""
    X = np.repeat([-1.0, 0.0, 1.0], 50)[:, None]
    model_string = quiet(n_estimators=1, num_leaves=2).fit(X, X[:, 0] > 0).booster_.model_to_string()
    edited = model_string.replace("threshold=1.0000000180025095e-35", f"threshold={threshold}")
    assert edited != model_string
    # The header may contain the length of each tree in the string.
    sizes = next(line for line in edited.splitlines() if line.startswith("tree_sizes"))
    assert_agrees(lgb.Booster(model_str=edited.replace(f"{sizes}\n", "")), X)


def test_zero_as_missing_is_read_if_zero_goes_with_its_neighbours():
    X = np.repeat([-1.0, 0.0, 1.0], 50)[:, None]
    model = quiet(n_estimators=2, zero_as_missing=True).fit(X, X[:, 0] > 0)
    assert model.booster_.dump_model()["tree_info"][0]["tree_structure"]["missing_type"] == "Zero"
    assert_agrees(model, X)


def test_zero_as_missing_is_exact_or_rejected():
    """Which of the two depends on the splits that training finds; both must come up."""
    outcomes = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(150, 2)).astype(float)
        of_value = np.array([0, 1, *rng.integers(2, size=3)])
        y = of_value[X[:, 0].astype(int) + 2] ^ (rng.random(150) < 0.1)
        model = quiet(zero_as_missing=True, n_estimators=2, num_leaves=3).fit(X, y)
        try:
            assert_agrees(model, X)
            outcomes.append("exact")
        except UnsupportedEnsembleError:
            outcomes.append("rejected")
    assert {"exact", "rejected"} == set(outcomes)


@pytest.mark.parametrize("seed", range(20))
def test_each_sample_satisfies_the_rule_of_its_leaf_only(seed):
    case = random_case(seed)
    X = edge_samples(case)
    forest = read(case.model)
    conditions, rounds = leaf_rules(
        forest, [f"x{column}" for column in range(forest.n_features)], frozenset(range(forest.n_features))
    )
    antecedents = [
        [condition for condition in row if condition < len(conditions)]
        for leaves in rounds
        for row in leaves.antecedents.tolist()
    ]
    reached = library_leaves(case.model, X)
    sizes = [np.sum(tree.features < 0) for trees in forest.rounds for tree in trees]
    expected = np.concatenate([np.arange(size)[:, None] == leaf for size, leaf in zip(sizes, reached.T, strict=True)])
    np.testing.assert_array_equal(expected, match(conditions, antecedents, X))
