"""Calibrated variants: a map fitted on samples that a study sets aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from rulekit.calibration import CalibratedRules
from rulekit.core.interfaces import CalibrationMap
from rulekit.core.messages import short
from rulekit.plugin.catalogue import make_component
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import or_none

if TYPE_CHECKING:
    from rulekit.study.definition import Variant
    from rulekit.study.subsets import Subset

#: Number of folds of the published protocol: one map per fold, fitted on the other folds, and averaged.
N_MAPS = 3


def as_calibration(given: Any) -> Any:
    """A study's calibration in normal form: a name, a name with parameters, a map, or None."""
    if isinstance(given, Mapping):
        if not isinstance(given.get("method"), str):
            raise StudyDefinitionError(
                f"calibration must have the name of a map as its method, got {short(dict(given))}."
            )
        return given["method"] if len(given) == 1 else dict(given)
    if given is not None and not isinstance(given, str | CalibrationMap):
        raise StudyDefinitionError(
            f"calibration must be the name of a map, or a table with its method and parameters, got {short(given)}."
        )
    return or_none(given)


def with_calibrations(variant: Variant, calibrations: Sequence[Any]) -> list[Variant]:
    """A variant, and the same one with each of some calibrations, named after both.

    Examples
    --------
    >>> from rulekit.study import Variant
    >>> [each.name for each in with_calibrations(Variant("rcprob"), ["temperature", {"method": "dirichlet", "l2": 1}])]
    ['rcprob', 'rcprob temperature', 'rcprob dirichlet l2=1']
    """
    if not isinstance(calibrations, list | tuple) or not calibrations:
        raise StudyDefinitionError(f"calibrations must be a list of maps, got {short(calibrations)}.")
    if variant.calibration is not None:
        raise StudyDefinitionError("give either calibration or calibrations, not both.")
    return [variant, *(_calibrated_sibling(variant, as_calibration(each)) for each in calibrations)]


def _calibrated_sibling(variant: Variant, calibration: Any) -> Variant:
    return attrs.evolve(variant, name=f"{variant.name} {named(calibration)}", calibration=calibration)


def named(calibration: Any) -> str:
    """Name of a calibration in tables."""
    if not isinstance(calibration, Mapping):
        return str(calibration)
    settings = (f"{name}={value}" for name, value in calibration.items() if name != "method")
    return " ".join([calibration["method"], *settings])


def calibration_map(calibration: Any) -> CalibrationMap:
    """An unfitted map."""
    own = dict(calibration) if isinstance(calibration, Mapping) else {"method": calibration}
    made: CalibrationMap = make_component("calibration", own.pop("method"))
    return made.set_params(**own)


def calibrated(model: Any, calibration: Any, subset: Subset, seed: int) -> CalibratedRules:
    """A fitted model with the mean of some maps, each learned without one fold of the samples.

    Parameters
    ----------
    model : fitted classifier
    calibration : str, dict or CalibrationMap
    subset : Subset
        Samples that nothing was fitted on.
    seed : int
        Of the folds.
    """
    method = calibration_map(calibration)
    around = CalibratedRules(model, method, prefit=True, cv=N_MAPS, average=True, random_state=seed)
    return around.fit(subset.X, subset.y)
