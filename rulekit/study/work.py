"""Running work: the code that it needs, and its failures and warnings.

Nothing that workers do reads or writes files, so that it runs wherever rulekit is installed.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TypeVar

from rulekit.plugin.manager import plugins
from rulekit.plugin.registry import Component
from rulekit.study.result import Failure

T = TypeVar("T")


def recorded(work: Callable[[], T]) -> tuple[T | Failure, tuple[str, ...]]:
    """The result of some work, or its failure; and its warnings."""
    done: T | Failure
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            done = work()
        except KeyboardInterrupt:
            raise
        # Whatever goes wrong in a cell is its result, and must not stop the others; nor must a part that calls exit,
        # or that was cancelled.
        except BaseException as error:
            done = Failure.of(error)
    return done, tuple(dict.fromkeys(f"{each.category.__name__}: {each.message}" for each in caught))


def registered_in_code() -> tuple[Component, ...]:
    """Components of this process that workers cannot find."""
    return tuple(component for component in plugins().registry if component.origin.startswith("code"))


def register(code: Sequence[Component]) -> None:
    """Register the components of the process that sent the work."""
    registry = plugins().registry
    known = {(component.kind, component.name): component.factory for component in registry}
    for component in code:
        if known.get((component.kind, component.name)) is not component.factory:
            # A worker may have an earlier version from the last run of a notebook.
            registry.add(component.kind, component.name, component.factory, origin=component.origin, replace=True)
