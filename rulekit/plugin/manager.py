"""Finding plugins, registering their components, and notifying observers."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import attrs
import pluggy
from pluggy import PluginValidationError

from rulekit.core.errors import (
    BrokenPluginError,
    DuplicateComponentError,
    IncompatiblePluginError,
    RulekitError,
    UnknownComponentError,
)
from rulekit.plugin import hookspecs
from rulekit.plugin.hookspecs import PROJECT
from rulekit.plugin.preset import Preset
from rulekit.plugin.registry import Registry

ENTRY_POINT_GROUP = "rulekit"
BLOCK_VARIABLE = "RULEKIT_BLOCK_PLUGINS"
ONLY_VARIABLE = "RULEKIT_PLUGINS"


@attrs.frozen
class Registrar:
    """The registry as one plugin sees it: components that it adds are marked with its origin."""

    _registry: Registry
    _origin: str

    def add(self, kind: str, name: str, factory: Callable[..., Any] | Preset, *, replace: bool = False) -> None:
        """Register a component.

        Parameters
        ----------
        kind : str
            See `rulekit.list_components`.
        name : str
            The component's name.
        factory : class, function or Preset
            A class of the kind's interface; for an ensemble a function that returns an unfitted classifier; for a
            method a `Preset` or a function `(ensemble, **parameters)` that returns a classifier.
        replace : bool, default=False
            Replace a component of the same kind and name instead of raising.
        """
        self._registry.add(kind, name, factory, origin=self._origin, replace=replace)


class Plugins:
    """All plugins: the built-in one, those found through entry points, and those registered in code."""

    def __init__(self) -> None:
        self.registry = Registry()
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        #: Calls every plugin's implementation of a hook.
        self.hook: Any = self._manager.hook

    def register(self, plugin: object, *, name: str | None = None, origin: str = "code") -> None:
        """Register a plugin: an object or module with functions marked by `rulekit.hookimpl`."""
        called = name or repr(plugin)
        try:
            self._manager.register(plugin, name=name)
            self._manager.check_pending()
            if not self._manager.get_hookcallers(plugin):
                raise ValueError("it has no function marked with rulekit.hookimpl")
        except (PluginValidationError, ValueError) as error:
            self._forget(plugin)
            raise IncompatiblePluginError(
                f"Plugin {called!r} ({origin}) is not compatible with this version of rulekit: {error}. "
                f"{_without(called)}"
            ) from error
        try:
            self._register_components(plugin, Registrar(self.registry, origin))
        except Exception as error:
            self._forget(plugin)
            self.registry.drop(origin)
            if isinstance(error, RulekitError):
                raise type(error)(f"{error} Raised by plugin {called!r} ({origin}). {_without(called)}") from error
            raise BrokenPluginError(_broken(called, origin, "raised while registering", error)) from error

    def unregister(self, plugin: object) -> None:
        """Remove an observer; its components stay registered."""
        self._manager.unregister(plugin)

    def _forget(self, plugin: object) -> None:
        if self._manager.is_registered(plugin):
            self._manager.unregister(plugin)

    def _register_components(self, plugin: object, registrar: Registrar) -> None:
        """Call this plugin's registration hook, and no other's."""
        for implementation in self._manager.hook.rulekit_register.get_hookimpls():
            if implementation.plugin is plugin:
                implementation.function(*[registrar for _ in implementation.argnames])

    def load_entry_points(self) -> None:
        """Load installed plugins, except those excluded by the environment variables."""
        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=ENTRY_POINT_GROUP):
            if point.name in found:
                both = f"{_origin(found[point.name])} and {_origin(point)}"
                raise DuplicateComponentError(f"Two plugins are named {point.name!r}: {both}. Uninstall one of them.")
            found[point.name] = point
        only, blocked = _names(ONLY_VARIABLE), _names(BLOCK_VARIABLE) or set()
        unknown = sorted((only or set()) - found.keys())
        if unknown:
            known = ", ".join(sorted(found)) or "none"
            raise UnknownComponentError(
                f"{ONLY_VARIABLE} names plugins that are not installed: {', '.join(unknown)}. Installed: {known}."
            )
        for name, point in found.items():
            if name not in blocked and (only is None or name in only):
                self._load(point)

    def _load(self, point: EntryPoint) -> None:
        origin = _origin(point)
        try:
            plugin = point.load()
        except Exception as error:
            raise BrokenPluginError(_broken(point.name, origin, "could not be imported", error)) from error
        self.register(plugin, name=point.name, origin=origin)


@cache
def plugins() -> Plugins:
    """The plugins of this process, loaded at first use."""
    from rulekit import __version__, builtins

    loaded = Plugins()
    loaded.register(builtins, name="builtins", origin=f"rulekit-rcprob {__version__}")
    loaded.load_entry_points()
    return loaded


@contextmanager
def observe(observer: object) -> Iterator[None]:
    """Call an object's observer hooks for every search inside the `with` block.

    Examples
    --------
    >>> import rulekit
    >>> class Counter:
    ...     trees = 0
    ...     @rulekit.hookimpl
    ...     def rulekit_after_tree(self, step):
    ...         self.trees += 1
    >>> with rulekit.observe(Counter()):
    ...     pass
    """
    plugins().register(observer)
    try:
        yield
    finally:
        plugins().unregister(observer)


def _origin(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def _names(variable: str) -> set[str] | None:
    value = os.environ.get(variable)
    return None if value is None else {name.strip() for name in value.split(",") if name.strip()}


def _broken(name: str, origin: str, what: str, error: Exception) -> str:
    return f"Plugin {name!r} ({origin}) {what}: {type(error).__name__}: {error}. {_without(name)}"


def _without(name: str) -> str:
    return f"Fix or uninstall it, or set {BLOCK_VARIABLE}={name} to continue without it."
