"""Samples in parts give the rules of all samples together, bit for bit, whatever the size of the parts."""

import numpy as np
import pandas as pd
import pytest
from exactness.test_twin import random_data, random_ensemble, random_thresholds
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.errors import FewRulesWarning, LowFidelityWarning

pytestmark = [
    pytest.mark.usefixtures("engine"),
    pytest.mark.filterwarnings(f"ignore::{FewRulesWarning.__module__}.{FewRulesWarning.__name__}"),
    pytest.mark.filterwarnings(f"ignore::{LowFidelityWarning.__module__}.{LowFidelityWarning.__name__}"),
]
ALL = 10**6


def frame_of(X, y):
    return pd.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])]).assign(target=y)


def assert_same(table, ensemble, part_size, method="rcprob", **parameters):
    """The rules of the parts, in every digit, and what the search did to each tree."""
    X, y = table.drop(columns="target"), table["target"]
    whole = rulekit.build(method, ensemble, **parameters).fit(X, y)
    parts = rulekit.build(method, ensemble, **parameters).fit_from(table, "target", part_size=part_size)
    assert whole.ruleset_.to_dict() == parts.ruleset_.to_dict()
    assert [step.n_candidates for step in whole.history_] == [step.n_candidates for step in parts.history_]
    assert [step.score for step in whole.history_] == [step.score for step in parts.history_]
    np.testing.assert_allclose(whole.feature_scales_, parts.feature_scales_, rtol=1e-12)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize(("part_size", "seeds"), [(1, range(1)), (7, range(6)), (ALL, range(6))])
def test_random_cases(method, part_size, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X, y = random_data(rng)
        table = frame_of(X, y)
        ensemble = random_ensemble(rng, seed).fit(table.drop(columns="target"), y)
        drop_redundant, order = bool(seed % 2), ["support", "coverage", "precision"][seed % 3]
        parameters = {"simplify__drop_redundant": drop_redundant, "rule_order": order, **random_thresholds(rng)}
        assert_same(table, ensemble, part_size, method, **parameters)


@pytest.mark.parametrize("part_size", [7, ALL])
def test_several_trees_a_round_and_other_components(part_size):
    rng = np.random.default_rng(0)
    X, y = random_data(rng)
    table, several = frame_of(X, y % 3), {"search_score": "log-loss", "max_conditions": 2, "max_rules": 5}
    boosting = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0)
    assert_same(table, boosting.fit(table.drop(columns="target"), table["target"]), part_size, **several)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(table.drop(columns="target"), table["target"])
    assert_same(table, forest, part_size, combine=None, search_estimator="empirical")


@pytest.mark.parametrize("part_size", [7, ALL])
def test_missing_values_and_categories_that_only_some_parts_have(part_size):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"number": rng.normal(size=120).round(1), "colour": rng.choice(list("abcde"), 120)})
    table["target"] = ((table["number"] > 0) ^ table["colour"].isin(["a", "b"])).map({True: "yes", False: "no"})
    table["colour"] = table["colour"].astype("category")
    table.loc[100:110, "number"] = np.nan
    table.loc[50:55, "colour"] = np.nan
    X, y = table.drop(columns="target"), table["target"]
    ensemble = lightgbm.LGBMClassifier(n_estimators=8, min_child_samples=3, verbose=-1, min_data_per_group=3, n_jobs=1)
    assert_same(table, ensemble.fit(X, y), part_size)
