"""Full factorials of components."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from rulekit.core.messages import short
from rulekit.study.calibrating import named
from rulekit.study.definition import Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import flattened, grid_of


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
        Values of each parameter; the first varies slowest. `calibration` may be among them.
    parameters : mapping, optional
        Parameters that all of them share.
    grid : mapping of str to list, optional
        Hyperparameters that each of them chooses.

    Examples
    --------
    >>> parts = {"priors": ["product", "mean"], "final_estimator__crossover": [20]}
    >>> [variant.name for variant in factorial("rcprob", parts)]
    ['rcprob priors=product final_estimator__crossover=20', 'rcprob priors=mean final_estimator__crossover=20']
    """
    if not isinstance(method, str):
        raise StudyDefinitionError(f"method must be a string, got {short(method)}.")
    lists, common = grid_of(vary, "vary"), flattened({} if parameters is None else parameters)
    settings = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    return [_variant(method, setting, common, {} if grid is None else grid) for setting in settings]


def _variant(method: str, setting: Mapping[str, Any], common: Mapping[str, Any], grid: Mapping[str, Any]) -> Variant:
    calibration = setting.get("calibration")
    own = {name: value for name, value in setting.items() if name != "calibration"}
    return Variant(_named(method, setting), method, {**common, **own}, grid, calibration)


def _named(method: str, setting: Mapping[str, Any]) -> str:
    values = {name: "none" if value is None else value for name, value in setting.items()}
    if "calibration" in values:
        values["calibration"] = named(values["calibration"])
    return " ".join([method, *(f"{name}={value}" for name, value in values.items())])
