"""CatBoost: priors, classes, missing values, saved models, and what is not supported."""

import math
import re

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("catboost")

import catboost
from adapters.catboost_cases import SMALL, as_json, probabilities, read, small_model
from adapters.data import random_data
from catboost import CatBoost, CatBoostClassifier, CatBoostRanker, CatBoostRegressor
from sklearn.base import clone

from rulekit.adapters.catboost import CatBoostAdapter
from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError

# Four samples on either side of the only border.
STEP = pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4})
BY_HAND = {
    "iterations": 2,
    "depth": 1,
    "learning_rate": 0.5,
    "l2_leaf_reg": 1.0,
    "bootstrap_type": "No",
    "random_strength": 0.0,
    "leaf_estimation_method": "Newton",
    "leaf_estimation_iterations": 1,
    "boost_from_average": False,
}


def rejected(expected, error=UnsupportedEnsembleError):
    return pytest.raises(error, match=f"^{re.escape(expected)}$")


def logistic(score):
    return 1 / (1 + math.exp(-score))


def softmax(scores):
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


def leaf_priors(forest, position):
    """Priors of a tree's leaves from left to right, which is the order of its nodes."""
    tree = forest.rounds[position][0]
    return tree.priors[tree.features < 0]


def leaf_values(forest, position):
    tree = forest.rounds[position][0]
    return tree.values[tree.features < 0]  # noqa: PD011  # of a tree, not of a frame


def assert_same_probabilities(model, X, forest=None):
    """To 1e-12, as far as the library's exponential function agrees with NumPy's."""
    forest = read(model) if forest is None else forest
    np.testing.assert_allclose(probabilities(forest, pd.DataFrame(X)), model.predict_proba(X), rtol=1e-12, atol=1e-15)


class TestPriors:
    """By hand: a Newton step from score 0 is sum(y - 1/2) / (n / 4 + l2), then comes the learning rate."""

    def model(self, **parameters):
        return small_model(STEP, [1, 0, 0, 0, 1, 1, 1, 1], **{**BY_HAND, **parameters})

    def test_two_class_priors_come_before_the_learning_rate(self):
        expected = [logistic((1 - 2) / (1 + 1)), logistic((4 - 2) / (1 + 1))]
        np.testing.assert_allclose(leaf_priors(read(self.model()), 0)[:, 1], expected, rtol=1e-12)

    def test_shrunken_priors_come_after_the_learning_rate(self):
        expected = [logistic(0.5 * -0.5), logistic(0.5 * 1.0)]
        np.testing.assert_allclose(leaf_priors(read(self.model(), scores="shrunken"), 0)[:, 1], expected, rtol=1e-12)

    def test_priors_of_a_later_tree_are_of_its_own_scores(self):
        # The second step starts from the scores -0.25 and 0.5 that the first has left.
        low, high = logistic(-0.25), logistic(0.5)
        steps = [(1 - 4 * low) / (4 * low * (1 - low) + 1), (4 - 4 * high) / (4 * high * (1 - high) + 1)]
        np.testing.assert_allclose(leaf_priors(read(self.model()), 1)[:, 1], [logistic(s) for s in steps], rtol=1e-12)

    def test_values_are_what_the_library_adds(self):
        np.testing.assert_allclose(leaf_values(read(self.model()), 0)[:, 0], [-0.25, 0.5], rtol=1e-12)

    def test_the_average_that_boosting_starts_from_counts_in_the_first_tree_only(self):
        model = self.model(boost_from_average=True)
        forest = read(model, scores="shrunken")
        np.testing.assert_allclose(forest.initial_scores, [math.log(5 / 3)], rtol=1e-6)
        for position, start in [(0, forest.initial_scores[0]), (1, 0.0)]:
            expected = [logistic(start + value) for value in leaf_values(forest, position)[:, 0]]
            np.testing.assert_allclose(leaf_priors(forest, position)[:, 1], expected, rtol=1e-12)

    def test_raw_priors_keep_the_whole_initial_score(self):
        model = self.model(boost_from_average=True)
        start = read(model).initial_scores[0]
        expected = [logistic(start + value / 0.5) for value in leaf_values(read(model), 0)[:, 0]]
        np.testing.assert_allclose(leaf_priors(read(model), 0)[:, 1], expected, rtol=1e-12)

    def test_a_learning_rate_is_the_float32_that_the_library_uses(self):
        """By hand again: with 0.1, of which float32 has 0.10000000149, the step before it is still a round number."""
        model = self.model(learning_rate=0.1)
        np.testing.assert_allclose(leaf_priors(read(model), 0)[:, 1], [logistic(-0.5), logistic(1.0)], rtol=1e-12)

    def test_multiclass_priors_are_softmax_of_the_leafs_score_vector(self):
        model = small_model(STEP, list("aaabbbcc"), loss_function="MultiClass", **BY_HAND)
        forest = read(model)
        expected = [softmax(scores / 0.5) for scores in leaf_values(forest, 0)]
        np.testing.assert_allclose(leaf_priors(forest, 0), expected, rtol=1e-12)

    def test_one_tree_has_scores_for_all_classes_and_is_a_round(self):
        forest = read(small_model(STEP, list("aaabbbcc"), **BY_HAND))
        assert [len(trees) for trees in forest.rounds] == [1, 1]
        assert leaf_values(forest, 0).shape == (2, 3)

    def test_two_classes_with_the_multiclass_loss_have_two_scores(self):
        forest = read(self.model(loss_function="MultiClass"))
        assert forest.link == "softmax"
        assert len(forest.initial_scores) == 2

    def test_scale_and_bias_count_in_values_and_initial_scores(self):
        model = self.model()
        model.set_scale_and_bias(2.0, 0.25)
        forest = read(model)
        np.testing.assert_allclose(leaf_values(forest, 0)[:, 0], [-0.5, 1.0], rtol=1e-12)
        np.testing.assert_allclose(leaf_priors(forest, 0)[:, 1], [logistic(0.25 - 1), logistic(0.25 + 2)], rtol=1e-12)
        assert_same_probabilities(model, STEP, forest)

    def test_a_bias_for_each_class_is_read(self):
        model = small_model(STEP, list("aaabbbcc"), **BY_HAND)
        model.set_scale_and_bias(0.5, [1.0, 2.0, -1.0])
        assert read(model).initial_scores.tolist() == [1.0, 2.0, -1.0]
        assert_same_probabilities(model, STEP)


