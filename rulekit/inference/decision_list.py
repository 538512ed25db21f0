"""The first rule that matches answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.core.interfaces import InferenceMode
from rulekit.core.matching import first_match

if TYPE_CHECKING:
    from rulekit.core.arrays import BoolArray, FloatArray
    from rulekit.ruleset import RuleSet


class DecisionList(InferenceMode):
    """Probabilities of the first matching rule, of the default rule where none matches."""

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_records, n_classes)."""
        return ruleset.probabilities[first_match(matches)]
