"""What one fit and one prediction do once: check parameters, make components, hold samples back, validate X."""

from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
import sklearn.utils.validation
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
import rulekit.core.validation
import rulekit.model
import rulekit.rule_model
import rulekit.ruleset.samples
from rulekit.plugin import ProbabilityEstimator


class Counting(ProbabilityEstimator):
    """Counts what it is asked for, in all its instances."""

    asked: ClassVar[Counter[str]] = Counter()

    def hold_back(self, y):
        self.asked["hold_back"] += 1
        return np.arange(len(y)) % 3 == 0

    def fit(self, data):
        self.asked["fit"] += 1
        return self

    def estimate(self, rules):
        return (rules.counts + 1) / (rules.counts + 1).sum(axis=1, keepdims=True)

    def estimate_list(self, rules):
        self.asked["estimate_list"] += 1
        return super().estimate_list(rules)

    def __sklearn_clone__(self):
        self.asked["clone"] += 1
        return type(self)()


@pytest.fixture(scope="module", params=["frame", "array"])
def data(request):
    X, y = load_iris(return_X_y=True, as_frame=True)
    return (X, y) if request.param == "frame" else (X.to_numpy(), y.to_numpy())


@pytest.fixture
def model(data):
    return rulekit.build("rcprob", RandomForestClassifier(4, random_state=0).fit(*data))


@pytest.fixture
def validated(monkeypatch):
    """Shapes of the two-dimensional arrays that scikit-learn validates."""
    shapes, check = [], sklearn.utils.validation.check_array

    def counted(array, *given, **options):
        shapes.extend([np.shape(array)] if np.ndim(array) == 2 else [])
        return check(array, *given, **options)

    modules = (rulekit.model, rulekit.core.validation, rulekit.rule_model, rulekit.ruleset.samples)
    for module in (sklearn.utils.validation, *modules):
        monkeypatch.setattr(module, "check_array", counted)
    return shapes


def test_fit_validates_x_once(data, model, validated):
    model.fit(*data)
    assert validated == [(150, 4)]


def test_predict_proba_validates_x_once(data, model, validated):
    model.fit(*data)
    validated.clear()
    model.predict_proba(data[0])
    assert validated == [(150, 4)]


def test_fit_asks_the_final_estimator_for_everything_once(data, model):
    Counting.asked.clear()
    model.set_params(final_estimator=Counting()).fit(*data)
    assert Counting.asked == {"clone": 1, "hold_back": 1, "fit": 1, "estimate_list": 1}


def test_fit_checks_parameters_once(data, model, monkeypatch):
    calls, check = [], rulekit.RuleExtractor.check_parameters
    monkeypatch.setattr(rulekit.RuleExtractor, "check_parameters", lambda self: calls.append(0) or check(self))
    model.fit(*data)
    assert len(calls) == 1


def test_fit_makes_each_component_once(data, monkeypatch):
    """Those given by name are made, those given as instances are cloned."""
    made, create = [], type(rulekit.plugin.manager.plugins().registry).create

    def counted(registry, kind, name, /, **parameters):
        made.append(kind)
        return create(registry, kind, name, **parameters)

    monkeypatch.setattr(type(rulekit.plugin.manager.plugins().registry), "create", counted)
    rulekit.RuleExtractor(RandomForestClassifier(4, random_state=0).fit(*data)).fit(*data)
    assert sorted(made) == sorted(
        ["adapter", "priors", "probability", "probability", "combine", "cover", "simplify", "score", "inference"]
    )
