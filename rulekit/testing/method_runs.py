"""Running methods: with a small ensemble, fitted or not, on a table."""

import copy
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from rulekit.model import find_adapter, fitted_clone, without_steps
from rulekit.plugin.manager import plugins
from rulekit.testing.adapter_models import FEW_TREES, small_ensemble
from rulekit.testing.conformance import expect
from rulekit.testing.every_component import fresh, seeded
from rulekit.testing.tables import Table


def ensemble_of(method: Any) -> Any:
    """An unfitted ensemble for a method: its own, a small one if it is a name, a small random forest if it is None.

    A method that needs no ensemble gets the tree that it would grow.
    """
    parameters = method.get_params(deep=False)
    expect("ensemble" in parameters, f"the parameters {', '.join(parameters) or '(none)'}.")
    given = parameters["ensemble"]
    if given is None and not getattr(method, "needs_ensemble", True):
        return seeded(method.chosen_ensemble())
    if given is None:
        return RandomForestClassifier(FEW_TREES, max_depth=3, random_state=0)
    if isinstance(given, str):
        return small_ensemble(plugins().registry.get("ensemble", given))
    model = given.estimator if isinstance(given, FrozenEstimator) else given
    return seeded(clone(model)) if isinstance(model, BaseEstimator) else copy.deepcopy(model)


def prepared(method: Any, ensemble: Any = None) -> Any:
    """A fresh copy of a method with this ensemble, by default an unfitted one."""
    return fresh(method).set_params(ensemble=ensemble_of(method) if ensemble is None else ensemble)


def fitted_ensemble(method: Any, table: Table) -> Any:
    """The method's ensemble, fitted on a table."""
    ensemble = ensemble_of(method)
    return fitted_clone(ensemble, find_adapter(without_steps(ensemble)[1]), table.X, table.y)


def fitted(method: Any, table: Table, ensemble: Any = None) -> Any:
    """A fresh copy of a method, fitted on a table; the ensemble is unfitted unless one is given."""
    own = prepared(method, ensemble)
    own.fit(table.X, table.y)
    return own
