"""Libraries' own models, without scikit-learn's interface, also from a saved file; and what is missing without them."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import rulekit
from rulekit.core.errors import MissingExtraError
from rulekit.evaluation import evaluate


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :6].rename(columns=lambda name: name.replace(" ", "_")), y.to_numpy()


def agreement(model, margin_or_fraction, X) -> float:
    return float(np.mean(model.predict(X) == (margin_or_fraction > 0.5)))


@pytest.fixture(scope="module")
def xgboost_booster(data):
    xgboost = pytest.importorskip("xgboost")
    matrix = xgboost.DMatrix(*data)
    parameters = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.2, "seed": 0}
    return xgboost.train(parameters, matrix, num_boost_round=20)


class TestXGBoost:
    def test_a_booster_is_used_as_it_is(self, xgboost_booster, data):
        X, y = data
        model = rulekit.build("rcprob", xgboost_booster).fit(X, y)
        assert model.ensemble_ is xgboost_booster
        assert agreement(model, xgboost_booster.inplace_predict(X), X) > 0.9

    def test_fidelity_to_a_booster_is_measured(self, xgboost_booster, data):
        X, y = data
        model = rulekit.build("rcprob", xgboost_booster).fit(X, y)
        expected = agreement(model, xgboost_booster.inplace_predict(X), X)
        assert evaluate(model, X, y)["fidelity"] == pytest.approx(expected)

    def test_fidelity_is_measured_among_labels_that_the_library_does_not_take(self, data):
        X, y = data
        model = rulekit.build("rcprob", "xgboost", random_state=0).fit(X, np.where(y == 1, "yes", "no"))
        assert evaluate(model, X, np.where(y == 1, "yes", "no"))["fidelity"] > 0.9

    def test_a_booster_survives_clone(self, xgboost_booster, data):
        assert clone(rulekit.build("rcprob", xgboost_booster)).fit(*data).ensemble_ is xgboost_booster

    @pytest.mark.parametrize("ending", ["json", "ubj"])
    def test_a_booster_from_a_file_gives_the_same_rules(self, xgboost_booster, data, ending, tmp_path):
        xgboost = pytest.importorskip("xgboost")
        xgboost_booster.save_model(tmp_path / f"model.{ending}")
        again = xgboost.Booster(model_file=tmp_path / f"model.{ending}")
        expected, actual = (rulekit.build("rcprob", each).fit(*data).ruleset_ for each in (xgboost_booster, again))
        assert expected == actual

    def test_its_column_names_appear_in_rules_made_from_an_array(self, xgboost_booster, data):
        X, y = data
        model = rulekit.build("rcprob", xgboost_booster).fit(X.to_numpy(), y)
        assert model.ruleset_.feature_names == tuple(X.columns)


@pytest.fixture(scope="module")
def lightgbm_booster(data):
    lightgbm = pytest.importorskip("lightgbm")
    parameters = {"objective": "binary", "max_depth": 3, "learning_rate": 0.2, "seed": 0, "verbosity": -1}
    return lightgbm.train(parameters, lightgbm.Dataset(*data), num_boost_round=20)


class TestLightGBM:
    def test_a_booster_is_used_as_it_is(self, lightgbm_booster, data):
        X, y = data
        model = rulekit.build("rcprob", lightgbm_booster).fit(X, y)
        assert model.ensemble_ is lightgbm_booster
        assert agreement(model, lightgbm_booster.predict(X), X) > 0.9

    def test_a_booster_from_a_file_gives_the_same_rules(self, lightgbm_booster, data, tmp_path):
        lightgbm = pytest.importorskip("lightgbm")
        lightgbm_booster.save_model(tmp_path / "model.txt")
        again = lightgbm.Booster(model_file=tmp_path / "model.txt")
        expected, actual = (rulekit.build("rcprob", each).fit(*data).ruleset_ for each in (lightgbm_booster, again))
        assert expected.counts.tolist() == actual.counts.tolist()


def test_catboost_categories_appear_by_name():
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"size": rng.normal(size=200), "colour": rng.choice(["blue", "green", "red"], 200)})
    y = np.where((X["colour"] == "red") | (X["size"] > 1), "in", "out")
    classifier = catboost.CatBoostClassifier(
        iterations=20, depth=3, cat_features=["colour"], one_hot_max_size=10, verbose=False, allow_writing_files=False
    )
    model = rulekit.build("rcprob", classifier).fit(X, y)
    assert "colour not in {" in str(model.ruleset_) or "colour in {" in str(model.ruleset_)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_a_missing_library_names_its_extra(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    expected = f"This ensemble needs {library}, which is not installed: pip install 'rulekit-rcprob[{library}]'."
    with pytest.raises(MissingExtraError, match=f"^{re.escape(expected)}$"):
        rulekit.build("rcprob", library).fit([[0]], [0])
