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
        predicted = ruleset.probabilities
        total = np.zeros((matches.shape[1], predicted.shape[1]))
        # One rule after the other, so that a sample's sum never depends on which samples stand beside it.
        for rule, fires in enumerate(matches):
            total[fires] += predicted[rule]
        total[~matches.any(axis=0)] = predicted[-1]
        # From left to right, so that exported rules repeat it to the last digit in any language.
        return total / np.add.accumulate(total, axis=1)[:, -1:]
