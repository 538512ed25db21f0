"""Checks for your own components: what every component of a kind promises, as functions and as pytest tests."""

from rulekit.testing.conformance import ConformanceError
from rulekit.testing.fuzz import ModelChoices, Space, check_agreement, fuzz_adapter
from rulekit.testing.parametrize import parametrize_with_checks
from rulekit.testing.suite import (
    check_adapter,
    check_calibration_map,
    check_exporter,
    check_inference_mode,
    check_measure,
    check_method,
    check_prior_combiner,
    check_probability_estimator,
    check_ready_study,
    check_score,
    check_stage,
    checks_for,
)

__all__ = [
    "ConformanceError",
    "ModelChoices",
    "Space",
    "check_adapter",
    "check_agreement",
    "check_calibration_map",
    "check_exporter",
    "check_inference_mode",
    "check_measure",
    "check_method",
    "check_prior_combiner",
    "check_probability_estimator",
    "check_ready_study",
    "check_score",
    "check_stage",
    "checks_for",
    "fuzz_adapter",
    "parametrize_with_checks",
]
