"""How the learning rate of XGBoost models is found: from parameters, the configuration, or the trees."""

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, booster_of, read, samples, xgboost

import rulekit
from rulekit.adapters.xgboost_document import read_document
from rulekit.adapters.xgboost_rate import learning_rate
from rulekit.core.errors import LearningRateWarning

LARGER = {"n_estimators": 6, "max_depth": 3, "n_jobs": 1, "random_state": 0}


def data(n_classes=2):
    return samples(1, n_classes, n_samples=300)


def rate_of(model):
    return learning_rate(model, read_document(model))


def saved(model, path):
    model.save_model(path)
    return path


def trained(n_classes=2, kind="XGBClassifier", **parameters):
    return getattr(xgboost, kind)(**LARGER, **parameters).fit(*data(n_classes))


def from_file(model, path):
    """A classifier and a booster that know nothing but what the file holds."""
    classifier = xgboost.XGBClassifier()
    classifier.load_model(saved(model, path))
    return classifier, xgboost.Booster(model_file=path)


@pytest.mark.parametrize(
    ("expected", "parameters"),
    [(0.3, {}), (0.1, {"learning_rate": 0.1}), (0.1, {"eta": 0.1}), (0.1, {"eta": 0.1, "booster": "dart"})],
)
def test_the_rate_of_a_classifier_is_known_under_either_name(expected, parameters):
    assert rate_of(trained(**parameters)) == np.float32(expected)


def test_the_rate_of_a_random_forest_is_one():
    assert rate_of(xgboost.XGBRFClassifier(**SMALL).fit(*data())) == 1


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
@pytest.mark.parametrize(("expected", "parameters"), [(0.3, {}), (0.1, {"learning_rate": 0.1}), (0.1, {"eta": 0.1})])
def test_the_rate_of_a_booster_is_that_of_its_configuration(expected, parameters, booster):
    X, y = data()
    settings = {"objective": "binary:logistic", "nthread": 1, "booster": booster, **parameters}
    model = xgboost.train(settings, xgboost.DMatrix(X, y), 2)
    assert rate_of(model) == np.float32(expected)


WAYS_OF_TRAINING = [
    {},
    {"n_classes": 3},
    {"tree_method": "exact"},
    {"tree_method": "approx"},
    {"reg_lambda": 0},
    {"reg_lambda": 7.5},
    {"max_depth": 1},
    {"max_depth": 6, "gamma": 0.5},
    {"grow_policy": "lossguide", "max_leaves": 5},
    {"subsample": 0.7, "scale_pos_weight": 3},
    {"num_parallel_tree": 3, "subsample": 0.7},
    {"booster": "dart", "rate_drop": 0.5},
    {"base_score": 0.2, "min_child_weight": 4},
    {"n_classes": 3, "num_parallel_tree": 2, "subsample": 0.7, "max_depth": 2},
]


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.25, 1.0])
@pytest.mark.parametrize("way", WAYS_OF_TRAINING, ids=str)
def test_the_rate_is_recovered_from_trees_of_a_file(tmp_path, way, rate):
    way = LARGER | way
    model = xgboost.XGBClassifier(**{key: value for key, value in way.items() if key != "n_classes"}, eta=rate)
    model.fit(*data(way.get("n_classes", 2)))
    for loaded in from_file(model, tmp_path / "model.json"):
        assert rate_of(loaded) == np.float32(rate)
        for round_, again in zip(read(model).rounds, read(loaded).rounds, strict=True):
            for tree, same in zip(round_, again, strict=True):
                np.testing.assert_array_equal(tree.priors, same.priors)


def test_a_rate_of_one_is_recovered_from_a_random_forest_of_a_file(tmp_path):
    forest = xgboost.XGBRFClassifier(n_estimators=5, max_depth=3, n_jobs=1, random_state=0).fit(*data())
    assert [rate_of(model) for model in from_file(forest, tmp_path / "model.json")] == [1, 1]


