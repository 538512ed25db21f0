"""Checks of parameters, with errors that say whose, what is allowed and what came."""

from numbers import Integral, Real
from typing import Any

from rulekit.core.errors import InvalidParameterError
from rulekit.core.memory import parse_bytes


def check_number(owner: Any, name: str, low: float, high: float = float("inf"), *, above: bool = False) -> None:
    """Raise unless the parameter `name` of `owner` is a number from `low` (or above it) to `high`."""
    value = getattr(owner, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and low <= value <= high and not (above and value == low):
        return
    limits = f"above {low:g}" if above else f"at least {low:g}"
    limits += f" and at most {high:g}" if high < float("inf") else ""
    raise InvalidParameterError(f"{type(owner).__name__}: {name} must be a number {limits}, got {value!r}.")


def check_jobs(owner: Any, name: str = "n_jobs") -> None:
    """Raise unless the parameter `name` of `owner` is a number of jobs in joblib's meaning."""
    value = getattr(owner, name)
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value == 0):
        raise InvalidParameterError(
            f"{type(owner).__name__}: {name} must be None or a whole number other than 0, got {value!r}."
        )


def check_whole_number(owner: Any, name: str, low: int) -> None:
    """Raise unless the parameter `name` of `owner` is None or a whole number of `low` or more."""
    value = getattr(owner, name)
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value < low):
        raise InvalidParameterError(
            f"{type(owner).__name__}: {name} must be None or a whole number of at least {low}, got {value!r}."
        )


def check_bytes(owner: Any, name: str) -> None:
    """Raise unless the parameter `name` of `owner` is None or an amount of memory."""
    value = getattr(owner, name)
    n_bytes = parse_bytes(value)
    if value is not None and (n_bytes is None or n_bytes <= 0):
        raise InvalidParameterError(
            f"{type(owner).__name__}: {name} must be None, a number of bytes above 0, or a text such as '500MB' or "
            f"'2GiB', got {value!r}."
        )


def check_choice(owner: Any, name: str, allowed: tuple[str, ...]) -> None:
    """Raise unless the parameter `name` of `owner` is one of `allowed`."""
    value = getattr(owner, name)
    # An array of one text is equal to that text, and fails later on.
    if not isinstance(value, str) or value not in allowed:
        known = ", ".join(repr(choice) for choice in allowed)
        raise InvalidParameterError(f"{type(owner).__name__}: {name} must be one of {known}, got {value!r}.")
