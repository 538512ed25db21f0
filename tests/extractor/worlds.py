"""Data, a forest, and what its rules speak of."""

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    RandomForestClassifier,
)

from rulekit.ruleset import RuleSet

PRESETS = ["rc+", "rcprob", "rclist"]
NAMES = ["age", "Time of day", "größe", "x <= 1"]

Data = tuple[pd.DataFrame, pd.Series]


def noisy(n_samples: int = 240, seed: int = 0) -> Data:
    """Two classes that no tree of depth 3 separates entirely, so a search uses every tree."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_samples, 4))
    y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * generator.normal(size=n_samples) > 0).astype(int)
    return pd.DataFrame(X, columns=NAMES), pd.Series(y)


def small_forest(n_estimators: int = 5) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators, max_depth=3, random_state=0)


def conditions_of(ruleset: RuleSet) -> set[str]:
    return {condition.feature for rule in ruleset for condition in rule.conditions}
