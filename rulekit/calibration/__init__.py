"""Post-hoc calibration: a map, learned from samples, from predicted to calibrated probabilities."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.calibration.calibrated_rules import CalibratedRules
    from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet
    from rulekit.calibration.maps.beta import Beta
    from rulekit.calibration.maps.dirichlet import Dirichlet
    from rulekit.calibration.maps.scikit_learn import Isotonic, Sigmoid
    from rulekit.calibration.maps.temperature import Temperature
    from rulekit.core.errors import CalibrationDataError, SeenSamplesWarning
    from rulekit.core.interfaces import CalibrationMap

__all__ = [
    "Beta",
    "CalibratedRuleSet",
    "CalibratedRules",
    "CalibrationDataError",
    "CalibrationMap",
    "Dirichlet",
    "Isotonic",
    "SeenSamplesWarning",
    "Sigmoid",
    "Temperature",
]

# The maps are components, which are registered before the first fit; the classifier around them is then not needed.
_HOMES = {
    "Beta": "rulekit.calibration.maps.beta",
    "CalibratedRuleSet": "rulekit.calibration.calibrated_ruleset",
    "CalibratedRules": "rulekit.calibration.calibrated_rules",
    "CalibrationDataError": "rulekit.core.errors",
    "CalibrationMap": "rulekit.core.interfaces",
    "Dirichlet": "rulekit.calibration.maps.dirichlet",
    "Isotonic": "rulekit.calibration.maps.scikit_learn",
    "SeenSamplesWarning": "rulekit.core.errors",
    "Sigmoid": "rulekit.calibration.maps.scikit_learn",
    "Temperature": "rulekit.calibration.maps.temperature",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
