"""What methods promise: whole extractors, each a scikit-learn classifier."""

import re
import warnings
from collections.abc import Callable
from typing import Any, Final

import attrs
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rulekit.core.errors import BudgetWarning, LowFidelityWarning
from rulekit.model import is_fitted
from rulekit.ruleset import RuleSet
from rulekit.testing.comparison import Answer, expect_close, expect_distributions
from rulekit.testing.conformance import Broken, expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh, seeded
from rulekit.testing.method_runs import ensemble_of, fitted, fitted_ensemble, prepared
from rulekit.testing.seam import Seam, bind, on_one_thread, shared_checks
from rulekit.testing.tables import Table, numeric_tables

MOST_RULES = 4


@promise
def check_takes_an_ensemble(method: Any) -> None:
    """`ensemble` is a parameter, which `set_params` sets and `get_params` and `clone` keep."""
    ensemble = ensemble_of(method)
    own = clone(method).set_params(ensemble=ensemble)
    expect(own.get_params(deep=False)["ensemble"] is ensemble, "an ensemble other than the one that was set.")
    got = type(clone(own).get_params(deep=False)["ensemble"])
    expect(got is type(ensemble), f"after `clone`, an ensemble of type {got.__name__}.")


@promise
def check_fit(method: Any) -> None:
    """`fit` returns the method itself and sets `ruleset_`, a `RuleSet`, `classes_` and `n_features_in_`."""
    for table in numeric_tables():
        own = prepared(method)
        got = own.fit(table.X, table.y)
        expect(got is own, f"{table.name}: `fit` returns {got!r}.")
        lacking = [name for name in ("ruleset_", "classes_", "n_features_in_") if not hasattr(own, name)]
        expect(not lacking, f"{table.name}: no {', '.join(lacking)}.")
        expect(isinstance(own.ruleset_, RuleSet), f"{table.name}: `ruleset_` is {own.ruleset_!r}.")


@promise
def check_unfitted_ensemble(method: Any) -> None:
    """An unfitted ensemble stays unfitted: `fit` works on a clone of it."""
    for table in numeric_tables():
        ensemble = ensemble_of(method)
        own = fitted(method, table, ensemble)
        expect(own.get_params(deep=False)["ensemble"] is ensemble, f"{table.name}: `ensemble` was replaced.")
        expect(not is_fitted(ensemble), f"{table.name}: the ensemble that was passed is fitted now.")