def test_a_wrong_rate_is_replaced_by_the_recovered_one(tmp_path):
    classifier, booster = from_file(trained(learning_rate=0.1), tmp_path / "model.json")
    booster.set_param("learning_rate", 0.5)
    assert [rate_of(classifier.set_params(learning_rate=0.5)), rate_of(booster)] == [np.float32(0.1)] * 2


def test_a_booster_from_a_file_has_the_rules_of_the_original(tmp_path):
    X, y = data()
    model = trained(learning_rate=0.1)
    expected = rulekit.build("rcprob", booster_of(model)).fit(X, y).ruleset_
    for loaded in from_file(model, tmp_path / "model.json"):
        assert rulekit.build("rcprob", loaded).fit(X, y).ruleset_ == expected


class TestRateThatCannotBeRecovered:
    """Weights that gradients and hessians do not explain."""

    @pytest.fixture(
        params=[{"reg_alpha": 2}, {"max_delta_step": 0.2}, {"monotone_constraints": (1, -1, 1, 1)}], ids=str
    )
    def model(self, request):
        return trained(learning_rate=0.1, **request.param)

    def test_is_known_to_the_model_that_was_trained(self, model):
        assert rate_of(model) == rate_of(model.get_booster()) == np.float32(0.1)

    def test_is_taken_for_the_default_with_a_warning_where_it_comes_from_a_file(self, model, tmp_path):
        for loaded in from_file(model, tmp_path / "model.json"):
            with pytest.warns(LearningRateWarning, match=f"The {type(loaded).__name__} does not store its learning "):
                assert rate_of(loaded) == np.float32(0.3)

    def test_can_be_set(self, model, tmp_path):
        classifier, booster = from_file(model, tmp_path / "model.json")
        booster.set_param("learning_rate", 0.1)
        assert rate_of(classifier.set_params(eta=0.1)) == rate_of(booster) == np.float32(0.1)

    def test_does_not_matter_to_shrunken_scores(self, model, tmp_path):
        _, booster = from_file(model, tmp_path / "model.json")
        np.testing.assert_array_equal(
            read(booster, "shrunken").rounds[1][0].priors, read(model, "shrunken").rounds[1][0].priors
        )


def test_a_rate_that_changed_in_training_gives_a_warning():
    X, y = data()
    rates = xgboost.callback.LearningRateScheduler([0.9, 0.5, 0.4, 0.2, 0.1, 0.3])
    settings = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}
    booster = xgboost.train(settings, xgboost.DMatrix(X, y), 6, callbacks=[rates])
    with pytest.warns(LearningRateWarning, match="or because the rate changed"):
        rate_of(booster)


def test_a_single_stump_agrees_with_any_rate(tmp_path):
    """One equation with two unknowns: every rate satisfies it."""
    stump = xgboost.XGBClassifier(n_estimators=1, max_depth=1, learning_rate=0.1, n_jobs=1).fit(*data())
    rates = [rate_of(model) for model in (stump, *from_file(stump, tmp_path / "model.json"))]
    assert rates == list(map(np.float32, [0.1, 0.3, 0.3]))


def test_trees_without_a_split_agree_with_any_rate(tmp_path):
    leaves = trained(learning_rate=0.1, min_child_weight=1e6)
    rates = [rate_of(model) for model in from_file(leaves, tmp_path / "model.json")]
    assert rates == list(map(np.float32, [0.3, 0.3]))


def test_penalised_stumps_whose_equations_give_an_infinite_rate_are_ignored():
    """They gave a rate beyond float32, which overflowed with a warning."""
    X, y = samples(1, 3, values="decimals", n_features=1, missing=0.0)
    settings = {"n_estimators": 1, "max_depth": 1, "subsample": 0.5, "colsample_bytree": 0.5, "colsample_bynode": 0.5}
    penalties = {"reg_lambda": 0.5, "reg_alpha": 0.5, "min_child_weight": 0.1}
    model = xgboost.XGBClassifier(
        **settings, **penalties, tree_method="hist", learning_rate=0.05, random_state=19499109, n_jobs=1
    )
    assert rate_of(model.fit(X, y)) == np.float32(0.05)
