"""The two methods for regression: rules that add up, and a list of which the first that matches answers."""

from typing import Any

import numpy as np

from rulekit.core.checks import check_number, check_whole_number
from rulekit.core.interfaces import Adapter
from rulekit.regression.additive import forward_selection
from rulekit.regression.data import RegressionData
from rulekit.regression.listing import Prices, found_lists
from rulekit.regression.regressor import Choice, Intervals, RuleRegressor
from rulekit.regression.rules import RegressionRules

#: Samples with the overall error that are added to those of each rule to learn its scale.
SCALE_WEIGHT = 10.0


class AdditiveRegressor(RuleRegressor):
    """Rules that add up: a prediction is an intercept and the weights of all rules that match.

    The candidates are the nodes of all trees. They are chosen one by one, each time the one that explains most of what
    the others leave of the mean of target and ensemble, and all weights are learnt again after each.

    Parameters
    ----------
    ensemble, max_rules, choose, intervals, n_folds, adapter, n_jobs, random_state
        See `RuleRegressor`.
    penalty : float, default=5.0
        Of squared weights, as in ridge regression; the intercept has none.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import rulekit
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("additive", max_rules=4, choose="all", intervals=None, random_state=0).fit(X, y)
    >>> [rule.antecedent for rule in model.ruleset_][-1], len(model.ruleset_)
    ('', 5)
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_rules: int = 16,
        choose: Choice = "cross-validation",
        penalty: float = 5.0,
        intervals: Intervals | None = "cross",
        n_folds: int = 5,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            ensemble,
            max_rules=max_rules,
            choose=choose,
            intervals=intervals,
            n_folds=n_folds,
            adapter=adapter,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.penalty = penalty

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_number(self, "penalty", 0, above=True)

    def found(self, data: RegressionData) -> list[RegressionRules]:
        """Rulesets of ascending length."""
        return [
            RegressionRules.of(
                data,
                fitted.rules,
                np.append(fitted.weights, fitted.intercept),
                fitted.left_out,
                "sum",
                SCALE_WEIGHT,
            )
            for fitted in forward_selection(data.pool, data.target, int(self.max_rules), self.penalty)
        ]


class ListRegressor(RuleRegressor):
    """An ordered list: the first rule that matches predicts the mean of what it answers.

    The search inserts, deletes and replaces rules for the least leave-one-out error of the mean of target and ensemble.
    A rule predicts the mean target of the samples that it answers, drawn towards the mean prediction of the ensemble
    for them.

    Parameters
    ----------
    ensemble, max_rules, choose, intervals, n_folds, adapter, n_jobs, random_state
        See `RuleRegressor`.
    min_answered : int, default=10
        Fewest samples that a rule answers when it is inserted.
    strength : float, default=50.0
        Samples by which a rule's mean target is drawn towards the ensemble's mean prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import rulekit
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("list", max_rules=4, choose="all", intervals=None, random_state=0).fit(X, y)
    >>> model.ruleset_.combination, len(model.ruleset_)
    ('first', 5)
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_rules: int = 16,
        choose: Choice = "cross-validation",
        min_answered: int = 10,
        strength: float = 50.0,
        intervals: Intervals | None = "cross",
        n_folds: int = 5,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            ensemble,
            max_rules=max_rules,
            choose=choose,
            intervals=intervals,
            n_folds=n_folds,
            adapter=adapter,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.min_answered = min_answered
        self.strength = strength

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_whole_number(self, "min_answered", 1)
        check_number(self, "strength", 0)

    def found(self, data: RegressionData) -> list[RegressionRules]:
        """Rulesets of ascending length."""
        prices = Prices(min_answered=int(self.min_answered))
        lists = found_lists(data.pool, data.target, int(self.max_rules), prices)
        return [self._ruleset(data, rules) for rules in lists]

    def _ruleset(self, data: RegressionData, rules: tuple[int, ...]) -> RegressionRules:
        answering = np.full(len(data.y), len(rules))
        for position in range(len(rules) - 1, -1, -1):
            answering[data.pool.covers(rules[position])] = position
        sizes, sums, priors = (
            np.bincount(answering, weights, minlength=len(rules) + 1) for weights in (None, data.y, data.predicted)
        )
        # A part without samples predicts the overall mean.
        ensemble = np.where(sizes > 0, priors / np.maximum(sizes, 1), data.y.mean())
        weights = sizes + self.strength
        values = np.where(weights > 0, (sums + self.strength * ensemble) / np.maximum(weights, 1e-300), data.y.mean())
        # Without its own sample, a rule has one less behind it.
        others = weights[answering] - 1
        left_out = ((sums + self.strength * ensemble)[answering] - data.y) / np.maximum(others, 1e-300)
        left_out = np.where(others > 0, left_out, data.y.mean())
        return RegressionRules.of(data, rules, values, left_out, "first", SCALE_WEIGHT)
