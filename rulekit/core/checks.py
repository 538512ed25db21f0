"""Checks of parameters: errors name the owner, the parameter, the allowed values, and the value that was passed."""

import re
from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from rulekit.core.errors import InvalidParameterError
from rulekit.core.messages import short

UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
WRITTEN = re.compile(rf"\s*(\d{{1,15}}(?:\.\d{{1,6}})?)\s*({'|'.join(sorted(UNITS, key=len, reverse=True))})B\s*")


def check_number(owner: Any, name: str, low: float, high: float = float("inf"), *, above: bool = False) -> None:
    """Raise unless the parameter `name` of `owner` is a number from `low` (or above it) to `high`."""
    value = getattr(owner, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and low <= value <= high and not (above and value == low):
        return
    limits = f"above {low:g}" if above else f"of at least {low:g}"
    limits += f" and at most {high:g}" if high < float("inf") else ""
    raise InvalidParameterError(f"{type(owner).__name__}: {name} must be a number {limits}, got {value!r}.")


def check_jobs(owner: Any, name: str = "n_jobs") -> None:
    """Raise unless the parameter `name` of `owner` is a number of jobs as in joblib."""
    value = getattr(owner, name)
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value == 0):
        raise InvalidParameterError(
            f"{type(owner).__name__}: {name} must be None or a whole number other than 0, got {value!r}."
        )


def check_whole_number(owner: Any, name: str, low: int, *, or_none: bool = True) -> None:
    """Raise unless the parameter `name` of `owner` is a whole number of at least `low` or, if that is allowed, None."""
    value = getattr(owner, name)
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if (value is None and or_none) or (is_whole and value >= low):
        return
    allowed = "None or a" if or_none else "a"
    raise InvalidParameterError(
        f"{type(owner).__name__}: {name} must be {allowed} whole number of at least {low}, got {value!r}."
    )


def check_class_weight(class_weight: Any) -> None:
    """Raise unless this is None, "balanced", or a mapping from labels to positive numbers."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise InvalidParameterError(
            f"class_weight must be None, 'balanced', or a dict from class labels to weights, got {short(class_weight)}."
        )
    for label, weight in class_weight.items():
        if isinstance(weight, bool) or not isinstance(weight, Real) or not isfinite(weight) or weight <= 0:
            raise InvalidParameterError(
                f"class_weight must have positive finite numbers, got {short(weight)} for the class {short(label)}. To "
                "leave the samples of a class out, remove them."
            )


def check_bytes(owner: Any, name: str) -> None:
    """Raise unless the parameter `name` of `owner` is None or an amount of memory."""
    value = getattr(owner, name)
    n_bytes = parse_bytes(value)
    if value is not None and (n_bytes is None or n_bytes <= 0):
        raise InvalidParameterError(
            f"{type(owner).__name__}: {name} must be None, a number of bytes above 0, or a string such as '500MB' or "
            f"'2GiB', got {value!r}."
        )


def check_choice(owner: Any, name: str, allowed: tuple[str, ...]) -> None:
    """Raise unless the parameter `name` of `owner` is one of `allowed`."""
    value = getattr(owner, name)
    # An array of one string compares equal to that string, but would fail later.
    if not isinstance(value, str) or value not in allowed:
        known = ", ".join(repr(choice) for choice in allowed)
        raise InvalidParameterError(f"{type(owner).__name__}: {name} must be one of {known}, got {value!r}.")


def parse_bytes(amount: Any) -> int | None:
    """A number of bytes, given as an integer or as a string such as "500MB" or "2GiB"; None for anything else.

    Examples
    --------
    >>> parse_bytes("500MB")
    500000000
    """
    if isinstance(amount, Integral) and not isinstance(amount, bool | np.bool_):
        return int(amount)
    written = WRITTEN.fullmatch(amount) if isinstance(amount, str) else None
    return None if written is None else int(float(written[1]) * UNITS[written[2]])


def format_bytes(n_bytes: float) -> str:
    """A number of bytes in megabytes, for messages."""
    return f"{n_bytes / 10**6:,.1f} MB"


def check_part_size(part_size: Any) -> None:
    """Raise unless this is a positive whole number."""
    if isinstance(part_size, bool) or not isinstance(part_size, int | np.integer) or part_size < 1:
        raise InvalidParameterError(f"part_size must be a positive whole number, got {part_size!r}.")
