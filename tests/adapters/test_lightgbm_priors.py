"""What LightGBM's leaves say before the learning rate, and the score that boosting starts from, by hand."""

import lightgbm as lgb
import numpy as np
import pytest
from adapters.lightgbm_cases import dumped_leaves, dumped_trees, fit, leaves_from_left_to_right, library_leaves, quiet
from scipy.special import expit, softmax

from rulekit.adapters.lightgbm import LightGBMAdapter

# The library adds derivatives up in single precision.
SINGLE = 2e-6


def samples(n_classes=2, seed=0, n_samples=300):
    """Unequal classes that follow the first of three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=n_samples), np.linspace(-0.2, 1.2, n_classes - 1))
    return X, y


def priors(model, position, scores="raw"):
    """Priors of one tree's leaves from left to right."""
    forest = LightGBMAdapter(scores).forest(model)
    tree = [tree for trees in forest.rounds for tree in trees][position]
    return tree.priors[leaves_from_left_to_right(tree)]


def stored_values(model, position):
    return np.array([leaf["leaf_value"] for leaf in dumped_leaves(dumped_trees(model)[position])])


def newton_steps(model, X, position, gradients, hessians, penalty=0.0):
    """The step of each leaf from left to right, out of the samples that reach it."""
    leaf = library_leaves(model, X)[:, position]
    return np.array([-gradients[leaf == k].sum() / (hessians[leaf == k].sum() + penalty) for k in np.unique(leaf)])


def two_columns(scores):
    return np.column_stack([expit(-scores), expit(scores)])


def log_odds(y, weights=None):
    fraction = np.average(y, weights=weights)
    return np.log(fraction / (1 - fraction))


@pytest.mark.parametrize("rate", [0.03, 0.1, 1 / 3, 1.0])
def test_first_two_class_priors_are_the_label_log_odds_plus_a_newton_step(rate):
    X, y = samples()
    model = quiet(learning_rate=rate).fit(X, y)
    fraction = y.mean()
    steps = newton_steps(model, X, 0, fraction - y, np.full(len(y), fraction * (1 - fraction)))
    np.testing.assert_allclose(priors(model, 0), two_columns(log_odds(y) + steps), rtol=SINGLE)


def test_second_two_class_priors_are_a_newton_step_alone():
    X, y = samples()
    model = quiet(learning_rate=0.1).fit(X, y)
    predicted = model.booster_.predict(X, num_iteration=1)
    steps = newton_steps(model, X, 1, predicted - y, predicted * (1 - predicted))
    np.testing.assert_allclose(priors(model, 1), two_columns(steps), rtol=SINGLE)


def test_first_multiclass_priors_are_softmax_of_log_fractions_plus_a_newton_step_of_one_class():
    X, y = samples(3)
    model = quiet().fit(X, y)
    fractions = np.bincount(y) / len(y)
    for column, fraction in enumerate(fractions):
        steps = newton_steps(
            model, X, column, fraction - (y == column), np.full(len(y), 1.5 * fraction * (1 - fraction))
        )
        expected = softmax(np.log(fractions) + steps[:, None] * np.eye(3)[column], axis=1)
        np.testing.assert_allclose(priors(model, column), expected, rtol=SINGLE)


def test_later_multiclass_priors_are_softmax_of_one_score():
    X, y = samples(3)
    model = quiet(learning_rate=0.1).fit(X, y)
    expected = softmax((stored_values(model, 4) / 0.1)[:, None] * [0, 1, 0], axis=1)
    np.testing.assert_allclose(priors(model, 4), expected, rtol=1e-12)


def test_the_sigmoid_multiplies_scores():
    X, y = samples()
    model = quiet(sigmoid=0.5, learning_rate=0.1).fit(X, y)
    fraction = y.mean()
    # With respect to a score that is multiplied by one half.
    steps = newton_steps(model, X, 0, 0.5 * (fraction - y), np.full(len(y), 0.25 * fraction * (1 - fraction)))
    np.testing.assert_allclose(priors(model, 0), two_columns(log_odds(y) + 0.5 * steps), rtol=SINGLE)


def test_shrunken_priors_are_the_logistic_function_of_stored_values():
    model = quiet(learning_rate=0.1).fit(*samples())
    for position in (0, 1):
        expected = two_columns(stored_values(model, position))
        np.testing.assert_allclose(priors(model, position, "shrunken"), expected, rtol=1e-12)


