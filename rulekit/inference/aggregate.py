"""All rules that match answer together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rulekit.core.interfaces import Combination, InferenceMode

if TYPE_CHECKING:
    from rulekit.core.arrays import BoolArray, FloatArray
    from rulekit.ruleset import RuleSet


class Aggregate(InferenceMode):
    """Normalised sum of the probabilities of all matching rules, the default rule's where none matches."""

    combination: ClassVar[Combination | None] = "sum"

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        probabilities = ruleset.probabilities
        total = np.zeros((matches.shape[1], probabilities.shape[1]))
        # One rule after the other, so a sample's sum never depends on the other samples.
        for rule, fires in enumerate(matches):
            total[fires] += probabilities[rule]
        total[~matches.any(axis=0)] = probabilities[-1]
        # From left to right, so exported rules reproduce it to the last digit in any language.
        return total / np.add.accumulate(total, axis=1)[:, -1:]
