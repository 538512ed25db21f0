"""Maps by name."""

from difflib import get_close_matches
from typing import Any, Final

from sklearn.base import clone

from rulekit.calibration.beta import Beta
from rulekit.calibration.dirichlet import Dirichlet
from rulekit.calibration.interface import CalibrationMap
from rulekit.calibration.isotonic import Isotonic
from rulekit.calibration.sigmoid import Sigmoid
from rulekit.calibration.temperature import Temperature
from rulekit.core.errors import ComponentTypeError, UnknownComponentError

METHODS: Final[dict[str, type[CalibrationMap]]] = {
    "temperature": Temperature,
    "dirichlet": Dirichlet,
    "beta": Beta,
    "sigmoid": Sigmoid,
    "isotonic": Isotonic,
}


def unfitted_map(method: Any) -> CalibrationMap:
    """A new map of that name, or a copy of the one given."""
    if isinstance(method, CalibrationMap):
        return clone(method)
    if not isinstance(method, str):
        raise ComponentTypeError(
            f"CalibratedRules: method must be the name of a calibration map or a CalibrationMap, got {method!r}."
        )
    if method not in METHODS:
        nearest = get_close_matches(method, METHODS, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownComponentError(f"No calibration map named {method!r}.{hint} Known: {', '.join(sorted(METHODS))}.")
    return METHODS[method]()
