"""Bad input: a specific error that says what to do, before an ensemble is fitted in vain."""

import re
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.core.errors import (
    ComponentTypeError,
    EnsembleMismatchError,
    InvalidParameterError,
    SampleWeightError,
    UnfittedEnsembleError,
    UnknownComponentError,
    UnsupportedEnsembleError,
)
from rulekit.priors.mean import Mean

Data = tuple[pd.DataFrame, pd.Series]


def samples(n_samples: int = 60) -> Data:
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(n_samples, 3)), columns=["age", "Time", "Area"])
    return X, pd.Series(np.where(X["age"] + 0.3 * generator.normal(size=n_samples) > 0, "yes", "no"))


@pytest.fixture(scope="module")
def data() -> Data:
    return samples()


def small_forest() -> RandomForestClassifier:
    return RandomForestClassifier(3, max_depth=2, random_state=0)


def with_value(X: pd.DataFrame, value: Any) -> pd.DataFrame:
    changed = X.copy()
    changed.iloc[7, 1] = value
    return changed


@attrs.frozen
class Mistake:
    """A user's mistake, and the error that it must raise."""

    error: type[Exception]
    message: str
    X: Callable[[pd.DataFrame], Any] = lambda X: X
    y: Callable[[pd.Series], Any] = lambda y: y
    parameters: dict[str, Any] = attrs.field(factory=dict)
    fit: dict[str, Any] = attrs.field(factory=dict)
    ensemble: Any = attrs.field(factory=small_forest)


def threshold(name: str, value: Any, limits: str) -> Mistake:
    message = f"RuleExtractor: {name} must be a number {limits} and at most 1, got {value!r}."
    return Mistake(InvalidParameterError, f"^{re.escape(message)}$", parameters={name: value})


