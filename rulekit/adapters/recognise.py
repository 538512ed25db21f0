"""Recognising models by name, so that nothing has to be imported to look at one."""

from typing import Any


def derives_from(model: Any, package: str, names: frozenset[str]) -> bool:
    """Whether the model's class, or one that it inherits from, is one of `names` of the package."""
    return any(base.__name__ in names and base.__module__.partition(".")[0] == package for base in type(model).__mro__)
