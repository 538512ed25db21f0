"""Post-hoc calibration: a map, learned from samples, from stated to calibrated probabilities."""

from rulekit.calibration.beta import Beta
from rulekit.calibration.calibrated_rules import CalibratedRules
from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet
from rulekit.calibration.dirichlet import Dirichlet
from rulekit.calibration.errors import CalibrationDataError, SeenSamplesWarning
from rulekit.calibration.interface import CalibrationMap
from rulekit.calibration.isotonic import Isotonic
from rulekit.calibration.sigmoid import Sigmoid
from rulekit.calibration.temperature import Temperature

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
