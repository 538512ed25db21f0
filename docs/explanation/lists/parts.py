"""What the study of lists compares beside registered parts: coded ensembles, and trees of equal size."""

from functools import lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import rulekit


def coded(model: Any) -> Pipeline:
    """A model on numbers alone: categories become codes, and missing numbers the median."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    numbers = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(
        make_column_transformer(
            (codes, make_column_selector(dtype_include="category")),
            (numbers, make_column_selector(dtype_include="number")),
        ),
        model,
    )


@rulekit.register("ensemble", "coded-rf")
def coded_forest(random_state: int | None = None) -> Pipeline:
    """A random forest of 100 trees of depth 5."""
    return coded(RandomForestClassifier(100, max_depth=5, random_state=random_state))


@rulekit.register("ensemble", "coded-gbm")
def coded_boosting(random_state: int | None = None) -> Pipeline:
    """Gradient boosting with 100 trees of depth 3."""
    return coded(GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=random_state))


class Task:
    """An extraction whose result is remembered: the two trees of one size ask for the same list."""

    def __init__(self, X: pd.DataFrame, y: np.ndarray, ensemble: Any, min_coverage: float) -> None:
        self.X, self.y, self.ensemble, self.min_coverage = X, y, ensemble, min_coverage
        rows = pd.util.hash_pandas_object(X, index=False)
        self.key = (int(rows.sum()), hash(y.tobytes()), repr(ensemble), min_coverage)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=4)
def n_rules(task: Task) -> int:
    """Number of rules of `rclist`, the default rule included."""
    model = rulekit.build("rclist", task.ensemble, min_coverage=task.min_coverage, random_state=0)
    return len(model.fit(task.X, task.y).ruleset_)


@rulekit.register("method", "tree-of-equal-size")
class TreeOfEqualSize(ClassifierMixin, BaseEstimator):
    """A tree with as many leaves as `rclist` has rules on the same samples and ensemble."""

    def __init__(self, ensemble: Any = None, method: str = "shrunk-tree", min_coverage: float = 0.0) -> None:
        self.ensemble = ensemble
        self.method = method
        self.min_coverage = min_coverage

    def fit(self, X: Any, y: Any) -> Self:
        """Extract the rules, then grow the tree."""
        # The baselines have two leaves at least.
        size = max(2, n_rules(Task(X, np.asarray(y), self.ensemble, self.min_coverage)))
        tree = rulekit.build(self.method, max_leaves=size, random_state=0).fit(X, y)
        self.tree_, self.ruleset_, self.classes_ = tree, tree.ruleset_, tree.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        """Probabilities that the leaves predict."""
        return self.tree_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        """The most probable class."""
        return self.tree_.predict(X)