MISTAKES = {
    "NaN in X": Mistake(
        ValueError,
        r"(?s)^Input X contains NaN.\nRuleExtractor does not accept missing values.*imputer",
        X=lambda X: with_value(X, np.nan),
        ensemble=GradientBoostingClassifier(n_estimators=2),
    ),
    "infinity in X": Mistake(ValueError, "^Input X contains infinity", X=lambda X: with_value(X, np.inf)),
    "minus infinity in X": Mistake(ValueError, "^Input X contains infinity", X=lambda X: with_value(X, -np.inf)),
    "strings in X": Mistake(ValueError, "The columns 'colour' are not numeric", X=lambda X: X.assign(colour="red")),
    "one-dimensional X": Mistake(ValueError, "(?s)Expected .*2.*Reshape your data", X=lambda X: X["age"].to_numpy()),
    "no samples": Mistake(ValueError, r"Found array with 0 sample\(s\)", X=lambda X: X[:0], y=lambda y: y[:0]),
    "no columns": Mistake(ValueError, "(?i)0 feature|at least one column", X=lambda X: X.to_numpy()[:, :0]),
    "y of other length": Mistake(
        ValueError,
        re.escape("Found input variables with inconsistent numbers of samples: [60, 59]"),
        y=lambda y: y[:-1],
    ),
    "no y": Mistake(ValueError, "requires y to be passed, but the target y is None", y=lambda y: None),
    "one class, a string": Mistake(
        ValueError,
        "^y has only one class, 'yes'; rules need samples of at least two classes.$",
        y=lambda y: np.full(len(y), "yes"),
    ),
    "one class, a number": Mistake(
        ValueError,
        "^y has only one class, 1; rules need samples of at least two classes.$",
        y=lambda y: np.ones(len(y), dtype=int),
    ),
    "continuous y": Mistake(ValueError, "Unknown label type: continuous", y=lambda y: np.linspace(0, 1, len(y))),
    "NaN in y": Mistake(ValueError, "Input y contains NaN", y=lambda y: np.where(y == "yes", 1.0, np.nan)),
    "NaN in y beside categories": Mistake(
        ValueError,
        "Input y contains NaN",
        X=lambda X: X.assign(colour=pd.Categorical(["red", "blue"] * 30)),
        y=lambda y: np.where(y == "yes", 1.0, np.nan),
        ensemble=HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype"),
    ),
    "None in y": Mistake(ValueError, "(?i)y .*(missing|None)", y=lambda y: np.where(y == "yes", "yes", None)),
    "labels of several types": Mistake(
        ValueError, "(?i)y .*type", y=lambda y: np.array(["yes", 0] * (len(y) // 2), dtype=object)
    ),
    "two columns in y": Mistake(ValueError, "y should be a 1d array", y=lambda y: np.column_stack([y, y])),
    "negative weights": Mistake(
        SampleWeightError, "^sample_weight must be finite and not negative", fit={"sample_weight": -np.ones(60)}
    ),
    "too few weights": Mistake(
        SampleWeightError, "^sample_weight must have one number for each of", fit={"sample_weight": np.ones(59)}
    ),
    "a class weight of 0": Mistake(
        InvalidParameterError,
        "^class_weight must have positive finite numbers",
        parameters={"class_weight": {"yes": 0}},
    ),
    "min_class_coverage above 1": threshold("min_class_coverage", 1.5, "of at least 0"),
    "min_precision above 1": threshold("min_precision", 1.5, "of at least 0"),
    "min_precision below 0": threshold("min_precision", -0.1, "of at least 0"),
    "min_precision in percent": threshold("min_precision", 75, "of at least 0"),
    "min_precision as a string": threshold("min_precision", "0.5", "of at least 0"),
    "min_precision left out": threshold("min_precision", None, "of at least 0"),
    "min_precision not a number": threshold("min_precision", float("nan"), "of at least 0"),
    "min_precision a truth value": threshold("min_precision", True, "of at least 0"),
    "min_coverage above 1": threshold("min_coverage", 2, "of at least 0"),
    "min_coverage below 0": threshold("min_coverage", -1e-9, "of at least 0"),
    "confidence above 1": threshold("confidence", 1.01, "above 0"),
    "confidence below 0": threshold("confidence", -0.25, "above 0"),
    "confidence of 0": threshold("confidence", 0, "above 0"),
    "unknown rule order": Mistake(
        InvalidParameterError,
        "^RuleExtractor: rule_order must be one of 'support', 'coverage', 'precision', got 'suport'.",
        parameters={"rule_order": "suport"},
    ),
    "rule order that is no string": Mistake(
        InvalidParameterError, "rule_order must be one of .*, got None", parameters={"rule_order": None}
    ),
    "rule order that cannot be hashed": Mistake(
        InvalidParameterError, "rule_order must be one of .*, got ", parameters={"rule_order": ["support"]}
    ),
    "rule order in an array": Mistake(
        InvalidParameterError,
        "rule_order must be one of .*, got array",
        parameters={"rule_order": np.array(["support"])},
    ),
    **{
        f"unknown {parameter}": Mistake(
            UnknownComponentError, f"^No {called} named 'betta'.* Known: ", parameters={parameter: "betta"}
        )
        for parameter, called in {
            "adapter": "adapter",
            "priors": "prior combiner",
            "search_estimator": "probability estimator",
            "final_estimator": "probability estimator",
            "combine": "combine stage",
            "cover": "cover stage",
            "simplify": "simplify stage",
            "inference": "inference mode",
        }.items()
    },
    "a class for a component": Mistake(
        ComponentTypeError, re.escape("Did you mean Mean()?"), parameters={"priors": Mean}
    ),
    "a component of another kind": Mistake(
        ComponentTypeError,
        re.escape("inference must be the name of an inference mode or an instance of InferenceMode, got Mean()."),
        parameters={"inference": Mean()},
    ),
    "a needed component left out": Mistake(
        ComponentTypeError, "^final_estimator must be .*, got None", parameters={"final_estimator": None}
    ),
    "a regressor": Mistake(
        UnsupportedEnsembleError,
        "^Not supported: RandomForestRegressor is a regressor. Pass a classifier instead.$",
        ensemble=RandomForestRegressor(3),
    ),
    "a model without trees": Mistake(
        UnsupportedEnsembleError,
        r"^Not supported: sklearn\.neighbors\._classification\.KNeighborsClassifier is not known to be made of trees\. "
        r"Pass a tree ensemble, such as a RandomForestClassifier, or register an adapter for this model\.$",
        ensemble=KNeighborsClassifier(),
    ),
    "bagging over a model without trees": Mistake(
        UnsupportedEnsembleError,
        "KNeighborsClassifier is not known to be made of trees",
        ensemble=BaggingClassifier(KNeighborsClassifier(), 2),
    ),
    "an adapter for other models": Mistake(
        UnsupportedEnsembleError,
        "(?i)adapter.*GradientBoostingClassifier",
        parameters={"adapter": "sklearn-forest"},
        ensemble=GradientBoostingClassifier(n_estimators=2),
    ),
}


def mistaken(mistake: Mistake) -> rulekit.RuleExtractor:
    return rulekit.RuleExtractor(mistake.ensemble, **mistake.parameters)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
class TestFit:
    def test_the_error_says_what_is_wrong(self, mistake, data):
        X, y = data
        with pytest.raises(mistake.error, match=mistake.message):
            mistaken(mistake).fit(mistake.X(X), mistake.y(y), **mistake.fit)

    def test_the_ensemble_is_not_fitted_in_vain(self, mistake, data, monkeypatch):
        fitted = []
        model_class = type(mistake.ensemble)
        original = model_class.fit

        def spy(self, X, y, **parameters):
            fitted.append(type(self).__name__)
            return original(self, X, y, **parameters)

        monkeypatch.setattr(model_class, "fit", spy)
        X, y = data
        with pytest.raises(Exception):  # noqa: B017, PT011 - which error it is, the other test says
            mistaken(mistake).fit(mistake.X(X), mistake.y(y), **mistake.fit)
        assert fitted == []


class TestEnsembleInstances:
    def test_a_class_is_rejected_with_what_to_do(self, data):
        message = (
            "The ensemble must be an instance, got the class RandomForestClassifier. Pass RandomForestClassifier()."
        )
        with pytest.raises(UnsupportedEnsembleError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", RandomForestClassifier).fit(*data)

    def test_a_class_is_rejected_with_an_adapter_too(self, data):
        with pytest.raises(UnsupportedEnsembleError, match="must be an instance, got the class RandomForestClassifier"):
            rulekit.build("rcprob", RandomForestClassifier, adapter="sklearn-forest").fit(*data)

    @pytest.mark.parametrize("thing", [42, object(), np.zeros((3, 2))], ids=["number", "object", "array"])
    def test_what_is_no_model_at_all_is_rejected(self, thing, data):
        with pytest.raises(UnsupportedEnsembleError):
            rulekit.build("rcprob", thing).fit(*data)

    def test_an_unknown_name_lists_the_known_ones(self, data):
        with pytest.raises(UnknownComponentError, match=r"^No ensemble named 'forest'.* Known: .*rf"):
            rulekit.RuleExtractor("forest").fit(*data)

    def test_a_fitted_regressor_is_rejected(self, data):
        fitted = RandomForestRegressor(2).fit(data[0], np.arange(60.0))
        with pytest.raises(UnsupportedEnsembleError, match="is a regressor"):
            rulekit.build("rcprob", fitted).fit(*data)

    def test_fitted_bagging_over_neighbours_is_rejected(self, data):
        with pytest.raises(UnsupportedEnsembleError, match="KNeighborsClassifier is not known to be made of trees"):
            rulekit.build("rcprob", BaggingClassifier(KNeighborsClassifier(), 2).fit(*data)).fit(*data)

    def test_an_adapter_for_other_models_is_rejected_for_a_fitted_one(self, data):
        with pytest.raises(UnsupportedEnsembleError, match=r"(?i)adapter.*RandomForestClassifier"):
            rulekit.build("rcprob", small_forest().fit(*data), adapter="sklearn-gradient-boosting").fit(*data)


class TestFittedEnsembles:
    @pytest.mark.parametrize(
        "ensemble",
        [small_forest(), BaggingClassifier(DecisionTreeClassifier(max_depth=2), 3, random_state=0)],
        ids=["forest", "bagging"],
    )
    def test_a_tree_that_is_not_fitted_is_named(self, ensemble, data):
        ensemble = clone(ensemble).fit(*data)
        ensemble.estimators_[1] = DecisionTreeClassifier()
        message = (
            f"Tree 1 of the {type(ensemble).__name__} is not fitted, although the ensemble is. "
            "Fit the ensemble again as a whole, or pass it unfitted."
        )
        with pytest.raises(UnfittedEnsembleError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", ensemble).fit(*data)

    def test_a_boosting_tree_that_is_not_fitted_is_named(self, data):
        ensemble = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(*data)
        ensemble.estimators_[2, 0] = DecisionTreeClassifier()
        with pytest.raises(UnfittedEnsembleError, match=r"^Tree 2 of the GradientBoostingClassifier is not fitted"):
            rulekit.build("rcprob", ensemble).fit(*data)

    def test_one_trained_on_fewer_columns_is_rejected(self, data):
        X, y = data
        message = (
            "The RandomForestClassifier was trained on 2 features, but X has 3. "
            "Pass the data it was trained on, or an unfitted ensemble."
        )
        with pytest.raises(EnsembleMismatchError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", small_forest().fit(X[["age", "Time"]], y)).fit(X, y)

    def test_one_trained_on_more_columns_is_rejected(self, data):
        X, y = data
        with pytest.raises(EnsembleMismatchError, match="was trained on 3 features, but X has 2"):
            rulekit.build("rcprob", small_forest().fit(X, y)).fit(X[["age", "Time"]], y)

    def test_one_trained_on_other_names_is_rejected(self, data):
        X, y = data
        message = (
            "The RandomForestClassifier was trained on different columns: it expects 'Time' where X has 'Hour'. "
            "Pass the columns it was trained on, in the same order, or an unfitted ensemble."
        )
        with pytest.raises(EnsembleMismatchError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", small_forest().fit(X, y)).fit(X.rename(columns={"Time": "Hour"}), y)

    def test_one_trained_on_another_order_of_columns_is_rejected(self, data):
        X, y = data
        with pytest.raises(EnsembleMismatchError, match="expects 'age' where X has 'Area'"):
            rulekit.build("rcprob", small_forest().fit(X, y)).fit(X[["Area", "Time", "age"]], y)

    def test_one_trained_on_other_classes_is_rejected(self, data):
        X, y = data
        message = (
            "y has classes that the RandomForestClassifier was not trained on: ['maybe']; it knows ['no', 'yes']. "
            "Pass the labels it was trained with, or an unfitted ensemble."
        )
        with pytest.raises(EnsembleMismatchError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", small_forest().fit(X, y)).fit(X, y.replace("yes", "maybe"))

    def test_one_trained_on_labels_of_another_type_is_rejected(self, data):
        X, y = data
        with pytest.raises(EnsembleMismatchError, match=re.escape("not trained on: [0, 1]; it knows ['no', 'yes']")):
            rulekit.build("rcprob", small_forest().fit(X, y)).fit(X, (y == "yes").astype(int))

    def test_one_that_predicts_two_targets_is_rejected(self, data):
        X, y = data
        with pytest.raises(UnsupportedEnsembleError, match=r"predicts 2 targets at once. Fit one ensemble for each"):
            rulekit.build("rcprob", small_forest().fit(X, np.column_stack([y, y]))).fit(X, y)


class TestComponentParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"final_estimator__crossover": 0}, "Hybrid: crossover must be a number above 0, got 0."),
            ({"final_estimator__strength": -1}, "Hybrid: strength must be a number of at least 0, got -1."),
            ({"final_estimator__smoothing": "1"}, "Hybrid: smoothing must be a number above 0, got '1'."),
            ({"search_estimator__smoothing": 0.0}, "NaiveBayes: smoothing must be a number above 0, got 0.0."),
            (
                {"final_estimator": "m-estimate", "final_estimator__strength": -2},
                "MEstimate: strength must be a number above 0, got -2.",
            ),
            (
                {"final_estimator": "laplace", "final_estimator__smoothing": 0},
                "Laplace: smoothing must be a number above 0, got 0.",
            ),
        ],
    )
    def test_one_outside_its_range_is_named(self, parameters, message, data):
        with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", small_forest(), **parameters).fit(*data)


@pytest.fixture(scope="module")
def model(data: Data) -> rulekit.RuleExtractor:
    return rulekit.build("rcprob", small_forest()).fit(*data)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
class TestPredict:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_values_that_are_no_numbers_are_rejected(self, method, value, model, data):
        what = "NaN" if np.isnan(value) else "infinity"
        with pytest.raises(ValueError, match=f"^Input X contains {what}"):
            getattr(model, method)(with_value(data[0], value))

    def test_too_few_columns_are_rejected(self, method, model, data):
        with pytest.raises(ValueError, match=r"(?s)feature names should match.*now missing:\n- Area"):
            getattr(model, method)(data[0][["age", "Time"]])

    def test_other_columns_beside_those_of_training_are_ignored(self, method, model, data):
        more = getattr(model, method)(data[0].assign(extra=1.0))
        np.testing.assert_array_equal(more, getattr(model, method)(data[0]))

    def test_a_wrong_number_of_columns_without_names_is_rejected(self, method, data):
        X, y = data
        model = rulekit.build("rcprob", small_forest()).fit(X.to_numpy(), y)
        with pytest.raises(ValueError, match="X has 2 features, but RuleExtractor is expecting 3 features as input"):
            getattr(model, method)(X.to_numpy()[:, :2])

    def test_other_names_are_rejected(self, method, model, data):
        with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen at fit time:\n- Hour"):
            getattr(model, method)(data[0].rename(columns={"Area": "Hour"}))

    def test_another_order_of_names_is_rejected(self, method, model, data):
        with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
            getattr(model, method)(data[0][["Time", "age", "Area"]])

    @pytest.mark.filterwarnings("ignore:X does not have valid feature names")
    def test_a_single_sample_without_rows_is_rejected(self, method, model, data):
        with pytest.raises(
            ValueError,
            match=r"Expected a 2-dimensional container but got .*Series.* Pass a DataFrame containing a single row",
        ):
            getattr(model, method)(data[0].iloc[0])
