"""The published case study: both rulesets rule for rule, and all held-out figures."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

import rulekit
from rulekit.evaluation import brier, confidence_ece, fidelity, log_loss, macro_f1

pytestmark = pytest.mark.usefixtures("engine")

# Antecedent, class counts, class, predicted probability, and of the held-out samples that fire a rule: right, fired.
RC_PLUS = [
    ("Time <= 8.125, age <= 50", [0, 33], 1, "1.000", (6, 7)),
    ("Time > 8.125, age > 16.5, Area > 25", [22, 0], 0, "1.000", (6, 8)),
    ("Time > 8.125, Area <= 15", [8, 0], 0, "1.000", (1, 1)),
    ("Area > 15, Type <= 2.5, Area <= 25", [0, 5], 1, "1.000", (0, 0)),
    ("age > 50", [6, 0], 0, "1.000", (0, 0)),
    ("age <= 16.5", [0, 12], 1, "1.000", (1, 1)),
    ("", [33, 39], 1, "0.542", None),
]
RCPROB = [
    ("Time <= 8.125, age <= 50", [0, 33], 1, "0.956", (6, 7)),
    ("Time > 8.125, age > 16.5", [30, 3], 0, "0.875", (8, 10)),
    ("age > 50", [6, 0], 0, "0.939", (0, 0)),
    ("age <= 16.5", [0, 12], 1, "0.958", (1, 1)),
    ("", [33, 39], 1, "0.542", None),
]
PUBLISHED = {"rc+": RC_PLUS, "rcprob": RCPROB}
HELD_OUT = {
    "rc+": {"log-loss": "4.649", "brier": "0.366", "ece": "0.197", "macro-f1": "0.778", "fidelity": "1.000"},
    "rcprob": {"log-loss": "0.481", "brier": "0.287", "ece": "0.078", "macro-f1": "0.833", "fidelity": "0.944"},
}
SIZES = {"rc+": (7, 12), "rcprob": (5, 6)}


@attrs.frozen
class Case:
    ensemble: GradientBoostingClassifier
    X_train: pd.DataFrame
    y_train: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series

    def extract(self, method: str, *, named: bool = True) -> Any:
        X_train = self.X_train if named else self.X_train.to_numpy()
        ensemble = self.ensemble if named else GradientBoostingClassifier(**self.ensemble.get_params())
        return rulekit.build(method, ensemble, confidence=0.1).fit(X_train, self.y_train)


@pytest.fixture(scope="module")
def case(load: Callable[[str], tuple[pd.DataFrame, pd.Series]]) -> Case:
    X, y = load("cryotherapy")
    splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=42).split(X, y)
    train, test = list(splits)[1]
    ensemble = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=42)
    ensemble.fit(X.iloc[train], y.iloc[train])
    return Case(ensemble, X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test])


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_rules_come_out_in_order(case: Case, method: str) -> None:
    ruleset = case.extract(method).ruleset_
    expected = [set(antecedent.split(", ")) - {""} for antecedent, *_ in PUBLISHED[method]]
    # The published rules have exact thresholds; what `print` shows may be rounded further.
    assert expected == [
        {f"{each.feature} {each.operator} {each.threshold:g}" for each in rule.conditions} for rule in ruleset
    ]


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_rules_come_out_without_column_names_too(case: Case, method: str) -> None:
    named, unnamed = case.extract(method).ruleset_, case.extract(method, named=False).ruleset_
    assert named.counts.tolist() == unnamed.counts.tolist()
    assert named.probabilities.tolist() == unnamed.probabilities.tolist()


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_training_samples_are_counted_as_published(case: Case, method: str) -> None:
    ruleset = case.extract(method).ruleset_
    assert [counts for _, counts, *_ in PUBLISHED[method]] == [rule.counts.tolist() for rule in ruleset]


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_classes_and_stated_probabilities_come_out_to_three_decimals(case: Case, method: str) -> None:
    ruleset = case.extract(method).ruleset_
    expected = [(label, predicted) for _, _, label, predicted, _ in PUBLISHED[method]]
    assert expected == [(rule.label, f"{rule.probability:.3f}") for rule in ruleset]


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_rules_fire_on_held_out_samples_as_published(case: Case, method: str) -> None:
    model = case.extract(method)
    fired = model.ruleset_.first_matches(case.X_test)
    right = model.predict(case.X_test) == case.y_test.to_numpy()
    expected = [held_out for *_, held_out in PUBLISHED[method][:-1]]
    assert expected == [
        (int(right[fired == position].sum()), int((fired == position).sum())) for position in range(len(expected))
    ]


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_held_out_measures_come_out_to_three_decimals(case: Case, method: str) -> None:
    model = case.extract(method)
    predicted, labels = model.predict_proba(case.X_test), case.y_test.to_numpy()
    measured = {
        "log-loss": log_loss(labels, predicted, model.classes_),
        "brier": brier(labels, predicted, model.classes_),
        "ece": confidence_ece(labels, predicted, model.classes_),
        "macro-f1": macro_f1(labels, model.predict(case.X_test)),
        "fidelity": fidelity(case.ensemble.predict(case.X_test), model.predict(case.X_test)),
    }
    assert HELD_OUT[method] == {name: f"{value:.3f}" for name, value in measured.items()}


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_sizes_come_out(case: Case, method: str) -> None:
    ruleset = case.extract(method).ruleset_
    assert SIZES[method] == (len(ruleset), ruleset.n_conditions)


def test_the_published_split_has_72_training_samples_of_which_33_are_of_class_0(case: Case) -> None:
    assert np.bincount(case.y_train).tolist() == [33, 39]
    assert len(case.y_test) == 18
