"""The registry as users see it: listing, making and registering components."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, overload

from sklearn.base import clone

from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.plugin.registry import Component

Factory = TypeVar("Factory", bound=Callable[..., Any])


def list_components(kind: str | None = None) -> list[Component]:
    """Every registered component, or those of one kind.

    Parameters
    ----------
    kind : str, optional
        Such as "method", "probability" or "measure"; `rulekit components` lists all of them.

    Returns
    -------
    components : list of Component
        Each has a kind, a name, an origin, a one-line summary and its parameters with their defaults.

    Examples
    --------
    >>> import rulekit
    >>> [component.name for component in rulekit.list_components("inference")]
    ['decision-list', 'aggregate']
    """
    registry = plugins().registry
    return list(registry if kind is None else registry.of_kind(kind))


def make_component(kind: str, value: Any, **parameters: Any) -> Any:
    """A new component, which may be fitted, from a registered name or from an instance.

    Use it for a component that has another one as a parameter, or for a built-in component with your own parameters.

    Parameters
    ----------
    kind : str
        See `list_components`.
    value : str or component
        An instance is cloned.
    **parameters
        Parameters that replace the component's defaults, or those of the instance.

    Examples
    --------
    >>> from rulekit.plugin import make_component
    >>> make_component("probability", "laplace", smoothing=0.5)
    Laplace(smoothing=0.5)
    """
    registry = plugins().registry
    if isinstance(value, str):
        return registry.create(kind, value, **parameters)
    return clone(registry.resolve(kind, value)).set_params(**parameters)


@overload
def register(kind: str, name: str, factory: Callable[..., Any] | Preset, *, replace: bool = False) -> None: ...
@overload
def register(kind: str, name: str, *, replace: bool = False) -> Callable[[Factory], Factory]: ...
def register(
    kind: str, name: str, factory: Callable[..., Any] | Preset | None = None, *, replace: bool = False
) -> Callable[[Factory], Factory] | None:
    """Register a component in code, without packaging it: for notebooks and scripts.

    Registering again from the same module replaces the earlier component, so that a cell of a notebook can run twice.
    A name that is already taken by rulekit, a plugin or another module raises a `DuplicateComponentError`.

    Parameters
    ----------
    kind : str
        See `list_components`.
    name : str
        Its name.
    factory : class, function or Preset, optional
        If omitted, `register` returns a decorator.
    replace : bool, default=False
        Replace a component of that kind and name, wherever it comes from.

    Examples
    --------
    >>> import rulekit
    >>> from rulekit.plugin import ProbabilityEstimator
    >>> @rulekit.register("probability", "certain")
    ... class Certain(ProbabilityEstimator):
    ...     def estimate(self, rules):
    ...         return (rules.priors == rules.priors.max(axis=1, keepdims=True)).astype(float)
    """
    caller = sys._getframe(1).f_globals.get("__name__", "?")

    def add(made: Factory) -> Factory:
        # A preset is an instance: its `__module__` is that of its class.
        origin = f"code in {caller if isinstance(made, Preset) else getattr(made, '__module__', caller)}"
        registry = plugins().registry
        is_again = any(known.name == name and known.origin == origin for known in registry.of_kind(kind))
        registry.add(kind, name, made, origin=origin, replace=replace or is_again)
        return made

    if factory is None:
        return add
    add(factory)  # type: ignore[type-var]
    return None
