"""A full factorial of parts, in one line."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from rulekit.study.definition import Variant, grid_of


def factorial(
    method: str,
    vary: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    grid: Mapping[str, Any] | None = None,
) -> list[Variant]:
    """Every combination of some parameters' values as a variant, named after what it varies.

    Parameters
    ----------
    method : str
        Registered name.
    vary : mapping of str to list
        Values of each parameter; the first varies slowest.
    parameters : mapping, optional
        What all of them have in common.
    grid : mapping of str to list, optional
        Hyperparameters that each of them chooses.

    Examples
    --------
    >>> [variant.name for variant in factorial("rcprob", {"priors": ["product", "mean"], "probability__n0": [20]})]
    ['rcprob priors=product probability__n0=20', 'rcprob priors=mean probability__n0=20']
    """
    lists = grid_of(vary, "vary")
    settings = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    common = parameters or {}
    return [Variant(_named(method, setting), method, {**common, **setting}, grid or {}) for setting in settings]


def _named(method: str, setting: Mapping[str, Any]) -> str:
    return " ".join([method, *(f"{name}={'none' if value is None else value}" for name, value in setting.items())])