def test_shrunken_multiclass_priors_of_the_first_round_include_the_log_fractions():
    X, y = samples(3)
    model = quiet(learning_rate=0.1).fit(X, y)
    expected = np.tile(np.log(np.bincount(y) / len(y)), (len(stored_values(model, 2)), 1))
    expected[:, 2] = stored_values(model, 2)
    np.testing.assert_allclose(priors(model, 2, "shrunken"), softmax(expected, axis=1), rtol=1e-12)


STARTS = {
    "plain": ({}, 1e-12),
    "ridge": ({"reg_lambda": 3.0}, 1e-12),
    "lasso": ({"reg_alpha": 0.1}, 1e-12),
    "goss": ({"data_sample_strategy": "goss"}, 1e-12),
    "scale_pos_weight": ({"scale_pos_weight": 5.0}, 1e-12),
    "is_unbalance": ({"is_unbalance": True}, 1e-12),
    "scale_pos_weight and ridge": ({"scale_pos_weight": 0.2, "reg_lambda": 3.0}, 1e-12),
    "dart": ({"boosting_type": "dart", "drop_rate": 0.9, "skip_drop": 0.0}, 1e-5),  # rescaled by a factor of six digits
    # Not whole numbers of the samples that the tree saw, so as exact as the sums in single precision.
    "bagging": ({"subsample": 0.6, "subsample_freq": 1}, 1e-5),
    "bagging and scale_pos_weight": ({"subsample": 0.6, "subsample_freq": 1, "scale_pos_weight": 5.0}, 1e-5),
    "bagging and is_unbalance": ({"subsample": 0.6, "subsample_freq": 1, "is_unbalance": True}, 1e-5),
    # Other leaf formulas, where the best constant for all samples stands in, known to six digits.
    "smoothed": ({"path_smooth": 2.0}, 1e-4),
    "clipped": ({"max_delta_step": 0.2}, 1e-4),
}


@pytest.mark.parametrize("kind", STARTS)
@pytest.mark.parametrize("seed", range(3))
def test_the_start_is_the_log_odds_of_the_labels(kind, seed):
    parameters, tolerance = STARTS[kind]
    X, y = samples(seed=seed)
    model = quiet(learning_rate=0.1, **parameters).fit(X, y)
    factor = model.booster_.dump_model()["tree_info"][0]["shrinkage"]
    start = log_odds(y)
    expected = two_columns(start + (stored_values(model, 0) / factor - start) / 0.1)
    np.testing.assert_allclose(priors(model, 0), expected, rtol=tolerance)


@pytest.mark.parametrize("kind", ["plain", "goss", "bagging", "dart", "lasso"])
def test_multiclass_starts_are_the_log_fractions_of_the_labels(kind):
    parameters, tolerance = STARTS[kind]
    X, y = samples(4)
    model = quiet(learning_rate=0.1, **parameters).fit(X, y)
    factor = model.booster_.dump_model()["tree_info"][1]["shrinkage"]
    scores = np.tile(np.log(np.bincount(y) / len(y)), (len(stored_values(model, 1)), 1))
    scores[:, 1] += (stored_values(model, 1) / factor - scores[:, 1]) / 0.1
    np.testing.assert_allclose(priors(model, 1), softmax(scores, axis=1), rtol=tolerance)


def test_fractions_close_to_one_half_are_distinguished():
    """Second derivatives of both classes' fractions are the same in single precision there."""
    X = np.random.default_rng(0).normal(size=(20_000, 1))
    y = (np.argsort(np.argsort(X[:, 0] + np.random.default_rng(1).normal(size=20_000))) >= 9_999).astype(int)
    model = quiet(learning_rate=0.1).fit(X, y)
    start = np.log(10_001 / 9_999)
    expected = two_columns(start + (stored_values(model, 0) - start) / 0.1)
    np.testing.assert_allclose(priors(model, 0), expected, rtol=1e-12)


def test_with_sample_weights_the_start_is_the_weighted_log_odds():
    X, y = samples()
    weights = np.random.default_rng(1).uniform(0.2, 3.0, size=len(y))
    model = quiet(learning_rate=0.1).fit(X, y, sample_weight=weights)
    start = log_odds(y, weights)
    expected = two_columns(start + (stored_values(model, 0) - start) / 0.1)
    np.testing.assert_allclose(priors(model, 0), expected, rtol=1e-6)


