"""Models that adapters are checked on: small ones of every ensemble that the adapter accepts."""

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import attrs
from sklearn.base import clone

from rulekit.core.arrays import FloatArray
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter
from rulekit.model import fitted_clone
from rulekit.plugin.manager import plugins
from rulekit.plugin.registry import Component
from rulekit.testing.conformance import expect
from rulekit.testing.forests import expect_trees
from rulekit.testing.tables import Table, numeric_tables

FEW_TREES = 4
#: Enough trees that each sample is out of bag for some of them.
MANY_TREES = 30


@attrs.frozen(eq=False)
class FittedModel:
    """A model, fitted on a table.

    Attributes
    ----------
    model : fitted classifier
    table : Table
    """

    model: Any
    table: Table

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{type(self.model).__name__}, {self.table.name}"

    def own(self) -> "FittedModel":
        """A copy that an adapter may modify."""
        return attrs.evolve(self, model=copy.deepcopy(self.model))

    def read_by(self, adapter: Adapter) -> Forest:
        """The model's forest; raise unless its trees are valid."""
        forest = adapter.with_categories_of(self.model, self.table.X).forest(self.model)
        expect_trees(forest, self.name)
        return forest

    def probabilities(self, X: Any) -> FloatArray:
        """The model's own predicted probabilities, of shape (n_samples, n_classes)."""
        return self.model.predict_proba(X)


@attrs.frozen(eq=False, slots=False)
class Models:
    """The models that an adapter is checked on.

    Attributes
    ----------
    adapter : Adapter
    given : sequence of unfitted classifiers
        In addition to the registered ensembles.
    """

    adapter: Adapter
    given: Sequence[Any] = ()

    @cached_property
    def unfitted(self) -> list[Any]:
        """Every model that the adapter accepts."""
        ensembles = (small_ensemble(component) for component in plugins().registry.of_kind("ensemble"))
        found = [model for model in (*self.given, *ensembles) if model is not None and self.adapter.accepts(model)]
        expect(
            found,
            "no model to check it on: it accepts neither the models passed as `models` nor any registered ensemble. "
            "Pass an unfitted one: models=[…].",
        )
        return found

    @cached_property
    def _on_numbers(self) -> list[FittedModel]:
        errors: list[str] = []
        found = list(self.on([table.as_array() for table in numeric_tables()], errors))
        expect(found, f"no model could be fitted: {'; '.join(errors)}.")
        return found

    def fitted(self) -> Iterator[FittedModel]:
        """Each model on each numeric table that it can be fitted on; copies that may be modified."""
        yield from (fitted.own() for fitted in self._on_numbers)

    def out_of_bag(self, tables: Sequence[Table]) -> Iterator[FittedModel]:
        """Each model with out-of-bag probabilities of its own, on each of the tables, with enough trees for them."""
        wanted = {"oob_score": True, "bootstrap": True, "n_estimators": MANY_TREES}
        for model in self.unfitted:
            known: dict[str, Any] = getattr(model, "get_params", dict)()
            if "oob_score" in known:
                asked = clone(model).set_params(**{name: value for name, value in wanted.items() if name in known})
                yield from self.on(tables, only=[asked])

    def on(
        self, tables: Sequence[Table], errors: list[str] | None = None, only: Sequence[Any] | None = None
    ) -> Iterator[FittedModel]:
        """Each model on each of the tables that it can be fitted on; the errors of the others go to `errors`.

        A library may not support missing values, strings, or more than two classes.
        """
        for model in self.unfitted if only is None else only:
            for table in tables:
                try:
                    fitted = fitted_clone(model, self.adapter, table.X, table.y)
                except Exception as error:
                    if errors is not None:
                        errors.append(f"{type(model).__name__}, {table.name}: {type(error).__name__}: {error}")
                    continue
                yield FittedModel(fitted, table)


def small_ensemble(component: Component) -> Any:
    """A registered ensemble of few trees, None if its library is not installed."""
    sizes = {"n_estimators": FEW_TREES, "max_iter": FEW_TREES, "random_state": 0}
    make: Callable[..., Any] = component.factory  # type: ignore[assignment]
    try:
        model = make(**{name: size for name, size in sizes.items() if name in component.parameters})
    except ImportError:
        return None
    # On such small tables, starting a library's threads takes longer than it saves.
    return model.set_params(n_jobs=1) if "n_jobs" in getattr(model, "get_params", dict)() else model
