"""Every ensemble with every estimator and every inference mode, end to end."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

import rulekit
from rulekit.evaluation import evaluate, fidelity
from rulekit.model import named_ensemble
from rulekit.plugin import make_component


def own(kind: str) -> list[str]:
    """What rulekit itself brings; plugins test their own parts."""
    return [part.name for part in rulekit.list_components(kind) if part.origin.startswith("rulekit-rcprob ")]


ENSEMBLES, ESTIMATORS, MODES = own("ensemble"), own("probability"), own("inference")
# These count the samples that each rule of a finished decision list answers.
NEED_ORDER = {name for name in ESTIMATORS if make_component("probability", name).needs_order}
# What rules keep of an ensemble's decisions on held-out samples: far above the 0.33 of guessing.
LEAST_FIDELITY = 0.8


@cache
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    return X_train, X_test, y_train, y_test


@cache
def fitted(name: str) -> Any:
    X_train, _, y_train, _ = data()
    ensemble = named_ensemble(name, random_state=0)
    few = {parameter: 20 for parameter in ("n_estimators", "max_iter") if parameter in ensemble.get_params()}
    return ensemble.set_params(**few).fit(X_train, y_train)


@pytest.mark.parametrize(
    ("final_estimator", "inference"),
    [(name, mode) for name in ESTIMATORS for mode in MODES if name not in NEED_ORDER or mode == "decision-list"],
)
@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_rules_state_probabilities_and_follow_their_ensemble(
    ensemble: str, final_estimator: str, inference: str
) -> None:
    X_train, X_test, y_train, _ = data()
    model = rulekit.build("rcprob", fitted(ensemble), final_estimator=final_estimator, inference=inference).fit(
        X_train, y_train
    )
    predicted = model.predict_proba(X_test)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
    assert (predicted >= 0).all()
    assert fidelity(model.predict(X_test), np.ravel(fitted(ensemble).predict(X_test))) >= LEAST_FIDELITY


@pytest.mark.parametrize("search_estimator", [name for name in ESTIMATORS if name not in NEED_ORDER])
@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_any_estimator_that_needs_no_order_can_guide_the_search(ensemble: str, search_estimator: str) -> None:
    X_train, X_test, y_train, y_test = data()
    model = rulekit.build("rc+", fitted(ensemble), search_estimator=search_estimator).fit(X_train, y_train)
    assert evaluate(model, X_test, y_test, fitted(ensemble))["fidelity"] >= LEAST_FIDELITY
