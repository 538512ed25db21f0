"""The first rule that matches answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rulekit.core.conditions import first_match
from rulekit.core.interfaces import Combination, InferenceMode

if TYPE_CHECKING:
    from rulekit.core.arrays import BoolArray, FloatArray
    from rulekit.ruleset import RuleSet


class DecisionList(InferenceMode):
    """Probabilities of the first matching rule, of the default rule where none matches."""

    combination: ClassVar[Combination | None] = "first"

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        return ruleset.probabilities[first_match(matches)]
