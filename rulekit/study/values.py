"""Validators of a study's values, whose errors name the field and the value."""

import sys
from collections.abc import Callable, Collection, Mapping
from numbers import Real
from typing import Any

from rulekit.core.messages import short
from rulekit.datasets.spelling import hint, listed
from rulekit.study.errors import StudyDefinitionError


def string(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a string."""
    if not isinstance(value, str):
        raise StudyDefinitionError(f"{field.name} must be a string, got {short(value)}.")


def string_or_none(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a string, or was not given."""
    if value is not None:
        string(owner, field, value)


def strings(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a table of strings."""
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for pair in value.items() for each in pair):
        raise StudyDefinitionError(f"{field.name} must be a table of strings, got {short(value)}.")


def list_of_strings(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a list of strings, or was not given."""
    if value is not None and not (isinstance(value, tuple) and all(isinstance(each, str) for each in value)):
        raise StudyDefinitionError(f"{field.name} must be a list of strings, got {short(value)}.")


def at_least(least: int, most: float = float("inf")) -> Any:
    """A validator that raises unless a value is an integer within limits."""
    limits = f"at least {least}" + (f" and at most {most}" if most < float("inf") else "")

    def check(owner: Any, field: Any, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise StudyDefinitionError(f"{field.name} must be an integer of {limits}, got {short(value)}.")

    return check


def positive(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a number above 0, or was not given."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value <= sys.float_info.max):
        raise StudyDefinitionError(f"{field.name} must be a number above 0, got {short(value)}.")


def fraction(owner: Any, field: Any, value: Any) -> None:
    """Raise unless a value is a fraction of the samples, or was not given."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < 1):
        raise StudyDefinitionError(
            f"{field.name} must be a number between 0 and 1, the fraction of each training part to set aside, got "
            f"{short(value)}."
        )


def one_of(names: Callable[[], Collection[str]]) -> Any:
    """A validator that raises unless a value is the name of a score; the known names depend on the plugins."""

    def check(owner: Any, field: Any, value: Any) -> None:
        known = names()
        if not isinstance(value, str) or value not in known:
            near = hint(str(value), known)
            raise StudyDefinitionError(f"{field.name}: unknown score {short(value)}.{near} Known: {listed(known)}.")

    return check
