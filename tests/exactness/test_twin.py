"""The fast search equals its slow twin, rule for rule, whatever the data, the ensemble and the thresholds."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from reference import extract_rules
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.errors import FewRulesWarning

N_CASES = 120
N_PARTS = 10
ENGINES = ["numpy", "numba"] if find_spec("numba") else ["numpy"]


def random_data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Small data with what makes searches hard: ties, duplicate rows, constant features, rare classes."""
    n_samples, n_features = int(rng.integers(20, 90)), int(rng.integers(2, 6))
    n_classes = int(rng.integers(2, 5))
    is_discrete = rng.random() < 0.6
    X = (
        rng.integers(0, 6, (n_samples, n_features)).astype(float)
        if is_discrete
        else rng.normal(size=(n_samples, n_features))
    )
    if rng.random() < 0.3:
        X[:, 0] = 1.0
    if rng.random() < 0.3:
        X = X[rng.integers(0, n_samples, n_samples)]
    noise = rng.integers(0, n_classes, n_samples)
    signal = (X[:, -1] > np.median(X[:, -1])).astype(int)
    y = np.where(rng.random(n_samples) < 0.7, signal, noise)
    y[:2] = 0, 1
    return X, y


def random_ensemble(rng: np.random.Generator, seed: int) -> Any:
    depth = int(rng.integers(1, 5))
    choices = [
        RandomForestClassifier(8, max_depth=depth, random_state=seed),
        ExtraTreesClassifier(8, max_depth=depth, random_state=seed),
        GradientBoostingClassifier(n_estimators=6, max_depth=min(depth, 3), random_state=seed),
        GradientBoostingClassifier(n_estimators=5, max_depth=2, init="zero", random_state=seed),
    ]
    return choices[int(rng.integers(len(choices)))]


def random_thresholds(rng: np.random.Generator) -> dict[str, float]:
    return {
        "min_precision": float(rng.choice([0.3, 0.5, 0.5, 0.75, 0.9])),
        "min_coverage": float(rng.choice([0.0, 0.0, 0.02, 0.1])),
        "confidence": float(rng.choice([0.1, 0.25, 0.4])),
    }


def plain(ruleset: rulekit.RuleSet) -> list[tuple[Any, ...]]:
    return [
        (
            frozenset(
                (condition.feature_index, condition.operator, condition.threshold) for condition in rule.conditions
            ),
            rule.class_index,
            rule.counts.tolist(),
        )
        for rule in ruleset
    ]


# A search that finds nothing warns, as it should; what it returns must still equal the twin's.
@pytest.mark.filterwarnings(f"ignore::{FewRulesWarning.__module__}.{FewRulesWarning.__name__}")
@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize("part", range(N_PARTS))
def test_fast_search_equals_its_twin(method: str, part: int) -> None:
    for seed in range(part, N_CASES, N_PARTS):
        rng = np.random.default_rng(seed)
        X, y = random_data(rng)
        ensemble = random_ensemble(rng, seed).fit(X, y)
        thresholds = random_thresholds(rng)
        drop_redundant = bool(rng.random() < 0.5)
        order = str(rng.choice(["support", "support", "coverage", "precision"]))

        twin = extract_rules(ensemble, X, y, method=method, drop_redundant=drop_redundant, order=order, **thresholds)
        expected = [(frozenset(map(tuple, rule.antecedent)), rule.class_index, rule.counts) for rule in twin]
        model = rulekit.build(method, ensemble, simplify__drop_redundant=drop_redundant, rule_order=order, **thresholds)
        # The twin takes nearly all of the time, so that both engines are held against one run of it.
        for engine in ENGINES:
            with rulekit.using_engine(engine):
                ruleset = model.fit(X, y).ruleset_
            assert expected == plain(ruleset), f"case {seed}, {engine}"
            np.testing.assert_allclose(
                ruleset.probabilities,
                [rule.probabilities for rule in twin],
                rtol=0,
                atol=1e-12,
                err_msg=f"case {seed}, {engine}",
            )


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("priors", ["mean", "product"])
@pytest.mark.parametrize("search_estimator", ["empirical", "naive-bayes"])
@pytest.mark.parametrize("final_estimator", ["empirical", "naive-bayes", "ensemble-m-estimate", "hybrid"])
def test_swapped_parts_equal_the_twin_with_the_same_parts(
    priors: str, search_estimator: str, final_estimator: str
) -> None:
    parts = {"priors": priors, "search_estimator": search_estimator, "final_estimator": final_estimator}
    rng = np.random.default_rng(7)
    X, y = random_data(rng)
    ensemble = RandomForestClassifier(8, max_depth=3, random_state=7).fit(X, y)
    twin = extract_rules(ensemble, X, y, **parts)
    ruleset = rulekit.build("rcprob", ensemble, **parts).fit(X, y).ruleset_
    assert [rule.counts for rule in twin] == ruleset.counts.tolist()
    np.testing.assert_allclose(ruleset.probabilities, [rule.probabilities for rule in twin], rtol=0, atol=1e-12)