def test_balanced_classes_start_from_nothing():
    X, y = samples()
    model = quiet(learning_rate=0.1, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(priors(model, 0), two_columns(stored_values(model, 0) / 0.1), rtol=1e-6)


@pytest.mark.parametrize("boosting_type", ["gbdt", "dart"])
def test_equally_many_labels_start_from_nothing(boosting_type):
    """Adding a start resets the stored shrinkage; nothing is added here, so that it is the learning rate itself."""
    X, _ = samples()
    y = (X[:, 0] > np.median(X[:, 0])).astype(int)
    model = quiet(learning_rate=0.1, boosting_type=boosting_type, drop_rate=0.9, skip_drop=0.0).fit(X, y)
    factor = model.booster_.dump_model()["tree_info"][0]["shrinkage"]
    np.testing.assert_allclose(priors(model, 0), two_columns(stored_values(model, 0) / factor), rtol=1e-12)


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_without_boost_from_average_the_first_tree_is_like_the_others(rate):
    model = quiet(learning_rate=rate, boost_from_average=False).fit(*samples())
    np.testing.assert_allclose(priors(model, 0), two_columns(stored_values(model, 0) / rate), rtol=1e-12)


def test_given_initial_scores_are_no_part_of_the_model():
    X, y = samples()
    model = quiet(learning_rate=0.1).fit(X, y, init_score=np.full(len(y), 0.7))
    np.testing.assert_allclose(priors(model, 0), two_columns(stored_values(model, 0) / 0.1), rtol=1e-12)


def test_dart_rescales_the_first_tree_after_its_start_was_added():
    X, y = samples()
    model = quiet(boosting_type="dart", drop_rate=0.9, skip_drop=0.0, n_estimators=10, learning_rate=0.1).fit(X, y)
    assert model.booster_.dump_model()["tree_info"][0]["shrinkage"] < 0.9
    fraction = y.mean()
    steps = newton_steps(model, X, 0, fraction - y, np.full(len(y), fraction * (1 - fraction)))
    # The factor is stored with six digits, and what is left after the start is divided by the learning rate.
    np.testing.assert_allclose(priors(model, 0), two_columns(log_odds(y) + steps), rtol=1e-4)


def test_every_tree_of_a_random_forest_starts_from_the_log_odds():
    """They are averaged: each says on its own what boosting would say after one step."""
    model = quiet(boosting_type="rf", subsample=0.6, subsample_freq=1).fit(*samples())
    for position in range(3):
        np.testing.assert_allclose(priors(model, position), two_columns(stored_values(model, position)), rtol=1e-12)


def test_every_round_of_a_multiclass_random_forest_starts_from_the_log_fractions():
    X, y = samples(3)
    model = quiet(boosting_type="rf", subsample=0.6, subsample_freq=1).fit(X, y)
    for position in (1, 7):
        scores = np.tile(np.log(np.bincount(y) / len(y)), (len(stored_values(model, position)), 1))
        scores[:, 1] = stored_values(model, position)
        np.testing.assert_allclose(priors(model, position), softmax(scores, axis=1), rtol=1e-5)


def test_a_tree_of_one_leaf_says_the_log_odds():
    X, y = samples()
    model = quiet().fit(np.ones_like(X), y)
    np.testing.assert_allclose(priors(model, 0), [[1 - y.mean(), y.mean()]], rtol=1e-12)


def test_training_that_goes_on_at_another_rate_leaves_the_first_tree_at_its_own():
    X, y = samples()
    first = quiet(learning_rate=0.1).fit(X, y)
    model = fit(quiet(learning_rate=0.5), X, y, init_model=first)
    assert len(dumped_trees(model)) == 10
    np.testing.assert_allclose(priors(model, 0), priors(first, 0), rtol=1e-12)
    np.testing.assert_allclose(priors(model, 7), two_columns(stored_values(model, 7) / 0.5), rtol=1e-12)


def test_a_rate_that_changes_is_each_trees_own_after_the_first():
    X, y = samples()
    model = fit(quiet(), X, y, callbacks=[lgb.reset_parameter(learning_rate=[0.5, 0.4, 0.3, 0.2, 0.1])])
    np.testing.assert_allclose(priors(model, 2), two_columns(stored_values(model, 2) / 0.3), rtol=1e-12)


def test_swapping_the_classes_swaps_the_priors():
    X, y = samples()
    one, other = (quiet(learning_rate=0.1).fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(priors(one, 0), priors(other, 0)[:, ::-1], rtol=1e-5)
