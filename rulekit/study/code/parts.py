"""What the parts of a study are made of: a table of facts for each ensemble and each variant."""

import sys
import warnings
from collections import deque
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import attrs
from sklearn.base import BaseEstimator

from rulekit import __version__
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.plugin.registry import Component
from rulekit.study.code import packages
from rulekit.study.code.loose import UnknownCodeError, Walk, is_loose
from rulekit.study.code.packages import Contents
from rulekit.study.definition import Ensemble, Variant
from rulekit.study.errors import UnknownCodeWarning
from rulekit.study.grids import configurations
from rulekit.study.parts import make_ensemble, make_variant

#: Components that come with rulekit itself, whose code is known by that of rulekit.
OWN_ORIGIN = "rulekit-rcprob "
#: Libraries that every result depends on.
_LIBRARIES = ("numpy", "sklearn", "scipy")


@attrs.define
class Code:
    """Facts on code and versions; every package is read once.

    Attributes
    ----------
    unknown : dict of str to str
        What could not be read, and why: its facts differ each time, so that nothing stale is taken for it.
    """

    unknown: dict[str, str] = attrs.field(factory=dict, init=False)
    _contents: dict[str, Contents] = attrs.field(factory=dict, init=False)
    _by_name: dict[str, list[Any]] = attrs.field(init=False)

    @_by_name.default
    def _from_elsewhere(self) -> dict[str, list[Any]]:
        """The components that do not come with rulekit, of whatever kind, by their names."""
        found: dict[str, list[Any]] = {}
        for each in filter(_is_from_elsewhere, plugins().registry):
            found.setdefault(each.name, []).append(each.factory)
        return found

    def of_every_cell(self) -> dict[str, str]:
        """What all results depend on: rulekit, the libraries under it, and the measures that do not come with it."""
        measures = [each.factory for each in plugins().registry.of_kind("measure") if _is_from_elsewhere(each)]
        libraries = {name: number for each in _LIBRARIES for name, number in packages.version_of(each).items()}
        return {"rulekit": __version__, "code of rulekit": packages.own_digest(), **libraries, **self._facts(measures)}

    def of_ensemble(self, ensemble: Ensemble) -> dict[str, str]:
        """What an ensemble's code is: of its registered function, its library and its adapter."""
        factory = plugins().registry.get("ensemble", ensemble.ensemble).factory
        model = make_ensemble(ensemble, configurations(ensemble.grid)[0], seed=0)
        return self._facts([factory, model, *_adapters_of(model), *_given(ensemble)]) | _of_search(ensemble)

    def of_variant(self, variant: Variant) -> dict[str, str]:
        """What a variant's code is: of its method and of every part that it names or has by default."""
        factory = plugins().registry.get("method", variant.method).factory
        parts: list[Any] = [factory, *_given(variant), variant.calibration]
        own = _own_ensemble(variant)
        return self._facts([*parts, own, *_adapters_of(own)]) | _of_search(variant)

    def warn(self) -> None:
        """Say once what could not be read."""
        if self.unknown:
            found = "; ".join(f"{name}: {reason}" for name, reason in self.unknown.items())
            warnings.warn(
                f"The code of some parts cannot be read, so their cells run again every time ({found}).",
                UnknownCodeWarning,
                stacklevel=3,
            )

    def _facts(self, values: Iterable[Any]) -> dict[str, str]:
        """Facts on values, and on everything that their code imports or asks for by name."""
        facts: dict[str, str] = {}
        waiting, modules, seen = deque(values), set[str](), set[str]()
        followed: dict[int, Any] = {}
        while waiting or modules:
            while waiting:
                value = waiting.popleft()
                if id(value) not in followed:
                    followed[id(value)] = value  # kept, so that no other object gets its id
                    facts |= self._of_value(value, modules, waiting)
            found = {packages.home(module) for module in modules} - seen
            modules.clear()
            seen |= found
            for package in sorted(found):
                facts |= self._of_package(package, modules, waiting)
        return facts

    def _of_value(self, value: Any, modules: set[str], waiting: deque[Any]) -> dict[str, str]:
        if isinstance(value, str):
            waiting.extend(self._by_name.get(value, ()))
            return {}
        if isinstance(value, Preset):
            waiting.extend([value.base, *value.parameters.values()])
            return {f"preset {each.name}": repr(value) for each in plugins().registry if _is_other(each, value)}
        if isinstance(value, dict | list | tuple):
            waiting.extend(value.values() if isinstance(value, dict) else value)
            return {}
        if isinstance(value, BaseEstimator):
            waiting.extend(value.get_params(deep=False).values())
            value = type(value)
        return self._of_object(value, modules)

    def _of_object(self, value: Any, modules: set[str]) -> dict[str, str]:
        """Facts on a class or function; whatever is not of a module with files is followed by itself."""
        classes = value.__mro__ if isinstance(value, type) else [value]
        modules |= {_module(each) for each in classes if not is_loose(each)}
        if not any(map(is_loose, classes)):
            return {}
        name = f"code of {getattr(value, '__qualname__', repr(value))}"
        try:
            return {name: Walk(modules).digest(value)}
        except (UnknownCodeError, RecursionError) as error:
            return {name: self._not_known(name.removeprefix("code of "), str(error))}

    def _of_package(self, package: str, modules: set[str], waiting: deque[Any]) -> dict[str, str]:
        if package in sys.stdlib_module_names or package == packages.OWN or package == "__main__":
            return {}
        if packages.location(package) is None:
            return {package: "not installed"}
        if packages.is_installed(package):
            return packages.version_of(package)
        if package not in self._contents:
            self._contents[package] = packages.contents(package)
        found = self._contents[package]
        modules |= found.imports
        for name in found.strings & self._by_name.keys():
            waiting.extend(self._by_name[name])
        return {f"code of {package}": found.digest}

    def _not_known(self, name: str, reason: str) -> str:
        self.unknown[name] = reason
        return uuid4().hex


def _module(value: Any) -> str:
    return getattr(value, "__module__", None) or type(value).__module__


def _is_other(component: Component, preset: Preset) -> bool:
    return component.factory is preset and _is_from_elsewhere(component)


def _is_from_elsewhere(component: Component) -> bool:
    return not component.origin.startswith(OWN_ORIGIN)


def _given(owner: Ensemble | Variant) -> list[Any]:
    """Every value that a parameter may have."""
    return [*owner.parameters.values(), *(value for values in owner.grid.values() for value in values)]


def _of_search(owner: Ensemble | Variant) -> dict[str, str]:
    """The version of the library that suggests configurations."""
    return packages.version_of("optuna") if owner.search is not None and owner.search.kind == "optuna" else {}


def _own_ensemble(variant: Variant) -> Any:
    """The ensemble that a variant brings; None if it has none of its own."""
    model = make_variant(variant, configurations(variant.grid)[0], None, seed=0)
    ensemble = model.get_params(deep=False).get("ensemble") if hasattr(model, "get_params") else None
    return plugins().registry.create("ensemble", ensemble) if isinstance(ensemble, str) else ensemble


def _adapters_of(model: Any) -> list[Any]:
    """The adapters that do not come with rulekit and read this model."""
    found = (each.factory for each in plugins().registry.of_kind("adapter") if _is_from_elsewhere(each))
    return [factory for factory in found if isinstance(factory, type) and factory().accepts(model)]