class TestShape:
    def test_a_threshold_is_a_float32_border_and_at_most_it_goes_left(self):
        forest = read(small_model(STEP, [0] * 4 + [1] * 4, depth=1))
        assert forest.input_dtype == np.float32
        assert forest.rounds[0][0].thresholds[0] == 0.5
        assert leaf_values(forest, 0)[0, 0] < leaf_values(forest, 0)[1, 0]

    def test_a_tree_without_splits_is_one_leaf(self):
        forest = read(small_model(STEP, [0] * 4 + [1] * 4, depth=0))
        assert [trees[0].features.tolist() for trees in forest.rounds] == [[-1]] * 3

    @pytest.mark.parametrize("policy", ["Depthwise", "Lossguide"])
    def test_a_nested_tree_without_splits_is_one_leaf(self, policy):
        model = small_model(STEP, [0] * 4 + [1] * 4, grow_policy=policy, min_data_in_leaf=1000)
        assert [trees[0].features.tolist() for trees in read(model).rounds] == [[-1]] * 3
        assert_same_probabilities(model, STEP)

    def test_a_question_asked_on_both_sides_of_another_is_asked_once(self):
        """Three borders on one feature make 8 combinations in a symmetric tree, of which 4 exist."""
        X = np.arange(16.0)[:, None]
        model = small_model(X, np.arange(16) // 4 % 2, depth=3, iterations=1, learning_rate=1, random_strength=0)
        assert len(as_json(model)["oblivious_trees"][0]["splits"]) == 3
        assert np.sum(read(model).rounds[0][0].features < 0) == 4

    def test_early_stopping_leaves_the_trees_up_to_the_best(self):
        X, y = random_data(0, 2, "continuous", "integers", n_samples=100)
        rng = np.random.default_rng(0)
        model = CatBoostClassifier(**{**SMALL, "iterations": 200})
        model.fit(X, y, eval_set=(X, rng.permutation(y)), early_stopping_rounds=3)
        assert len(read(model).rounds) == model.best_iteration_ + 1 < 200
        assert_same_probabilities(model, X)

    def test_columns_that_training_ignored_count(self):
        X, y = random_data(0, 2, "continuous", "integers", n_features=5)
        X[:, 4] = 1.0
        model = small_model(X, y, ignored_features=[0])
        assert read(model).n_features == 5
        assert_same_probabilities(model, X)

    def test_columns_that_the_model_has_dropped_count_while_it_remembers_them(self):
        X, y = random_data(0, 2, "continuous", "integers", n_features=5)
        model = small_model(X, y, ignored_features=[0, 4])
        model.drop_unused_features()
        assert read(model).n_features == 5
        assert_same_probabilities(model, X)

    def test_the_model_is_not_changed(self):
        X, y = random_data(0, 3, "continuous", "strings")
        model = small_model(X, y)
        before = as_json(model)
        read(model)
        assert as_json(model) == before


class TestClasses:
    @pytest.mark.parametrize(
        "labels",
        [["no", "yes"], [-7, 3], [0.5, 1.5], [False, True], ["a", "b", "c"], [1, 5, 9]],
        ids=str,
    )
    def test_labels_are_the_models(self, labels):
        X, _ = random_data(0, 2, "continuous", "integers")
        y = np.array(labels)[np.arange(len(X)) % len(labels)]
        model = small_model(X, y)
        assert read(model).classes.tolist() == labels
        assert_same_probabilities(model, X)

    def test_an_order_of_classes_that_the_user_chose_is_kept(self):
        X, y = random_data(0, 2, "continuous", "strings")
        model = small_model(X, y, class_names=["bee", "ant"])
        assert read(model).classes.tolist() == ["bee", "ant"]
        assert_same_probabilities(model, X)

    def test_class_weights_are_in_the_trees(self):
        X, y = random_data(0, 3, "continuous", "strings")
        assert_same_probabilities(small_model(X, y, class_weights=[1, 5, 20]), X)

    def test_targets_that_are_probabilities_are_read_as_the_library_answers(self):
        X, _ = random_data(0, 2, "continuous", "integers")
        model = small_model(X, np.linspace(0, 1, len(X)), loss_function="CrossEntropy")
        assert read(model).classes.tolist() == [0, 1]
        assert_same_probabilities(model, X)


class TestMissing:
    def model(self, **parameters):
        X, y = random_data(0, 2, "continuous", "integers")
        X[::3, 0] = np.nan
        y[::3] = 1
        return small_model(X, y, **parameters), X

    def ways(self, model, feature):
        return {bool(way) for (tree,) in read(model).rounds for way in tree.missing_left[tree.features == feature]}

    def test_missing_values_lie_below_all_others_in_mode_min(self):
        model, X = self.model(nan_mode="Min")
        assert self.ways(model, 0) == {True}
        assert_same_probabilities(model, X)

    def test_missing_values_lie_above_all_others_in_mode_max(self):
        model, X = self.model(nan_mode="Max")
        assert self.ways(model, 0) == {False}
        assert_same_probabilities(model, X)

    @pytest.mark.parametrize("mode", ["Min", "Max", "Forbidden"])
    def test_of_features_never_missing_in_training_they_lie_below_in_every_mode(self, mode):
        X, y = random_data(0, 2, "continuous", "integers")
        model = small_model(X, y, nan_mode=mode)
        assert self.ways(model, 0) == {True}
        assert_same_probabilities(model, np.full((1, 4), np.nan))

    def test_a_mode_of_one_feature_only_is_read(self):
        model, X = self.model(nan_mode="Min", per_float_feature_quantization=["0:nan_mode=Max"])
        assert self.ways(model, 0) == {False}
        assert_same_probabilities(model, X)

    def test_the_forest_takes_missing_values(self):
        assert read(self.model()[0]).handles_missing


class TestSavedModels:
    @pytest.fixture
    def table(self):
        X, y = random_data(0, 3, "continuous", "strings")
        return pd.DataFrame(X, columns=list("abcd")).assign(c=np.array(["x", "y", "z"])[np.arange(50) % 3]), y

    @pytest.mark.parametrize("form", ["cbm", "json"])
    @pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
    def test_a_model_that_was_saved_and_loaded_gives_the_same_forest(self, table, form, policy, tmp_path):
        X, y = table
        model = small_model(X, y, cat_features=["c"], learning_rate=0.3, grow_policy=policy)
        model.save_model(str(tmp_path / "model"), format=form)
        loaded = CatBoostClassifier().load_model(str(tmp_path / "model"), format=form)
        one, other = read(model, X), read(loaded, X)
        assert one.n_features == other.n_features == 4
        assert one.classes.tolist() == other.classes.tolist() == ["ant", "bee", "cow"]
        # CatBoost's own reading of JSON can lose the last bit of a score.
        for (expected,), (actual,) in zip(one.rounds, other.rounds, strict=True):
            np.testing.assert_allclose(expected.priors, actual.priors, rtol=1e-14)
        assert_same_probabilities(loaded, X, other)

    def test_a_model_made_smaller_is_read_as_it_is(self, table):
        X, y = table
        model = small_model(X, y, cat_features=["c"])
        model.shrink(2)
        assert len(read(model, X).rounds) == 2


class TestSums:
    """`catboost.sum_models` keeps trees and loss, and forgets the parameters."""

    @pytest.fixture
    def models(self):
        X, y = random_data(0, 2, "continuous", "strings")
        one, other = (small_model(X, y, random_seed=seed, boost_from_average=True) for seed in (0, 1))
        return catboost.to_classifier(catboost.sum_models([one, other], weights=[0.5, 2.0])), X

    def test_a_sum_is_read_with_shrunken_scores(self, models):
        model, X = models
        assert_same_probabilities(model, X, read(model, scores="shrunken"))

    def test_a_sum_has_no_raw_scores(self, models):
        expected = (
            "The CatBoostClassifier does not store the learning rate of its trees (sums of models do not), so the "
            "unshrunken leaf scores cannot be recovered. Use CatBoostAdapter(scores='shrunken')."
        )
        with rejected(expected):
            read(models[0])


class TestAccepts:
    def test_a_classifier_unfitted(self):
        assert CatBoostAdapter().accepts(CatBoostClassifier())

    def test_a_class_derived_from_it(self):
        class Mine(CatBoostClassifier):
            pass

        assert CatBoostAdapter().accepts(Mine())

    @pytest.mark.parametrize("model", [CatBoost(), CatBoostRegressor(), CatBoostRanker(), object(), None])
    def test_nothing_else(self, model):
        assert not CatBoostAdapter().accepts(model)

    def test_clone_keeps_the_parameters(self):
        adapter = clone(CatBoostAdapter("shrunken", {"c": ["x", "y"]}))
        assert adapter.get_params() == {"scores": "shrunken", "categories": {"c": ["x", "y"]}}


class TestRejects:
    def test_unknown_scores(self):
        expected = "CatBoostAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
        with rejected(expected, InvalidParameterError):
            read(small_model(STEP, [0, 1] * 4), scores="cooked")

    def test_an_unfitted_model(self):
        expected = "The CatBoostClassifier is not fitted. Fit it before extracting rules from it."
        with rejected(expected, UnfittedEnsembleError):
            read(CatBoostClassifier())

    def test_one_against_all(self):
        expected = (
            "The CatBoostClassifier was fitted with the loss MultiClassOneVsAll, whose scores do not give class "
            "probabilities that sum to one. Fit it with one of the losses Logloss, CrossEntropy, Focal, MultiClass."
        )
        with rejected(expected):
            read(small_model(STEP, list("aaabbbcc"), loss_function="MultiClassOneVsAll"))

    def test_several_labels_per_sample(self):
        y = np.column_stack([[0, 1] * 4, [1, 0] * 4])
        with pytest.raises(UnsupportedEnsembleError, match="the loss MultiLogloss, whose scores do not give class"):
            read(small_model(STEP, y, loss_function="MultiLogloss"))

    def test_a_regressor(self):
        with pytest.raises(UnsupportedEnsembleError, match="The CatBoostRegressor was fitted with the loss RMSE"):
            read(CatBoostRegressor(**SMALL).fit(STEP, [0, 1] * 4))

    def test_one_class_only(self):
        expected = (
            "The CatBoostClassifier names 1 classes, [0], but was fitted with scores for 2. "
            "Fit it on samples of all the classes that it names, at least two."
        )
        with rejected(expected):
            read(small_model(STEP, [0] * 8, allow_const_label=True))

    def test_a_class_that_no_sample_belonged_to(self):
        """The library answers with 1e-308 for it, which no score gives."""
        expected = (
            "The CatBoostClassifier names 3 classes, ['a', 'b', 'c'], but was fitted with scores for 2. "
            "Fit it on samples of all the classes that it names, at least two."
        )
        with rejected(expected):
            read(small_model(STEP, list("abababab"), loss_function="MultiClass", class_names=["a", "b", "c"]))

    def test_statistics_of_categories(self):
        table = pd.DataFrame({"x": np.arange(40.0), "pet": ["ant", "bee", "cow", "dog"] * 10})
        model = small_model(table, [0, 0, 1, 1] * 10, cat_features=["pet"], one_hot_max_size=2)
        expected = (
            "The CatBoostClassifier replaces the categories of 'pet' with target statistics, which the condition of a "
            "rule cannot express. Fit it with one_hot_max_size at least the number of categories of each such column, "
            "so that it splits on the categories themselves, or encode them as numbers."
        )
        with rejected(expected):
            read(model)

    def test_text(self):
        table = pd.DataFrame({"x": np.arange(40.0), "said": ["no way", "yes please"] * 20})
        model = small_model(table, [0, 1] * 20, text_features=["said"])
        expected = (
            "The CatBoostClassifier was fitted with text features, columns 1, which the condition of a rule cannot "
            "express. Fit it on numeric and categorical features only."
        )
        with rejected(expected):
            read(model)

    def test_embeddings(self):
        rng = np.random.default_rng(0)
        table = pd.DataFrame({"where": list(rng.normal(size=(40, 3))), "x": np.arange(40.0)})
        model = small_model(table, [0, 1] * 20, embedding_features=["where"])
        with pytest.raises(UnsupportedEnsembleError, match="was fitted with embedding features, columns 0, which the"):
            read(model)
