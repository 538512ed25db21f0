"""Calibrated rules as a table, with their probabilities before calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rulekit.render.table import Table
from rulekit.ruleset import table

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet


def rule_table(ruleset: CalibratedRuleSet) -> Table:
    """One row per rule; both probabilities are those of the class that the calibrated rule predicts."""
    plain = table.rule_table(ruleset)
    at = list(plain.headings).index("p")
    headings = (*plain.headings[:at], "uncalibrated", "calibrated", *plain.headings[at + 1 :])
    rows = tuple(
        (*row[:at], f"{probability:.3f}", *row[at:])
        for row, probability in zip(plain.rows, uncalibrated_probabilities(ruleset), strict=True)
    )
    return attrs.evolve(plain, headings=headings, rows=rows, numeric=table.NUMERIC | {"uncalibrated", "calibrated"})


def uncalibrated_probabilities(ruleset: CalibratedRuleSet) -> list[float]:
    """Each rule's probability before calibration, of the class that it predicts now."""
    return [float(row[rule.class_index]) for rule, row in zip(ruleset, ruleset.uncalibrated, strict=True)]


def frame(ruleset: CalibratedRuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    facts = table.frame(ruleset)
    facts.insert(
        list(facts.columns).index("probability"), "uncalibrated_probability", uncalibrated_probabilities(ruleset)
    )
    return facts
