"""The task of a search for a counterfactual: a sample, what may change, and what a change costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.regions import Numbers, Region
from rulekit.explain.boxes import Box

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
        The values that each feature may have, the sample's own among them.
    is_wanted : ndarray of shape (n_classes,)
        Which classes the changed sample may have.
    groups : tuple of tuples of int
        Features that change by the same amount.
    scales : ndarray of shape (n_features,)
        What a change of each feature is divided by.
    whole : frozenset of int
        Features that change to whole numbers only.
    antecedents : ndarray of shape (n_rules - 1, width)
        Conditions of each rule but the default rule, padded with the number of conditions.
    """

    ruleset: RuleSet
    rules: list[Rule]
    sample: tuple[float, ...]
    spaces: tuple[Region, ...]
    is_wanted: BoolArray
    groups: tuple[tuple[int, ...], ...]
    scales: FloatArray
    whole: frozenset[int] = attrs.field(init=False)
    antecedents: IntArray = attrs.field(init=False)

    @whole.default
    def _whole_features(self) -> frozenset[int]:
        return self.ruleset.conditions.whole_features

    @antecedents.default
    def _padded(self) -> IntArray:
        rows, pad = self.ruleset.antecedents[:-1], len(self.ruleset.conditions)
        width = max(map(len, rows), default=0)
        padded = [[*row, *[pad] * (width - len(row))] for row in rows]
        return np.array(padded, dtype=np.int64).reshape(len(rows), width)

    def nearest(self, box: Box) -> Changes | None:
        """The smallest allowed changes that move the sample into a box, by feature; None if there are none."""
        changes = {}
        linked = {feature for group in self.groups for feature in group}
        for feature in box.sides.keys() - linked:
            value = _nearest(box.side(feature), self.sample[feature], feature in self.whole)
            if value is None:
                return None
            if not _is_same(value, self.sample[feature]):
                changes[feature] = value
        for group in self.groups:
            together = self._together(box, group) if not box.sides.keys().isdisjoint(group) else {}
            if together is None:
                return None
            changes.update(together)
        return changes

    def _together(self, box: Box, group: tuple[int, ...]) -> Changes | None:
        """The smallest change of linked features, by the same amount; none of a group with a missing value."""
        own = {feature: self.sample[feature] for feature in group}
        sides = {feature: side for feature in group if isinstance(side := box.side(feature), Numbers)}
        if all(side.holds(own[feature]) for feature, side in sides.items()):
            return {}
        whole = [feature for feature in group if feature in self.whole]
        if any(map(math.isnan, own.values())) or not all(own[feature].is_integer() for feature in whole):
            return None
        amounts = Numbers(missing=False)
        for feature, side in sides.items():
            amounts = amounts.intersect(side.moved(-own[feature]))
        amount = _nearest(amounts, 0.0, bool(whole))
        if amount is None:
            return None
        # Adding the amount may round a number across the end of its interval.
        moved = {feature: _nearest(side, own[feature] + amount, False) for feature, side in sides.items()}
        return {feature: value for feature, value in moved.items() if value is not None}

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


def _nearest(side: Region, own: float, is_whole: bool) -> float | None:
    """The nearest value to a sample's own, a whole number if it has to be; None if there is none."""
    return side.nearest_whole(own) if is_whole and isinstance(side, Numbers) else side.nearest(own)


def _is_same(value: float, own: float) -> bool:
    return value == own or (math.isnan(value) and math.isnan(own))


def threshold_ranges(ruleset: RuleSet) -> FloatArray:
    """The range of the thresholds on each feature, 1 where there is none; shape (n_features,)."""
    ranges = np.zeros(len(ruleset.feature_names))
    for feature, values in ruleset.conditions.limits_by_feature.items():
        ranges[feature] = np.ptp(values)
    return np.where((ranges > 0) & np.isfinite(ranges), ranges, 1.0)
