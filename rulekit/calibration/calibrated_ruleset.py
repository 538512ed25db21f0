"""Rules with calibrated probabilities that keep the uncalibrated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import attrs

from rulekit.core.arrays import FloatArray
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.render.table import Table


@attrs.frozen(eq=False, repr=False)
class CalibratedRuleSet(RuleSet):
    """A `RuleSet` with calibrated probabilities: it predicts, explains and is saved with these.

    Attributes
    ----------
    uncalibrated : ndarray of shape (n_rules, n_classes)
        The probabilities before calibration.
    """

    uncalibrated: FloatArray

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.uncalibrated.setflags(write=False)

    @classmethod
    def of(cls, ruleset: RuleSet, calibrated: FloatArray) -> Self:
        """The same rules with calibrated probabilities, of shape (n_rules, n_classes)."""
        facts = {field.name: getattr(ruleset, field.name) for field in attrs.fields(RuleSet)}
        return cls(**{**facts, "probabilities": calibrated, "uncalibrated": ruleset.probabilities})

    def to_frame(self) -> pd.DataFrame:
        """As `RuleSet.to_frame`, with the class's probability before calibration as `uncalibrated_probability`."""
        from rulekit.calibration.table import frame

        return frame(self)

    def _table(self) -> Table:
        from rulekit.calibration.table import rule_table

        return rule_table(self)
