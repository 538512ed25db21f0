"""A forest read from a regressor predicts what the library predicts, to the last bit that it has."""

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostRegressor
from lightgbm import LGBMRegressor
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from xgboost import XGBRegressor, XGBRFRegressor

from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.regression.data import RegressionData, find_regressor_adapter

CATBOOST = {"n_estimators": 8, "depth": 3, "verbose": False, "allow_writing_files": False, "thread_count": 1}
LIGHTGBM = {"n_estimators": 8, "num_leaves": 6, "verbosity": -1, "n_jobs": 1, "min_child_samples": 5}
XGBOOST = {"n_estimators": 8, "max_depth": 3, "n_jobs": 1}
#: Models of numbers, and whether they accept missing values.
MODELS = {
    "tree": (DecisionTreeRegressor(max_depth=4), True),
    "extra tree": (ExtraTreeRegressor(max_depth=4), True),
    "forest": (RandomForestRegressor(5, random_state=0), True),
    "extra trees": (ExtraTreesRegressor(5, random_state=0), True),
    "bagging of columns": (BaggingRegressor(n_estimators=4, max_features=0.5, random_state=0), True),
    "boosting": (GradientBoostingRegressor(n_estimators=8), False),
    "boosting from zero": (GradientBoostingRegressor(n_estimators=4, init="zero"), False),
    "boosting of a quantile": (GradientBoostingRegressor(n_estimators=4, loss="quantile", alpha=0.8), False),
    "hist boosting": (HistGradientBoostingRegressor(max_iter=8), True),
    "hist boosting of the median": (HistGradientBoostingRegressor(max_iter=4, loss="absolute_error"), True),
    "xgboost": (XGBRegressor(**XGBOOST), True),
    "xgboost of the median": (XGBRegressor(**XGBOOST, objective="reg:absoluteerror"), True),
    "xgboost forest": (XGBRFRegressor(**XGBOOST), True),
    "xgboost dart": (XGBRegressor(**XGBOOST, booster="dart", rate_drop=0.4), True),
    "lightgbm": (LGBMRegressor(**LIGHTGBM), True),
    "lightgbm of a quantile": (LGBMRegressor(**LIGHTGBM, objective="quantile"), True),
    "lightgbm forest": (LGBMRegressor(**LIGHTGBM, boosting_type="rf", bagging_freq=1, bagging_fraction=0.6), True),
    "catboost": (CatBoostRegressor(**CATBOOST), True),
    "catboost of the median": (CatBoostRegressor(**CATBOOST, loss_function="MAE"), True),
}
LOGARITHMS = [
    XGBRegressor(**XGBOOST, objective="count:poisson"),
    LGBMRegressor(**LIGHTGBM, objective="poisson"),
    LGBMRegressor(**LIGHTGBM, reg_sqrt=True),
    CatBoostRegressor(**CATBOOST, loss_function="Poisson"),
    HistGradientBoostingRegressor(max_iter=4, loss="gamma"),
]


def table(has_missing):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).round(2)
    y = 50 + 3 * X[:, 0] + np.abs(X[:, 1]) + 0.3 * rng.normal(size=200)
    if has_missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def values_at_cutoffs(X, forest):
    """Samples whose values are thresholds, and the next numbers beside them, with missing ones where there are some."""
    trees = [tree for trees in forest.rounds for tree in trees]
    samples = X[:0]
    for tree in trees[:3]:
        for node in np.flatnonzero(tree.features >= 0)[:6].tolist():
            cutoff = forest.cutoffs(tree)[node]
            if abs(cutoff) > 1e30:  # a split that only separates missing values
                continue
            row = X[:3].copy()
            row[:, tree.features[node]] = [cutoff, np.nextafter(cutoff, np.inf), np.nextafter(cutoff, -np.inf)]
            samples = np.vstack([samples, row])
    return samples


@pytest.mark.parametrize("name", MODELS)
def test_predicts_what_the_library_predicts_also_at_thresholds(name):
    model, has_missing = MODELS[name]
    X, y = table(has_missing)
    model.fit(X, y)
    adapter = find_regressor_adapter(model)
    forest = adapter.regression_forest(model)
    assert forest.is_regression
    # XGBoost adds up in single precision.
    tolerance = {"rtol": 1e-6} if name.startswith("xgboost") else {"rtol": 1e-14}
    samples = np.vstack([X, values_at_cutoffs(X, forest)])
    np.testing.assert_allclose(forest.predict(samples), model.predict(samples), **tolerance)
    for own in ("get_booster", "booster_"):
        if hasattr(model, own):
            booster = model.get_booster() if own == "get_booster" else model.booster_
            of_booster = find_regressor_adapter(booster).regression_forest(booster)
            assert of_booster.predict(samples).tolist() == forest.predict(samples).tolist()


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingRegressor(max_iter=8, categorical_features="from_dtype"),
        LGBMRegressor(**LIGHTGBM),
        XGBRegressor(**XGBOOST, enable_categorical=True),
        CatBoostRegressor(**CATBOOST, cat_features=["colour"], one_hot_max_size=10),
    ],
    ids=lambda model: type(model).__name__,
)
def test_reads_categories_and_missing_values_of_a_frame(model):
    rng = np.random.default_rng(1)
    colours = rng.choice(["red", "green", "blue"], 200)
    size = np.where(rng.random(200) < 0.1, np.nan, rng.normal(size=200).round(2))
    y = 2.0 * (colours == "red") + np.nan_to_num(size, nan=5.0)
    X = pd.DataFrame({"colour": pd.Categorical(colours), "size": size})
    adapter = find_regressor_adapter(model)
    data = RegressionData.of(model, adapter, X, None, y, list(X.columns))
    np.testing.assert_allclose(data.predicted, data.ensemble.predict(X), rtol=1e-6)
    assert data.conditions.has_sets


@pytest.mark.parametrize("model", LOGARITHMS, ids=lambda model: type(model).__name__)
def test_trees_that_add_up_to_something_else_are_not_supported(model):
    X, y = table(False)
    model.fit(X, y)
    with pytest.raises(UnsupportedEnsembleError, match=r"(Train|Fit) it with"):
        find_regressor_adapter(model).regression_forest(model)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (AdaBoostRegressor(), "weighted median of its trees"),
        (RandomForestClassifier(), r"is a classifier.*rulekit\.build\('rclist', classifier\)"),
        (Ridge(), "not known to be a regressor made of trees"),
        (RandomForestRegressor, "must be an instance"),
    ],
)
def test_other_models_are_not_supported_and_the_error_says_what_is(model, message):
    with pytest.raises(UnsupportedEnsembleError, match=message):
        find_regressor_adapter(model)


def test_a_start_that_differs_between_samples_is_not_supported():
    X, y = table(False)
    model = GradientBoostingRegressor(init=DecisionTreeRegressor(max_depth=1), n_estimators=2).fit(X, y)
    with pytest.raises(UnsupportedEnsembleError, match="The GradientBoostingRegressor starts from init="):
        find_regressor_adapter(model).regression_forest(model)
