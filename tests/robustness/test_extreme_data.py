"""Extreme but legal data and ensembles: the rules are those of the slow twin, and every answer is a probability."""

from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import numpy as np
import pytest
from reference import extract_rules
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.core.errors import ClassWithoutRuleWarning, FewRulesWarning, LowFidelityWarning

pytestmark = [
    pytest.mark.usefixtures("engine"),
    # A search that finds nothing, or too little, says so; what it returns must hold all the same.
    *(
        pytest.mark.filterwarnings(f"ignore::{warning.__module__}.{warning.__name__}")
        for warning in (ClassWithoutRuleWarning, FewRulesWarning, LowFidelityWarning)
    ),
]

LARGEST_SINGLE = float(np.finfo(np.float32).max)
DENORMAL = float(np.finfo(np.float64).smallest_subnormal)
SINGLE_DENORMAL = float(np.finfo(np.float32).smallest_subnormal)


@attrs.frozen(eq=False)
class Case:
    """Samples, labels and an ensemble fitted on them."""

    X: np.ndarray
    y: np.ndarray
    ensemble: Any


def noisy(n_samples: int = 60, n_features: int = 3, n_classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    y = np.where(rng.random(n_samples) < 0.8, (X[:, 0] > 0).astype(int), rng.integers(0, n_classes, n_samples))
    y[:n_classes] = np.arange(n_classes)
    return X, y


def forest(n_trees: int = 6, depth: int | None = 3, **parameters: Any) -> RandomForestClassifier:
    return RandomForestClassifier(n_trees, max_depth=depth, random_state=0, **parameters)


def fitted(X: np.ndarray, y: np.ndarray, ensemble: Any) -> Case:
    return Case(X, y, ensemble.fit(X, y))


def scaled(factor: float) -> Case:
    X, y = noisy()
    return fitted(X * factor, y, forest())


def one_sample_per_class() -> Case:
    X = np.random.default_rng(0).normal(size=(7, 2))
    return fitted(X, np.arange(7), forest(bootstrap=False))


def two_samples() -> Case:
    return fitted(np.array([[0.0], [1.0]]), np.array([0, 1]), forest(bootstrap=False))


def duplicate_columns() -> Case:
    X, y = noisy()
    return fitted(np.hstack([X, X, X]), y, forest())


def constant_columns() -> Case:
    X, y = noisy()
    X[:, 1], X[:, 2] = 0.0, -7.5
    return fitted(X, y, forest())


def nothing_but_constants() -> Case:
    return fitted(np.ones((20, 3)), np.arange(20) % 2, forest())


def thresholds_on_values() -> Case:
    """Extra trees and doubled values put thresholds exactly where samples are, or one rounding beside."""
    X, y = noisy()
    case = fitted(np.round(X), y, forest())
    for member in case.ensemble.estimators_:
        thresholds = member.tree_.threshold
        thresholds[member.tree_.feature >= 0] = np.round(thresholds[member.tree_.feature >= 0])
    return case


def values_around_a_rounding() -> Case:
    """Neighbours in double precision that are one value in single precision."""
    values = np.array([1.0, np.nextafter(1.0, 2), 1 + 2.0**-24, 1 + 2.0**-23, 1 + 2.0**-22, np.nextafter(1.0, 0)])
    X = np.tile(values, 10)[:, None]
    return fitted(X, (X[:, 0] > 1 + 2.0**-24).astype(int), forest())


def two_hundred_classes() -> Case:
    X, _ = noisy(400)
    y = np.arange(400) % 200
    X[:, 0] += y / 10
    return fitted(X, y, forest(2, 3))


def single_leaves() -> Case:
    X, y = noisy()
    return fitted(X, y, forest(min_samples_leaf=60))


def single_leaves_boosted() -> Case:
    X, y = noisy()
    return fitted(X, y, GradientBoostingClassifier(n_estimators=4, min_samples_leaf=60, random_state=0))


def deep() -> Case:
    """Random thresholds on long tails, for labels that follow from nothing."""
    X, y = np.exp(3 * noisy(150)[0]), np.random.default_rng(1).integers(0, 2, 150)
    case = fitted(X, y, ExtraTreesClassifier(2, max_depth=20, max_features=1, random_state=0))
    assert max(tree.get_depth() for tree in case.ensemble.estimators_) == 20
    return case


def opposite_duplicates() -> Case:
    """Every sample stands there twice, once with each label: nothing can be learnt."""
    X, _ = noisy(20)
    return fitted(np.vstack([X, X]), np.repeat([0, 1], 20), forest())


def one_rare_sample() -> Case:
    X, _ = noisy(150)
    return fitted(X, (np.arange(150) == 149).astype(int), forest(bootstrap=False))


CASES: dict[str, Callable[[], Case]] = {
    "two samples": two_samples,
    "one sample per class": one_sample_per_class,
    "one sample of the second class": one_rare_sample,
    "duplicate columns": duplicate_columns,
    "constant columns": constant_columns,
    "nothing but constants": nothing_but_constants,
    "each sample with both labels": opposite_duplicates,
    "thresholds equal to values": thresholds_on_values,
    "values around a rounding": values_around_a_rounding,
    "values near the largest of single precision": lambda: scaled(LARGEST_SINGLE / 1e3),
    "single-precision denormals": lambda: scaled(SINGLE_DENORMAL * 20),
    "values that vanish in single precision": lambda: scaled(DENORMAL * 1000),
    "200 classes": two_hundred_classes,
    "stumps": lambda: fitted(*noisy(), forest(20, 1)),
    "stumps, boosting": lambda: fitted(
        *noisy(), GradientBoostingClassifier(n_estimators=10, max_depth=1, random_state=0)
    ),
    "one tree": lambda: fitted(*noisy(), DecisionTreeClassifier(random_state=0)),
    "a forest of one tree": lambda: fitted(*noisy(), forest(1)),
    "random thresholds": lambda: fitted(*noisy(), ExtraTreesClassifier(5, max_depth=3, random_state=0)),
    "single leaves": single_leaves,
    "single leaves, boosting": single_leaves_boosted,
    "depth 20": deep,
}


@cache
def case_of(name: str) -> Case:
    """No test may change it."""
    return CASES[name]()


@cache
def twin_of(name: str, method: str) -> Any:
    """The twin takes most of the time, so that both engines are held against one run of it."""
    case = case_of(name)
    return extract_rules(case.ensemble, case.X, case.y, method=method)


def rules_of(ruleset: rulekit.RuleSet) -> list[tuple[Any, ...]]:
    return [
        (frozenset((each.feature_index, each.operator, each.threshold) for each in rule.conditions), rule.class_index)
        for rule in ruleset
    ]


def check_answers(model: rulekit.RuleExtractor, X: np.ndarray) -> None:
    """Probabilities are finite and sum to one, the class is the most probable one, an explanation says the same."""
    predicted = model.predict_proba(X)
    assert predicted.shape == (len(X), len(model.classes_))
    assert np.isfinite(predicted).all()
    assert (predicted >= 0).all()
    np.testing.assert_allclose(predicted.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert model.predict(X).tolist() == model.classes_[predicted.argmax(axis=1)].tolist()
    explanation = model.explain(X[:1])
    assert explanation.label == model.predict(X[:1]).tolist()[0]
    assert explanation.probabilities.tolist() == predicted[0].tolist()
    assert str(explanation)
    assert str(model.ruleset_)


def check_counts(ruleset: rulekit.RuleSet, X: np.ndarray, y: np.ndarray) -> None:
    """Every rule counts the samples that satisfy its conditions, one by one."""
    for rule in ruleset[:-1]:
        covered = np.ones(len(X), dtype=bool)
        for each in rule.conditions:
            column = X[:, each.feature_index]
            covered &= column <= each.threshold if each.operator == "<=" else column > each.threshold
        assert np.bincount(y[covered], minlength=len(ruleset.classes)).tolist() == rule.counts.tolist()


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize("name", CASES)
def test_rules_equal_those_of_the_twin_and_answers_are_probabilities_also_when_saved(name: str, method: str) -> None:
    case = case_of(name)
    model = rulekit.build(method, case.ensemble).fit(case.X, case.y)
    twin = twin_of(name, method)
    assert [(frozenset(map(tuple, rule.antecedent)), rule.class_index) for rule in twin] == rules_of(model.ruleset_)
    assert [rule.counts for rule in twin] == model.ruleset_.counts.tolist()
    np.testing.assert_allclose(model.ruleset_.probabilities, [rule.probabilities for rule in twin], rtol=0, atol=1e-12)
    check_answers(model, case.X)
    again = rulekit.RuleSet.from_dict(model.ruleset_.to_dict())
    assert again.predict_proba(case.X).tobytes() == model.ruleset_.predict_proba(case.X).tobytes()


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_ten_thousand_features(method: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 10_000)), np.arange(80) % 2
    model = rulekit.build(method, forest(4, 3)).fit(X, y)
    twin = extract_rules(model.ensemble_, X, y, method=method)
    assert [rule.counts for rule in twin] == model.ruleset_.counts.tolist()
    check_answers(model, X)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_values_that_the_ensemble_cannot_hold_are_rejected_without_a_warning(method: str) -> None:
    """scikit-learn's trees compare in single precision, where 1e300 is infinite."""
    X, y = noisy()
    with pytest.raises(ValueError, match=r"(?i)X contains .*(infinity|too large)"):
        rulekit.build(method, forest()).fit(X * 1e300, y)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_samples_beyond_single_precision_go_to_the_side_of_infinity(method: str) -> None:
    """The rules compare in double precision, so that a sample no tree would take still gets an answer."""
    X, y = noisy()
    model = rulekit.build(method, forest()).fit(X, y)
    huge = np.vstack([X * 1e300, X * DENORMAL])
    predicted = model.predict_proba(huge)
    assert np.isfinite(predicted).all()
    far = model.predict_proba(np.vstack([np.sign(X) * 1e30, np.zeros_like(X)]))
    assert predicted[:60].tolist() == far[:60].tolist()
    explanation = model.explain(huge[:1])
    assert (explanation.probabilities.tolist(), explanation.ensemble) == (predicted[0].tolist(), None)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_boosting_in_double_precision_takes_1e300(method: str) -> None:
    X, y = noisy(80)
    ensemble = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2, random_state=0)
    model = rulekit.build(method, ensemble).fit(X * 1e300, y)
    check_answers(model, X * 1e300)
    check_counts(model.ruleset_, X * 1e300, y)
    np.testing.assert_allclose(model.feature_scales_[0], 1e300 * X[:, 0].std(), rtol=1e-12)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
def test_boosting_with_a_tree_for_each_of_200_classes(method: str) -> None:
    """Too many rules for the twin."""
    X, y = noisy(400, 2)[0], np.arange(400) % 200
    ensemble = GradientBoostingClassifier(n_estimators=1, max_depth=1, random_state=0)
    model = rulekit.build(method, ensemble).fit(X, y)
    check_answers(model, X)
    check_counts(model.ruleset_, X, y)
