"""Adapters that read a library wrongly, each in one way that would give silent wrong answers."""

from typing import ClassVar

import attrs
import numpy as np

from rulekit.adapters.catboost import CatBoostAdapter
from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.adapters.sklearn_hist_gradient_boosting import SklearnHistGradientBoostingAdapter
from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.adapters.xgboost import XGBoostAdapter


class UnseenAsCode(LightGBMAdapter):
    """An unseen label is the code -1, below all others; LightGBM treats it as a missing value."""

    def forest(self, model):
        return attrs.evolve(super().forest(model), unknown_as_missing=False)


class UnsortedClasses(CatBoostAdapter):
    """The labels are sorted, and the scores are not: '9' and '10' are exchanged."""

    def forest(self, model):
        forest = super().forest(model)
        return attrs.evolve(forest, classes=np.sort(forest.classes))


class LabelsInOrderOfTable(XGBoostAdapter):
    """The codes are those of the table that is passed, whatever the order in training was."""

    def check_categories_of(self, model, table):
        pass

    def forest(self, model):
        return attrs.evolve(super().forest(model), categories={})


class MissingToTheRight(SklearnHistGradientBoostingAdapter):
    """Missing values go right everywhere."""

    def forest(self, model):
        return with_trees(super().forest(model), lambda tree: {"missing_left": np.zeros_like(tree.missing_left)})


class BelowThresholds(SklearnForestAdapter):
    """A value that equals a threshold goes right."""

    def forest(self, model):
        forest = super().forest(model)
        return with_trees(forest, lambda tree: {"thresholds": np.nextafter(tree.thresholds, -np.inf)})


class Raising(SklearnForestAdapter):
    """Raises what no page documents."""

    reads_categories: ClassVar[bool] = False

    def forest(self, model):
        return {}[model]


def with_trees(forest, changes):
    rounds = tuple(tuple(attrs.evolve(tree, **changes(tree)) for tree in trees) for trees in forest.rounds)
    return attrs.evolve(forest, rounds=rounds)
