"""Calibrated rules as a table, with the probabilities that they stated before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rulekit.render.table import Table
from rulekit.ruleset import table

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet

POSITION = table.HEADER.index("p")
HEADER = (*table.HEADER[:POSITION], "predicted", "calibrated", *table.HEADER[POSITION + 1 :])


def rule_table(ruleset: CalibratedRuleSet) -> Table:
    """One row per rule; both probabilities are those of the class that the calibrated rule concludes."""
    plain = table.rule_table(ruleset)
    rows = tuple(
        (*row[:POSITION], f"{predicted:.3f}", *row[POSITION:])
        for row, predicted in zip(plain.rows, predicted_probabilities(ruleset), strict=True)
    )
    return attrs.evolve(plain, headings=HEADER, rows=rows, numeric=table.NUMERIC | {"predicted", "calibrated"})


def predicted_probabilities(ruleset: CalibratedRuleSet) -> list[float]:
    """What each rule stated before of the class that it concludes."""
    return [float(predicted[rule.class_index]) for rule, predicted in zip(ruleset, ruleset.predicted, strict=True)]


def frame(ruleset: CalibratedRuleSet) -> pd.DataFrame:
    """A data frame with one row per rule, indexed by the rule's position."""
    facts = table.frame(ruleset)
    facts.insert(list(facts.columns).index("probability"), "predicted_probability", predicted_probabilities(ruleset))
    return facts
