"""All measures of a model at once."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

import rulekit
from rulekit import evaluation
from rulekit.core.interfaces import Measure
from rulekit.evaluation import evaluate
from rulekit.evaluation.components import ConfidenceECE

OF_PREDICTIONS = [
    *("log_loss", "brier", "confidence_ece", "classwise_ece"),
    *("accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "average_precision"),
    *("ks", "lift_at_10", "rarest_class_recall"),
]
OF_RULES = ["n_rules", "n_conditions", "n_distinct_conditions", "conditions_per_rule", "uniqueness"]
PUBLISHED = {
    "rc+": {"log_loss": 4.649, "brier": 0.366, "confidence_ece": 0.197, "macro_f1": 0.778, "fidelity": 1.000},
    "rcprob": {"log_loss": 0.481, "brier": 0.287, "confidence_ece": 0.078, "macro_f1": 0.833, "fidelity": 0.944},
}
PUBLISHED_SIZES = {"rc+": (7, 12), "rcprob": (5, 6)}


@pytest.mark.parametrize("method", PUBLISHED)
class TestPublishedCase:
    @pytest.fixture
    def measures(self, method: str, load: Callable[[str], tuple[pd.DataFrame, pd.Series]]) -> dict[str, float]:
        X, y = load("cryotherapy")
        train, test = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=42).split(X, y))[1]
        ensemble = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=42)
        model = rulekit.build(method, ensemble, min_precision=0.5, min_coverage=0.0, confidence=0.1)
        return evaluate(model.fit(X.iloc[train], y.iloc[train]), X.iloc[test], y.iloc[test])

    def test_held_out_measures_are_the_published_ones(self, method, measures):
        assert {name: round(measures[name], 3) for name in PUBLISHED[method]} == PUBLISHED[method]

    def test_rules_and_conditions_are_the_published_ones(self, method, measures):
        assert (measures["n_rules"], measures["n_conditions"]) == PUBLISHED_SIZES[method]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def ensemble(iris):
    X, y = iris
    return RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def model(iris, ensemble):
    return rulekit.build("rcprob", ensemble).fit(*iris)


class TestWhatIsMeasured:
    def test_an_extractor_has_every_measure(self, model, iris):
        assert list(evaluate(model, *iris)) == [*OF_PREDICTIONS, "fidelity", *OF_RULES]

    def test_an_ensemble_has_those_of_its_predictions(self, ensemble, iris):
        assert list(evaluate(ensemble, *iris)) == OF_PREDICTIONS

    def test_rules_alone_have_no_fidelity(self, model, iris):
        assert list(evaluate(model.ruleset_, *iris)) == [*OF_PREDICTIONS, *OF_RULES]

    def test_rules_with_an_ensemble_have_what_their_extractor_has(self, model, ensemble, iris):
        assert evaluate(model.ruleset_, *iris, ensemble) == evaluate(model, *iris)

    def test_a_given_ensemble_takes_the_place_of_the_extractors_own(self, model, iris):
        X, y = iris
        other = RandomForestClassifier(1, max_depth=1, random_state=0).fit(X, y)
        expected = evaluation.fidelity(model.predict(X), other.predict(X))
        assert evaluate(model, X, y, other)["fidelity"] == expected < 0.9

    @pytest.mark.parametrize(
        "name", ["log_loss", "brier", "confidence_ece", "classwise_ece", "roc_auc", "average_precision"]
    )
    def test_each_measure_is_the_function_of_that_name(self, model, iris, name):
        X, y = iris
        expected = getattr(evaluation, name)(y, model.predict_proba(X), model.classes_)
        assert evaluate(model, X, y)[name] == expected

    @pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "macro_f1"])
    def test_each_measure_of_labels_is_the_function_of_that_name(self, model, iris, name):
        X, y = iris
        assert evaluate(model, X, y)[name] == getattr(evaluation, name)(y, model.predict(X))

    @pytest.mark.parametrize("name", OF_RULES)
    def test_each_measure_of_rules_is_the_function_of_that_name(self, model, iris, name):
        assert evaluate(model, *iris)[name] == getattr(evaluation, name)(model.ruleset_)

    def test_every_value_is_a_plain_float(self, model, iris):
        assert {type(value) for value in evaluate(model, *iris).values()} == {float}


class TestChosenMeasures:
    def test_are_the_named_ones_in_the_order_named(self, model, iris):
        everything = evaluate(model, *iris)
        found = evaluate(model, *iris, measures=["n_rules", "log_loss"])
        assert list(found.items()) == [(name, everything[name]) for name in ("n_rules", "log_loss")]

    def test_may_be_instances_with_parameters_of_their_own(self, model, iris):
        X, y = iris
        expected = evaluation.confidence_ece(y, model.predict_proba(X), model.classes_, n_bins=3)
        assert evaluate(model, X, y, measures=[ConfidenceECE(n_bins=3)]) == {"confidence_ece": expected}

    def test_that_are_not_registered_are_called_by_their_class(self, model, iris):
        class Half(Measure):
            heading, meaning, is_higher_better = "Half", "always a half", None

            def measure(self, evaluated):
                return 0.5

        assert evaluate(model, *iris, measures=[Half()]) == {"Half": 0.5}

    @pytest.mark.parametrize(
        ("measures", "message"),
        [
            (["logloss"], r"No measure named 'logloss'\. Did you mean 'log_loss'\?"),
            ("log_loss", r"measures must be a list of names or measures, got 'log_loss': pass \['log_loss'\]"),
            ([ConfidenceECE], r"measures must be the name of a measure .* Did you mean ConfidenceECE\(\)\?"),
            ([ConfidenceECE(), "confidence_ece"], "'confidence_ece' is given twice. Call evaluate once for each"),
        ],
    )
    def test_that_cannot_be_are_told(self, model, iris, measures, message):
        with pytest.raises(rulekit.RulekitError, match=message):
            evaluate(model, *iris, measures=measures)

    def test_that_need_what_is_not_there_are_told(self, model, ensemble, iris):
        with pytest.raises(ValueError, match="'fidelity' needs an ensemble: pass it as `ensemble`"):
            evaluate(model.ruleset_, *iris, measures=["fidelity"])
        with pytest.raises(ValueError, match="'n_rules' needs rules, and the model has none"):
            evaluate(ensemble, *iris, measures=["n_rules"])


def test_areas_are_not_a_number_where_a_class_has_no_sample(model, iris):
    X, y = iris
    found = evaluate(model, X[y < 2], y[y < 2])
    undefined = {name for name, value in found.items() if np.isnan(value)}
    assert undefined == {"roc_auc", "average_precision", "ks", "lift_at_10", "rarest_class_recall"}


class TestInput:
    def test_a_model_trained_without_column_names_takes_a_table_without_a_warning(self, iris):
        X, y = iris
        ensemble = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X.to_numpy(), y)
        unnamed = rulekit.build("rcprob", ensemble).fit(X.to_numpy(), y)
        assert evaluate(unnamed, X, y) == evaluate(unnamed, X.to_numpy(), y)

    def test_labels_may_be_texts(self, iris, model):
        X, y = iris
        named = np.array(["setosa", "versicolor", "virginica"])[y]
        ensemble = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, named)
        assert evaluate(rulekit.build("rcprob", ensemble).fit(X, named), X, named) == evaluate(model, X, y)

    def test_values_that_the_ensemble_refuses_are_an_error_and_no_warning(self, model, iris):
        X, y = iris
        with pytest.raises(ValueError, match=r"infinity or a value too large for dtype\('float32'\)"):
            evaluate(model, X * 1e307, y)

    def test_a_label_that_the_model_does_not_know_is_named(self, model, iris):
        X, y = iris
        with pytest.raises(ValueError, match=r"The true labels \[7\] are not among the classes"):
            evaluate(model, X, np.full(len(y), 7))


def test_everything_public_is_there():
    assert all(hasattr(evaluation, name) for name in evaluation.__all__)
