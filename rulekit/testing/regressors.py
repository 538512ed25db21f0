"""What regression methods promise: whole models with rules for a number, each a scikit-learn regressor."""

import json
from typing import Any

import attrs
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from rulekit.core.arrays import FloatArray
from rulekit.model import is_fitted
from rulekit.regression.regressor import RuleRegressor
from rulekit.regression.rules import RegressionRules
from rulekit.testing.comparison import Answer, expect_close
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, on_one_thread, shared_checks
from rulekit.testing.world import NAMES, locked, random_samples


@attrs.frozen(eq=False)
class NumberTable:
    """Samples with numbers to predict.

    Attributes
    ----------
    name : str
    X : DataFrame or ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """

    name: str
    X: Any
    y: FloatArray

    def read_only(self) -> "NumberTable":
        """The same samples in arrays that are read-only, as parallel workers get them."""
        return attrs.evolve(self, X=locked(np.asarray(self.X)), y=locked(self.y))


def number_tables() -> tuple[NumberTable, ...]:
    """Two tables, the second with numbers a million times as large."""
    return _table("small numbers", 0, 1.0), _table("large numbers", 1, 1e6)


@promise
def check_fit(regressor: Any) -> None:
    """`fit` returns the model itself and sets `ruleset_`, `path_` and `n_features_in_`."""
    for table in number_tables():
        own = _prepared(regressor)
        got = own.fit(table.X, table.y)
        expect(got is own, f"{table.name}: `fit` returns {got!r}.")
        lacking = [name for name in ("ruleset_", "path_", "n_features_in_") if not hasattr(own, name)]
        expect(not lacking, f"{table.name}: no {', '.join(lacking)}.")
        expect(isinstance(own.ruleset_, RegressionRules), f"{table.name}: `ruleset_` is {own.ruleset_!r}.")


@promise
def check_unfitted_ensemble(regressor: Any) -> None:
    """An unfitted ensemble stays unfitted: `fit` works on a clone of it."""
    for table in number_tables():
        own = _prepared(regressor).fit(table.X, table.y)
        expect(not is_fitted(own.ensemble), f"{table.name}: the ensemble that was passed is fitted now.")


@promise
def check_path(regressor: Any) -> None:
    """`path_` has rulesets of ascending length, from none to at most `max_rules` rules."""
    for table in number_tables():
        own = _prepared(regressor).fit(table.X, table.y)
        lengths = [step.n_rules for step in own.path_]
        got = f"{table.name}: lengths {lengths}."
        expect(lengths == sorted(set(lengths)) and lengths[0] == 0 and lengths[-1] <= own.max_rules, got)
        expect(lengths == [len(step.ruleset) - 1 for step in own.path_], got)


@promise
def check_predictions(regressor: Any) -> None:
    """`predict` returns finite numbers, those of `ruleset_`, which JSON keeps exactly, for each sample on its own."""
    for table in number_tables():
        own = _prepared(regressor).fit(table.X, table.y)
        predicted = own.predict(table.X)
        expect(predicted.shape == table.y.shape, f"{table.name}: predictions of shape {predicted.shape}.")
        expect(bool(np.isfinite(predicted).all()), f"{table.name}: predictions that are not finite.")
        expect_close(own.ruleset_.predict(table.X), predicted, f"{table.name}, the ruleset")
        again = RegressionRules.from_dict(json.loads(json.dumps(own.ruleset_.to_dict())))
        expect_close(again.predict(table.X), predicted, f"{table.name}, the ruleset from JSON", 0.0)
        alone = np.concatenate([own.predict(table.X.iloc[[row]]) for row in range(10)])
        expect_close(alone, predicted[:10], f"{table.name}, one sample at a time")


@promise
def check_intervals(regressor: Any) -> None:
    """`predict_interval` returns a lower and an upper end around each prediction, wider for a higher level."""
    for table in number_tables():
        own = _prepared(regressor, intervals="cross", n_folds=2).fit(table.X, table.y)
        predicted = own.predict(table.X)
        narrow, wide = (own.predict_interval(table.X, level=level) for level in (0.5, 0.9))
        is_around = (narrow[:, 0] <= predicted) & (predicted <= narrow[:, 1])
        expect(bool(is_around.all()), f"{table.name}: an interval beside its prediction.")
        is_wider = (wide[:, 0] <= narrow[:, 0]) & (narrow[:, 1] <= wide[:, 1])
        expect(bool(is_wider.all()), f"{table.name}: an interval for 90 % inside the one for 50 %.")


def _table(name: str, seed: int, unit: float) -> NumberTable:
    X, y = random_samples(np.random.default_rng(seed), 3, {}, gaps=0.0)
    return NumberTable(name, pd.DataFrame(X, columns=list(NAMES)), unit * (y + 0.1 * X[:, 0]))


def _prepared(regressor: Any, **parameters: Any) -> Any:
    """A fresh copy with a small forest, without refits unless they are asked for."""
    small = RandomForestRegressor(4, max_depth=3, random_state=0)
    quick = {"ensemble": small, "choose": "all", "intervals": None, **parameters}
    return fresh(regressor).set_params(**quick)


def _answer(regressor: Any, table: Any) -> Answer:
    small = RandomForestRegressor(4, max_depth=3, random_state=0)
    own = regressor.set_params(ensemble=small, choose="all", intervals=None)
    return _recall(own.fit(table.X, table.y), table)


def _recall(regressor: Any, table: Any) -> Answer:
    return {"rules": regressor.ruleset_.to_dict(), "numbers": regressor.predict(table.X)}


USAGE = Usage(number_tables, _answer, _recall)
CHECKS = (
    *shared_checks(USAGE),
    bind(check_inputs_are_not_written_to, USAGE),
    check_fit,
    check_unfitted_ensemble,
    check_path,
    check_predictions,
    check_intervals,
)
SEAM = Seam(kind="regressor", interface=RuleRegressor, checks=tuple(on_one_thread(check) for check in CHECKS))
