"""One configuration of a library: a plain value, and the script that fits its model."""

import re
import sys
from typing import Any

import attrs

from rulekit.testing.fuzz.table import Table

#: What the lines of a configuration may use besides the model's own library.
IMPORTS = ("import pickle", "import numpy as np", "import pandas as pd")


@attrs.frozen
class Configuration:
    """What one model is fitted on, how, and what it is asked: drawn from a seed and a number alone.

    Attributes
    ----------
    model : type
        The class of the model.
    parameters : tuple of (str, value)
        Its parameters; the values' `repr` must be valid Python.
    X : Table
        Training samples.
    y : tuple
        Their labels.
    labels : str
        The expression that makes the labels an array, with `{}` where their list belongs.
    orders : tuple of (str, tuple)
        Categories of columns of `X` in another order, which they have when rulekit reads the model.
    fit : str
        The line that fits `model` on `X` and `y`; empty if rulekit fits the model.
    then : str
        What happens to the fitted model, such as saving and loading it; empty for nothing.
    asked : tuple of (str, Table)
        Tables to predict, by name, besides the training samples.
    adapter : tuple of (str, value)
        Parameters of the adapter.
    imports : tuple of str
        Lines that import what the other lines use.
    asks_thresholds : bool
        Whether samples at the thresholds of the trees are predicted too.
    """

    model: type
    parameters: tuple[tuple[str, Any], ...]
    X: Table
    y: tuple[Any, ...]
    labels: str = "np.array({})"
    orders: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    fit: str = "model.fit(X, y)"
    then: str = ""
    asked: tuple[tuple[str, Table], ...] = ()
    adapter: tuple[tuple[str, Any], ...] = ()
    imports: tuple[str, ...] = ()
    asks_thresholds: bool = True

    @property
    def data_lines(self) -> list[str]:
        """The lines that make the training data."""
        return [f"X = {self.X.code}", f"y = {self.labels.format(list(self.y))}"]

    @property
    def model_lines(self) -> list[str]:
        """The lines that make the model from the training data."""
        called = ", ".join(f"{name}={value!r}" for name, value in self.parameters)
        fitted = self.fit.format(codes=self.X.positions("codes"))
        return [line for line in (f"model = {self.model.__name__}({called})", fitted, self.then) if line]

    @property
    def reading_lines(self) -> list[str]:
        """The lines that bring the training samples into the form that rulekit gets."""
        names = [column.name for column in self.X.columns]
        orders = [(name, list(order)) for name, order in self.orders if name in names]
        return [f"X[{name!r}] = X[{name!r}].cat.set_categories({order!r})" for name, order in orders]

    def namespace(self) -> dict[str, Any]:
        """What the lines may use, by name."""
        names: dict[str, Any] = {self.model.__name__: self.model}
        exec("\n".join((*IMPORTS, *self.imports)), names)
        return names

    def script(self, adapter: Any) -> str:
        """A program of its own that shows the failure: fewer than 20 lines, with what it imports."""
        name, values = type(adapter).__name__, _changed(adapter) | dict(self.adapter)
        called = ", ".join(f"{parameter}={value!r}" for parameter, value in values.items())
        asked = [f"asked = {table.code}" for _, table in self.asked[:1]]
        compare = f"check_agreement({name}({called}), model, X, y{', asked' if asked else ''})"
        body = "\n".join((*self.data_lines, *self.model_lines, *self.reading_lines, *asked, compare))
        imports = [
            *(line for line in (*IMPORTS, *self.imports) if _is_used(line, body)),
            *sorted(_import(kind) for kind in (self.model, type(adapter))),
            "from rulekit.testing import check_agreement",
        ]
        return "\n".join((*imports, "", body, ""))


def _changed(adapter: Any) -> dict[str, Any]:
    """The parameters of an adapter that differ from its defaults."""
    defaults = type(adapter)().get_params()
    return {name: value for name, value in adapter.get_params().items() if repr(value) != repr(defaults[name])}


def _is_used(line: str, body: str) -> bool:
    name = line.split()[-1]
    return re.search(rf"\b{name}\b", body) is not None


def _import(kind: type) -> str:
    """The line that imports a class, from the package where its library offers it."""
    parts = kind.__module__.split(".")
    packages = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    offering = (package for package in packages if getattr(sys.modules.get(package), kind.__name__, None) is kind)
    return f"from {next(offering, kind.__module__)} import {kind.__name__}"
