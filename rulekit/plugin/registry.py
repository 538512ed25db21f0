"""Components by kind and name: registered, looked up, and made."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import attrs
from sklearn.base import clone

from rulekit.core.errors import ComponentTypeError, DuplicateComponentError, UnknownComponentError
from rulekit.core.messages import short
from rulekit.plugin.kinds import INTERFACES, KINDS, OPTIONAL_PARAMETERS, PARAMETERS
from rulekit.plugin.preset import Preset


@attrs.frozen
class Component:
    """A registered component.

    Attributes
    ----------
    kind, name : str
    factory : callable or Preset
        A class or function that makes the component, or a method's preset.
    origin : str
        The distribution that it comes from, with its version, or the code that registered it.
    """

    kind: str
    name: str
    factory: Callable[..., Any] | Preset = attrs.field(repr=False)
    origin: str

    @property
    def summary(self) -> str:
        """One line on what it does; empty for a component without a docstring of its own."""
        if isinstance(self.factory, Preset):
            return self.factory.summary
        # `inspect.getdoc` would return the docstring of the interface, which says what any component of the kind does.
        return inspect.cleandoc(self.factory.__doc__ or "").partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters with their defaults."""
        if isinstance(self.factory, Preset):
            return dict(self.factory.parameters)
        signature = inspect.signature(self.factory)
        named = (
            parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
        )
        return {parameter.name: parameter.default for parameter in named}


class Registry:
    """Components by kind and name."""

    def __init__(self) -> None:
        self._components: dict[str, dict[str, Component]] = {kind: {} for kind in KINDS}
        #: What other processes have sent, and why some of it cannot be used here; by kind and name.
        self.received: dict[tuple[str, str], object] = {}
        self.unavailable: dict[tuple[str, str], str] = {}

    def add(
        self, kind: str, name: str, factory: Callable[..., Any] | Preset, *, origin: str, replace: bool = False
    ) -> None:
        """Register a component; the factory makes it when it is needed."""
        component = Component(self._known_kind(kind), name, factory, origin)
        check_factory(component)
        taken = self._components[kind].get(name)
        if taken is not None and not replace:
            raise DuplicateComponentError(
                f"Two {_plural(KINDS[kind])} are named {name!r}: one from {taken.origin}, one from {origin}. "
                "Rename one of them, block one plugin with RULEKIT_BLOCK_PLUGINS, or register with replace=True."
            )
        self._components[kind][name] = component

    def drop(self, origin: str) -> None:
        """Remove every component of one origin."""
        for components in self._components.values():
            for name in [name for name, component in components.items() if component.origin == origin]:
                del components[name]

    def get(self, kind: str, name: str) -> Component:
        """The component of that kind and name."""
        components = self._components[self._known_kind(kind)]
        if name not in components:
            reason = self.unavailable.get((kind, name))
            note = f" The process that sent this work has registered it in code, but {reason}." if reason else ""
            raise UnknownComponentError(_unknown(KINDS[kind], name, list(components)) + note)
        return components[name]

    def has(self, component: Component) -> bool:
        """Whether this component, and not only another of the same kind and name, is registered."""
        known = self._components[component.kind].get(component.name)
        return known is not None and known.factory == component.factory

    def create(self, kind: str, name: str, /, **parameters: Any) -> Any:
        """Make a component by its name."""
        factory = self.get(kind, name).factory
        if isinstance(factory, Preset):
            raise ComponentTypeError(f"{name!r} is a preset. Use rulekit.build({name!r}).")
        return factory(**parameters)

    def resolve(self, kind: str, value: Any, parameter: str | None = None) -> Any:
        """The component for a value: a new one if the value is a name, otherwise the value itself.

        Parameters
        ----------
        kind : str
        value : str or component
        parameter : str, optional
            Name of the parameter that has this value, for the error.
        """
        if isinstance(value, str):
            return self.create(kind, value)
        if not isinstance(value, INTERFACES[kind]):
            article = "an" if KINDS[kind][0] in "aeiou" else "a"
            hint = f" Did you mean {value.__name__}()?" if isinstance(value, type) else ""
            raise ComponentTypeError(
                f"{parameter or kind} must be the name of {article} {KINDS[kind]} or an instance of "
                f"{INTERFACES[kind].__name__}, got {value!r}.{hint}"
            )
        return value

    def resolve_parameter(self, parameter: str, value: Any) -> Any:
        """The component for a parameter of a rule classifier; None if the value is None and may be."""
        if value is None and parameter in OPTIONAL_PARAMETERS:
            return None
        return self.resolve(PARAMETERS[parameter], value, parameter)

    def make_components(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """A new component for each parameter that takes one, so that fitting it does not change the user's.

        Parameters
        ----------
        parameters : mapping
            Parameters of a rule classifier by name; those that take no component are left out.
        """
        components = {}
        for name, value in parameters.items():
            if name in PARAMETERS:
                component = self.resolve_parameter(name, value)
                # A component made from a name is new already.
                components[name] = component if component is None or isinstance(value, str) else clone(component)
        return components

    def name_of(self, kind: str, instance: Any) -> str | None:
        """The name under which the instance's class is registered, None if it is not."""
        found = (component.name for component in self.of_kind(kind) if component.factory is type(instance))
        return next(found, None)

    def of_kind(self, kind: str) -> Iterator[Component]:
        """Components of one kind, in the order of registration."""
        yield from self._components[self._known_kind(kind)].values()

    def __iter__(self) -> Iterator[Component]:
        for kind in KINDS:
            yield from self.of_kind(kind)

    def _known_kind(self, kind: str) -> str:
        if kind not in KINDS:
            raise UnknownComponentError(_unknown("kind of component", kind, list(KINDS)))
        return kind


def check_factory(component: Component) -> None:
    """Raise unless the component's factory has the interface of its kind."""
    interface = INTERFACES.get(component.kind)
    factory, what = component.factory, f"{KINDS[component.kind]} {component.name!r} from {component.origin}"
    if interface is not None and not (isinstance(factory, type) and issubclass(factory, interface)):
        raise ComponentTypeError(
            f"The {what} must be a subclass of rulekit.plugin.{interface.__name__}, got {factory!r}."
        )
    missing = sorted(getattr(factory, "__abstractmethods__", ()))
    # Class attributes that the interface declares without a value, such as a measure's heading.
    missing += [name for name in getattr(interface, "__annotations__", ()) if not hasattr(factory, name)]
    if missing:
        raise ComponentTypeError(f"The {what} lacks {', '.join(missing)}, which its interface requires.")
    is_preset = isinstance(factory, Preset) and component.kind == "method"
    if not callable(factory) and not is_preset:
        raise ComponentTypeError(f"The {what} must be a function or class (a method may be a Preset), got {factory!r}.")


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _unknown(what: str, name: str, known: list[str]) -> str:
    nearest = get_close_matches(str(name), known, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"No {what} named {short(name)}.{hint} Known: {', '.join(sorted(known)) or 'none'}."
