"""Ranges of numbers in a grid, written by their ends: lists of evenly spaced values."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from rulekit.core.messages import cut, short
from rulekit.study.errors import StudyDefinitionError

_KEYS: Final = frozenset({"low", "high", "steps", "log"})
STEPS: Final = 10
#: Digits of values between the ends: more would only be rounding errors.
_DIGITS: Final = 6


def with_ranges_listed(table: Mapping[str, Any], called: str) -> dict[str, Any]:
    """A grid whose ranges, also those in nested tables, are lists.

    Examples
    --------
    >>> strength = {"low": 0.01, "high": 1.0, "steps": 3, "log": True}
    >>> with_ranges_listed({"max_depth": {"low": 2, "high": 4}, "strength": strength}, "grid")
    {'max_depth': [2, 3, 4], 'strength': [0.01, 0.1, 1.0]}
    """
    listed: dict[str, Any] = {}
    for name, value in table.items():
        where = f"{called}.{cut(str(name))}"
        if _is_range(value):
            listed[name] = _values(value, where)
        else:
            listed[name] = with_ranges_listed(value, where) if isinstance(value, Mapping) else value
    return listed


def _is_range(value: Any) -> bool:
    """Whether a value is a table with two numbers as ends, rather than one of parameters with these names."""
    return isinstance(value, Mapping) and all(isinstance(value.get(end), Real) for end in ("low", "high"))


def _values(given: Mapping[str, Any], where: str) -> list[Any]:
    unknown = sorted(given.keys() - _KEYS)
    low, high, steps, log = given["low"], given["high"], given.get("steps", STEPS), given.get("log", False)
    if unknown:
        raise StudyDefinitionError(
            f"{where}: a range has low, high, steps and log, got {', '.join(map(short, unknown))}."
        )
    if isinstance(low, bool) or isinstance(high, bool) or not -np.inf < low < high < np.inf:
        raise StudyDefinitionError(f"{where}: low must be a number below high, got {short(low)} and {short(high)}.")
    if not isinstance(steps, Integral) or isinstance(steps, bool) or steps < 2:
        raise StudyDefinitionError(f"{where}: steps must be a whole number of at least 2, got {short(steps)}.")
    if not isinstance(log, bool):
        raise StudyDefinitionError(f"{where}: log must be true or false, got {short(log)}.")
    if log and low <= 0:
        raise StudyDefinitionError(f"{where}: with log = true low must be above 0, got {short(low)}.")
    spaced = (np.geomspace if log else np.linspace)(low, high, int(steps)).tolist()
    if isinstance(low, Integral) and isinstance(high, Integral):
        return list(dict.fromkeys(round(value) for value in spaced))
    return [float(low), *(float(f"{value:.{_DIGITS}g}") for value in spaced[1:-1]), float(high)]
