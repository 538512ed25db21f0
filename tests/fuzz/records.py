"""Fitting and predicting on records that are hard, or none: distributions, or a documented error."""

import random
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from documents import samples
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.errors import BudgetWarning, FewRulesWarning, ManyRulesWarning, RulekitError

VALUES = [0.0, -0.0, 1.0, 1e300, -1e300, 5e-324, 2**53 + 0.5, 3.4028234663852886e38, 1e-8]
WRONG = [float("nan"), float("inf"), -float("inf"), None, "text", 1j]


@cache
def ruleset(place: int) -> rulekit.RuleSet:
    return rulekit.RuleSet.from_dict(samples()[place])


def table(rng: random.Random, n_records: int, n_features: int, wrong: float) -> Any:
    """Records in some form, with values that computers find hard and, at that rate, no values at all."""
    kind = rng.choice(["normal", "few", "hard"])
    cells = [
        [
            rng.choice(WRONG)
            if rng.random() < wrong
            else rng.gauss(0, 1)
            if kind == "normal"
            else float(rng.randrange(3))
            if kind == "few"
            else rng.choice(VALUES)
            for _ in range(n_features)
        ]
        for _ in range(n_records)
    ]
    form = rng.randrange(4)
    if form == 0:
        return cells
    if form == 1:
        return pd.DataFrame(cells, columns=[f"x{place}" for place in range(n_features)] if cells else None)
    array = np.array(cells, dtype=object if wrong else float).reshape(n_records, n_features)
    return np.asfortranarray(array) if form == 2 else array


def predict(rng: random.Random) -> str:
    rules = ruleset(rng.randrange(2))
    X = table(rng, rng.choice([0, 1, 1, 2, 5]), rng.choice([3, 3, 3, 0, 1, 4]), rng.choice([0, 0, 0.1, 0.5]))
    try:
        answers = rules.predict_proba(X)
    except (RulekitError, ValueError, TypeError):
        return "refused"
    assert np.isfinite(answers).all()
    assert np.allclose(answers.sum(axis=1), 1.0)
    return "answered"


def fit(rng: random.Random) -> str:
    n_records = rng.choice([1, 2, 5, 20, 60])
    X = table(rng, n_records, rng.choice([1, 2, 4]), rng.choice([0, 0, 0, 0.05]))
    labels = rng.choice([[0, 1], ["a", "b", "c"], [True, False], [0.5, 1.5], [0], [None, 1], list(range(12))])
    y = [rng.choice(labels) for _ in range(n_records)]
    parameters = {
        "min_precision": rng.choice([0, 0.5, 0.9, 1]),
        "min_coverage": rng.choice([0, 0, 0.1, 1]),
        "max_candidates": rng.choice([None, 1, 10]),
        "max_rules": rng.choice([None, 1, 3]),
        "max_seconds": rng.choice([None, 0]),
        "rule_order": rng.choice(["support", "coverage", "precision"]),
        "inference": rng.choice(["decision-list", "aggregate"]),
    }
    seed = rng.randrange(100)
    ensemble = rng.choice(
        [
            RandomForestClassifier(3, max_depth=rng.choice([1, 3, None]), random_state=seed),
            ExtraTreesClassifier(3, max_depth=2, random_state=seed),
            GradientBoostingClassifier(n_estimators=3, random_state=seed),
        ]
    )
    with warnings.catch_warnings():
        for expected in (BudgetWarning, FewRulesWarning, ManyRulesWarning):
            warnings.simplefilter("ignore", expected)
        # The ensembles' own arithmetic warns of values such as 1e300, which are too large for single precision.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            model = rulekit.build(rng.choice(["rcprob", "rc+"]), ensemble, **parameters).fit(X, y)
        except (RulekitError, ValueError, TypeError):
            return "refused"
        answers = model.predict_proba(X)
    assert np.isfinite(answers).all()
    assert np.allclose(answers.sum(axis=1), 1.0)
    assert rulekit.RuleSet.from_dict(model.ruleset_.to_dict()) == model.ruleset_
    return "fitted"
