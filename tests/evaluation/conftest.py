"""Rulesets to measure: the published case study, and one without rules."""

from collections.abc import Callable
from functools import cache

import pandas as pd
import pytest
from ruleset.handmade import handmade
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

import rulekit

Published = Callable[[str], tuple[rulekit.RuleSet, pd.DataFrame, pd.Series]]


@pytest.fixture(scope="session")
def published(load: Callable[[str], tuple[pd.DataFrame, pd.Series]]) -> Published:
    """Gives the rules of a method, and the held-out samples and labels."""
    X, y = load("cryotherapy")
    train, test = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=42).split(X, y))[1]
    ensemble = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=42)

    @cache
    def extracted(method: str) -> tuple[rulekit.RuleSet, pd.DataFrame, pd.Series]:
        model = rulekit.build(method, ensemble, confidence=0.1).fit(X.iloc[train], y.iloc[train])
        return model.ruleset_, X.iloc[test], y.iloc[test]

    return extracted


@pytest.fixture
def default_only() -> rulekit.RuleSet:
    """A ruleset with no rule but the default."""
    document = handmade().to_dict()
    return rulekit.RuleSet.from_dict(document | {"rules": document["rules"][-1:]})
