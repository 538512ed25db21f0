"""The task of a search for a counterfactual: a sample, what may change, and what a change costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.regions import Codes, Numbers, Region

if TYPE_CHECKING:
    from rulekit.ruleset.rule import Rule
    from rulekit.ruleset.ruleset import RuleSet

#: How many features change, then the sum of their changes in units of their scales.
Cost = tuple[int, float]
Changes = dict[int, float]


@attrs.frozen(eq=False)
class Task:
    """One search for a counterfactual.

    Attributes
    ----------
    ruleset : RuleSet
    rules : list of Rule
    sample : tuple of float
        The sample as the rules compare it.
    spaces : tuple of Region
        All values of each feature.
    is_wanted : ndarray of shape (n_classes,)
        Which classes the changed sample may have.
    fixed : frozenset of int
        Features that must not change.
    scales : ndarray of shape (n_features,)
        What a change of each feature is divided by.
    antecedents : ndarray of shape (n_rules - 1, width)
        Conditions of each rule but the default rule, padded with the number of conditions.
    """

    ruleset: RuleSet
    rules: list[Rule]
    sample: tuple[float, ...]
    spaces: tuple[Region, ...]
    is_wanted: BoolArray
    fixed: frozenset[int]
    scales: FloatArray
    antecedents: IntArray = attrs.field(init=False)

    @antecedents.default
    def _padded(self) -> IntArray:
        rows, pad = self.ruleset.antecedents[:-1], len(self.ruleset.conditions)
        width = max(map(len, rows), default=0)
        padded = [[*row, *[pad] * (width - len(row))] for row in rows]
        return np.array(padded, dtype=np.int64).reshape(len(rows), width)

    def cost(self, changes: Changes) -> Cost:
        """How many features change, and the sum of their scaled changes."""
        return len(changes), math.fsum(self.distance(feature, value) for feature, value in changes.items())

    def distance(self, feature: int, value: float) -> float:
        """The change of a number in units of its scale; 1 for another category, or for a value that was missing."""
        own = self.sample[feature]
        is_measured = isinstance(self.spaces[feature], Numbers) and not math.isnan(own)
        return abs(value - own) / float(self.scales[feature]) if is_measured else 1.0

    def moved(self, changes: Changes) -> FloatArray:
        """The sample with changes, of shape (1, n_features)."""
        moved = np.array([self.sample])
        moved[0, list(changes)] = list(changes.values())
        return moved

    def answer(self, numbers: FloatArray) -> tuple[int, BoolArray]:
        """The class of a sample of shape (1, n_features), and which rules match; shape (n_rules - 1,)."""
        holds = np.append(self.ruleset.conditions.hold_for(numbers[0]), True)
        matches = np.asarray(holds[self.antecedents].all(axis=1))
        probabilities = self.ruleset.inference.infer_samples(matches[:, None], numbers, self.ruleset)
        return int(probabilities[0].argmax()), matches


def spaces(ruleset: RuleSet, sample: tuple[float, ...]) -> tuple[Region, ...]:
    """All values that each feature can have: numbers, or the known categories and the sample's own."""
    named = ruleset.conditions.codes_by_feature
    return tuple(
        Codes(named[feature] | (set() if math.isnan(own) else {int(own)})) if feature in named else Numbers()
        for feature, own in enumerate(sample)
    )


def threshold_ranges(ruleset: RuleSet) -> FloatArray:
    """The range of the thresholds on each feature, 1 where there is none; shape (n_features,)."""
    ranges = np.zeros(len(ruleset.feature_names))
    for feature, values in ruleset.conditions.limits_by_feature.items():
        ranges[feature] = np.ptp(values)
    return np.where((ranges > 0) & np.isfinite(ranges), ranges, 1.0)
