"""Every built-in component keeps the promises of its kind."""

from importlib.util import find_spec

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.plugin.kinds import INTERFACES
from rulekit.plugin.manager import plugins
from rulekit.testing import parametrize_with_checks
from rulekit.testing.adapter_models import Models
from rulekit.trees.classifier import TreeClassifier

#: Components, and the libraries that they need.
NEEDED = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", "onnx": "onnx", "excel": "openpyxl"}
MISSING = {name for name, library in NEEDED.items() if find_spec(library) is None}


def built_in(kind):
    """Components that rulekit itself registers, but for those of libraries that are not installed."""
    return [
        component
        for component in rulekit.list_components(kind)
        if component.origin.startswith("rulekit-rcprob ") and component.name not in MISSING
    ]


def models():
    """Models that are no registered ensembles: rulekit's own tree, models made of others, CatBoost with categories.

    CatBoost treats a column as categorical only if asked to; the registered ensemble does not ask for it.
    """
    forest = RandomForestClassifier(3, max_depth=3, random_state=0)
    boosting = GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0)
    own = [
        TreeClassifier(random_state=0),
        VotingClassifier([("forest", forest), ("boosting", boosting)], voting="soft"),
        OneVsRestClassifier(forest),
        BaggingClassifier(boosting, 2, random_state=0),
        CalibratedClassifierCV(forest, cv=2),
        make_pipeline(StandardScaler(), forest),
    ]
    if "catboost" in MISSING:
        return own
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return [
        *own,
        CatBoostClassifier(iterations=4, depth=2, cat_features=[3], one_hot_max_size=10, random_seed=0, **quiet),
    ]


#: It names the classes of one model, which no other table has: tests/wrappers/test_named_classes.py checks it.
OF_ONE_MODEL = "named-classes"
PARTS = [component.factory() for kind in INTERFACES for component in built_in(kind) if component.name != OF_ONE_MODEL]
METHODS = [rulekit.build(component.name) for component in built_in("method")]


def expected_failures(component):
    """rulekit takes the labels from the table instead, which the checks do not."""
    if type(component).__name__ != "XGBoostAdapter":
        return {}
    import xgboost

    if not xgboost.__version__.startswith("3.0."):
        return {}
    reason = "XGBoost stores the labels of categories from 3.1 on"
    return dict.fromkeys(("check_categories", "check_unknown_categories"), reason)


@parametrize_with_checks([*PARTS, *METHODS], expected_failures=expected_failures, models=models())
def test_conforms(component, check):
    check(component)


@pytest.mark.parametrize("name", [component.name for component in built_in("ensemble")])
def test_every_ensemble_is_one_that_an_adapter_is_tried_on(name):
    kind = type(plugins().registry.create("ensemble", name))
    others = {"tree", "voting", "one-vs-rest", "bagged-ensembles", "calibrated", OF_ONE_MODEL, "pipeline"}
    adapters = [component.factory() for component in built_in("adapter") if component.name not in others]
    assert kind in [type(model) for adapter in adapters for model in Models(adapter).unfitted]
