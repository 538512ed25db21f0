"""Full factorials of components."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import attrs

from rulekit.core.messages import short
from rulekit.study.calibrating import named
from rulekit.study.definition import Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import flattened, grid_of
from rulekit.study.trials import TrialSearch


def factorial(
    method: str,
    vary: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    grid: Mapping[str, Any] | None = None,
    search: Mapping[str, Any] | TrialSearch | None = None,
) -> list[Variant]:
    """Every combination of some parameters' values as a variant, named after its values of those that vary.

    Parameters
    ----------
    method : str
        Registered name.
    vary : mapping of str to list
        Values of each parameter; the first varies slowest. `calibration` may be among them.
    parameters : mapping, optional
        Parameters that all of them share.
    grid : mapping of str to list, optional
        Hyperparameters that each of them chooses.
    search : mapping or TrialSearch, optional
        Which configurations of the grid each of them tries, if not all.

    Examples
    --------
    >>> parts = {"priors": ["product", "mean"], "final_estimator__crossover": [20, 50], "inference": ["aggregate"]}
    >>> [variant.name for variant in factorial("rcprob", parts)]
    ['product · crossover=20', 'product · crossover=50', 'mean · crossover=20', 'mean · crossover=50']
    """
    if not isinstance(method, str):
        raise StudyDefinitionError(f"method must be a string, got {short(method)}.")
    lists, common = grid_of(vary, "vary"), flattened({} if parameters is None else parameters)
    settings = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    varied = [name for name, values in lists.items() if len(values) > 1]
    factors = [{name: _level(name, value) for name, value in each.items() if name in varied} for each in settings]
    options = {} if grid is None else grid
    variants = [_variant(method, *each, common, options) for each in zip(settings, factors, strict=True)]
    return [attrs.evolve(variant, search=search) for variant in variants]


def _variant(
    method: str,
    setting: Mapping[str, Any],
    factors: Mapping[str, str],
    common: Mapping[str, Any],
    grid: Mapping[str, Any],
) -> Variant:
    own = {name: value for name, value in setting.items() if name != "calibration"}
    name = " · ".join(factors.values()) or " ".join([method, *(_setting(*item) for item in setting.items())])
    return Variant(name, method, {**common, **own}, grid, setting.get("calibration"), factors)


def _setting(name: str, value: Any) -> str:
    shown = named(value) if name == "calibration" else value
    return f"{name}={'none' if shown is None else shown}"


def _level(name: str, value: Any) -> str:
    """A factor's value as part of a name; a number says nothing without the name of its parameter."""
    if name == "calibration":
        return "uncalibrated" if value is None else named(value)
    last = name.rpartition("__")[2]
    if value is None:
        return f"no {last.replace('_', ' ')}"
    return value if isinstance(value, str) else f"{last}={value}"
