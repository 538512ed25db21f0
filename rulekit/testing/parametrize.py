"""The checks as pytest tests."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.core.interfaces import Adapter
from rulekit.testing.conformance import ConformanceError, called
from rulekit.testing.seam import BoundCheck
from rulekit.testing.suite import checks_for

Failures = Mapping[str, str]


def parametrize_with_checks(
    components: Sequence[Any],
    *,
    expected_failures: Failures | Callable[[Any], Failures] | None = None,
    models: Sequence[Any] = (),
) -> Any:
    """Pytest decorator that runs a test once for each component and each of its checks.

    Parameters
    ----------
    components : sequence of instances
        They may be of different kinds.
    expected_failures : mapping of str to str, or function, optional
        Checks that are known to fail, each with the reason; a function takes a component and returns such a mapping.
        They are marked as strict expected failures: a test of one that passes fails.
    models : sequence of unfitted classifiers
        For adapters: models to check them on, in addition to the registered ensembles that they accept.

    Returns
    -------
    decorator
        For a test function with the arguments `component` and `check`.

    Examples
    --------
    >>> from rulekit.probability.laplace import Laplace
    >>> from rulekit.testing import parametrize_with_checks
    >>> @parametrize_with_checks([Laplace(), Laplace(smoothing=0.5)])
    ... def test_conforms(component, check):
    ...     check(component)
    """
    try:
        import pytest
    except ImportError as error:
        raise MissingExtraError("parametrize_with_checks needs pytest: pip install pytest.") from error
    items = list(_items(components, expected_failures, models))
    parameters = [
        pytest.param(component, check, id=f"{called(component)}-{name}", marks=_marks(pytest, reason))
        for component, name, check, reason in items
    ]
    return pytest.mark.parametrize(("component", "check"), parameters)


def _items(
    components: Sequence[Any], expected: Failures | Callable[[Any], Failures] | None, models: Sequence[Any]
) -> Iterator[tuple[Any, str, BoundCheck, str | None]]:
    """Component, name of a check, check, and why it is expected to fail."""
    unused = set() if expected is None or callable(expected) else set(expected)
    names: set[str] = set()
    adapters = [component for component in components if isinstance(component, Adapter)]
    for component in components:
        own = dict(checks_for(component, models=_meant_for(component, adapters, models)))
        reasons = _reasons(expected, component)
        if callable(expected):
            _check_known(set(reasons) - set(own), set(own), called(component))
        names |= set(own)
        yield from ((component, name, check, reasons.get(name)) for name, check in own.items())
    _check_known(unused - names, names, "these components")


def _meant_for(component: Any, adapters: Sequence[Adapter], models: Sequence[Any]) -> list[Any]:
    """Models that a component accepts, or that no adapter accepts: those fail for every adapter."""
    is_adapter = isinstance(component, Adapter)
    return [
        model
        for model in models
        if is_adapter and (_accepts(component, model) or not any(_accepts(adapter, model) for adapter in adapters))
    ]


def _accepts(adapter: Any, model: Any) -> bool:
    try:
        return bool(adapter.accepts(model))
    except Exception:  # reported by a check
        return False


def _reasons(expected: Failures | Callable[[Any], Failures] | None, component: Any) -> Failures:
    reasons = expected(component) if callable(expected) else expected or {}
    for name, reason in reasons.items():
        if not isinstance(reason, str) or not reason.strip():
            raise InvalidParameterError(f"expected_failures must give a reason for {name}, got {reason!r}.")
    return reasons


def _check_known(unknown: set[str], known: set[str], owner: str) -> None:
    """Raise if a check is expected to fail that is not run: its name is misspelt, or it has been renamed."""
    for name in sorted(unknown):
        nearest = get_close_matches(name, known, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise InvalidParameterError(
            f"expected_failures names {name!r}, which is not a check of {owner}.{hint} "
            f"Known: {', '.join(sorted(known))}."
        )


def _marks(pytest: Any, reason: str | None) -> Any:
    return () if reason is None else pytest.mark.xfail(reason=reason, strict=True, raises=ConformanceError)
