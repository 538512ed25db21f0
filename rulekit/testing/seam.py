"""One kind of component with the checks that its components must pass."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import attrs
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from rulekit.testing import every_component
from rulekit.testing.every_component import Usage

BoundCheck = Callable[[Any], None]


@attrs.frozen(eq=False)
class Seam:
    """A kind of component.

    Attributes
    ----------
    kind : str
        Its name in messages.
    interface : type
        What its components are instances of.
    checks : tuple of functions
        Each takes a component and raises a `ConformanceError` if that breaks a promise.
    """

    kind: str
    interface: type
    checks: tuple[BoundCheck, ...]


def bind(check: Callable[..., None], *arguments: Any) -> BoundCheck:
    """A check that takes only the component."""

    @wraps(check)
    def bound(component: Any) -> None:
        check(component, *arguments)

    return bound


def on_one_thread(check: BoundCheck) -> BoundCheck:
    """The check on one thread: its models are so small that starting threads would take longer than fitting them."""

    @wraps(check)
    def alone(component: Any) -> None:
        with threadpool_limits(1):
            check(component)

    return alone


def shared_checks(usage: Usage) -> tuple[BoundCheck, ...]:
    """The checks that components of every kind must pass, given how one of this kind is used."""
    used = (
        every_component.check_clone,
        every_component.check_pickle,
        every_component.check_refit_forgets,
        every_component.check_same_seed_same_result,
    )
    return (every_component.check_init_only_stores, *(bind(check, usage) for check in used))