@promise
def check_fitted_ensemble(method: Any) -> None:
    """A fitted ensemble is used as it is: rules come from its trees, not from new ones, and it stays unchanged."""
    for table in numeric_tables():
        half = attrs.evolve(table, X=table.X[: len(table.y) // 2], y=table.y[: len(table.y) // 2])
        ensemble = fitted_ensemble(method, half)
        before, parameters = ensemble.predict_proba(table.X), repr(ensemble.get_params())
        rules = _rules(fitted(method, _as_fitted(table, ensemble), ensemble))
        expect_close(ensemble.predict_proba(table.X), before, f"{table.name}, the ensemble afterwards", 0.0)
        expect(repr(ensemble.get_params()) == parameters, f"{table.name}: the ensemble has other parameters now.")
        retrained = _rules(fitted(method, table))
        expect(rules != retrained, f"{table.name}: rules of a newly trained ensemble.")


@promise
def check_needs_ensemble(method: Any) -> None:
    """With `needs_ensemble = False`, rules without an ensemble are those of the one from `chosen_ensemble()`."""
    for table in numeric_tables() if not getattr(method, "needs_ensemble", True) else ():
        own = fresh(method).set_params(ensemble=None)
        own.fit(table.X, table.y)
        chosen = _rules(fitted(method, table, seeded(fresh(method).set_params(ensemble=None).chosen_ensemble())))
        expect(_rules(own) == chosen, f"{table.name}: other rules than those of `chosen_ensemble()`.")


@promise
def check_size(method: Any) -> None:
    """With the parameters of `size_parameters(4)`, if there are any, `fit` makes at most four rules."""
    parameters = getattr(method, "size_parameters", lambda _: None)(MOST_RULES)
    # A tree that is passed has a size of its own.
    own = {} if getattr(method, "needs_ensemble", True) else {"ensemble": None}
    if parameters is None:
        return
    for table in numeric_tables():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BudgetWarning)  # says that it drops rules
            n_rules = len(fitted(clone(method).set_params(**own, **parameters), table).ruleset_)
        expect(n_rules <= MOST_RULES, f"{table.name}: {n_rules} rules with {parameters}.")


@promise
def check_labels(method: Any) -> None:
    """`classes_` are the sorted labels, strings or numbers; `predict` returns the most probable one."""
    for table in numeric_tables():
        own = fitted(method, table)
        got = np.asarray(own.classes_).tolist()
        expect(got == table.labels.tolist(), f"{table.name}: `classes_` are {got} instead of {table.labels.tolist()}.")
        predicted = np.asarray(own.predict(table.X))
        expected = np.asarray(own.classes_)[own.predict_proba(table.X).argmax(axis=1)]
        wrong = np.flatnonzero(predicted != expected)[:1].tolist()
        expect(not wrong, f"{table.name}: sample {wrong} is predicted as another class than its most probable one.")


@promise
def check_probabilities(method: Any) -> None:
    """`predict_proba` returns a class distribution for every sample."""
    for table in numeric_tables():
        expect_distributions(
            fitted(method, table).predict_proba(table.X), (len(table.y), len(table.labels)), table.name
        )


@promise
def check_ruleset_predicts_the_same(method: Any) -> None:
    """`ruleset_.predict_proba` returns the same probabilities as the method's `predict_proba`."""
    for table in numeric_tables():
        own = fitted(method, table)
        expect_close(own.ruleset_.predict_proba(table.X), own.predict_proba(table.X), f"{table.name}, the ruleset")


@promise
def check_column_names(method: Any) -> None:
    """The rules use the column names of a data frame."""
    for table in numeric_tables():
        names, ruleset = list(table.X.columns), fitted(method, table).ruleset_
        got = list(ruleset.feature_names)
        expect(got == names, f"{table.name}: `ruleset_.feature_names` are {got} instead of {names}.")
        conditions = [condition for rule in ruleset for condition in rule.conditions]
        wrong = [condition for condition in conditions if names[condition.feature_index] != condition.feature]
        expect(not wrong, f"{table.name}: the condition {wrong and str(wrong[0])!r}.")


@promise
def check_table_is_not_changed(method: Any) -> None:
    """`fit` and `predict_proba` do not change a data frame."""
    for table in numeric_tables():
        before = table.X.copy()
        fitted(method, table).predict_proba(table.X)
        expect(table.X.equals(before), f"{table.name}: another table.")


@promise
def check_samples_are_predicted_independently(method: Any) -> None:
    """A sample's probabilities do not depend on the other samples in the same call."""
    for table in numeric_tables():
        own = fitted(method, table)
        alone = np.vstack([own.predict_proba(table.X.iloc[[row]]) for row in range(10)])
        expect_close(alone, own.predict_proba(table.X)[:10], f"{table.name}, one sample at a time")


@promise
def check_invalid_training_data(method: Any) -> None:
    """`fit` raises a `ValueError` for infinite values, for a single class, and if `X` and `y` differ in length."""
    table = numeric_tables()[0]
    infinite = table.X.copy()
    infinite.iloc[0, 0] = np.inf
    _expect_error("an infinite value", lambda: prepared(method).fit(infinite, table.y))
    _expect_error("a single class", lambda: prepared(method).fit(table.X, np.full(len(table.y), "well")))
    _expect_error("one label too few", lambda: prepared(method).fit(table.X, table.y[1:]))


@promise
def check_other_columns(method: Any) -> None:
    """A missing column that rules test raises a `ValueError` in `predict_proba`; so do others in a fitted ensemble."""
    table = numeric_tables()[0]
    own, fewer = fitted(method, table), table.X.iloc[:, 1:]
    ensemble = fitted_ensemble(method, attrs.evolve(table, X=fewer))
    tested = [table.X.columns[feature] for feature in own.ruleset_.used_features]
    if tested:
        renamed = table.X.rename(columns={tested[0]: "another"})
        _expect_error("one column too few", lambda: own.predict_proba(table.X.drop(columns=tested[0])))
        _expect_error("a renamed column", lambda: own.predict_proba(renamed))
    _expect_error("an ensemble with fewer columns", lambda: prepared(method, ensemble).fit(table.X, table.y))


@promise
def check_not_fitted(method: Any) -> None:
    """`predict_proba` and `predict` before `fit` raise scikit-learn's `NotFittedError`."""
    table = numeric_tables()[0]
    _expect_error("`predict_proba`", lambda: prepared(method).predict_proba(table.X), NotFittedError)
    _expect_error("`predict`", lambda: prepared(method).predict(table.X), NotFittedError)


#: What scikit-learn's checks ask of weights, and an ensemble inside a method cannot promise.
OF_ENSEMBLES: Final = {
    "check_sample_weight_equivalence_on_dense_data": "bootstrap samples and folds are drawn whatever samples weigh",
    "check_class_weight_classifiers": "sets min_weight_fraction_leaf, which a method's ensemble has and not the method",
}


@promise
def check_scikit_learn(method: Any) -> None:
    """The method passes scikit-learn's own `check_estimator`."""
    from sklearn.utils.estimator_checks import check_estimator  # which loads pytest, where that is installed

    try:
        with warnings.catch_warnings():
            # Some tables have random labels: good rules differ from an ensemble that has learnt these.
            warnings.simplefilter("ignore", LowFidelityWarning)
            check_estimator(prepared(method), on_skip=None, expected_failed_checks=dict(OF_ENSEMBLES))
    except Exception as error:
        raise Broken(f"{_scikit_learn_check(error)}{type(error).__name__}: {error}") from error


def _scikit_learn_check(error: Exception) -> str:
    """Which of scikit-learn's checks raised."""
    frame, names = error.__traceback__, []
    while frame is not None:
        names.append(frame.tb_frame.f_code.co_name)
        frame = frame.tb_next
    found = [name for name in names if re.fullmatch("check_.*", name) and name != "check_estimator"]
    return f"in {found[1] if len(found) > 1 else found[0]}: " if found else ""


def _expect_error(what: str, act: Callable[[], Any], error: type[Exception] = ValueError) -> None:
    try:
        act()
    except error:
        return
    except Exception as other:
        expect(False, f"{what}: {type(other).__name__}: {other}.")
    expect(False, f"{what}: no error.")


def _rules(method: Any) -> list[Any]:
    return method.ruleset_.to_dict()["rules"]


def _as_fitted(table: Table, ensemble: Any) -> Table:
    """The table with the labels that the ensemble was fitted on: class indices if it takes integers only."""
    if np.asarray(ensemble.classes_).tolist() == table.labels.tolist():
        return table
    return attrs.evolve(table, y=np.searchsorted(table.labels, table.y))


def _answer(method: Any, table: Table) -> Answer:
    return _recall(method.set_params(ensemble=ensemble_of(method)).fit(table.X, table.y), table)


def _recall(method: Any, table: Table) -> Answer:
    return {"rules": method.ruleset_, "probabilities": method.predict_proba(table.X)}


USAGE = Usage(numeric_tables, _answer, _recall)
CHECKS = (
    *shared_checks(USAGE),
    bind(check_inputs_are_not_written_to, USAGE),
    check_takes_an_ensemble,
    check_fit,
    check_unfitted_ensemble,
    check_fitted_ensemble,
    check_needs_ensemble,
    check_size,
    check_labels,
    check_probabilities,
    check_ruleset_predicts_the_same,
    check_column_names,
    check_table_is_not_changed,
    check_samples_are_predicted_independently,
    check_invalid_training_data,
    check_other_columns,
    check_not_fitted,
    check_scikit_learn,
)
SEAM = Seam(kind="method", interface=object, checks=tuple(on_one_thread(check) for check in CHECKS))
