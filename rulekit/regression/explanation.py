"""Why a sample gets its number: the rules that match, and what each adds or answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import attrs

from rulekit.explain.samples import read_samples
from rulekit.regression.table import Digits

if TYPE_CHECKING:
    from rulekit.regression.rules import NumberRule, RegressionRules


@attrs.frozen
class RegressionExplanation:
    """The prediction for one sample, and the rules behind it.

    Attributes
    ----------
    prediction : float
    interval : tuple of float or None
        For nine in ten targets; None if the rules have no calibrated intervals.
    rules : tuple of NumberRule
        The rules that are added up, the intercept last; or the only one that answers.
    combination : {"sum", "first"}
    """

    prediction: float
    interval: tuple[float, float] | None
    rules: tuple[NumberRule, ...]
    combination: str

    def __str__(self) -> str:
        shown = Digits.of([rule.scale for rule in self.rules])
        lines = [f"Predicted: {shown(self.prediction)}"]
        if self.interval is not None:
            low, high = map(shown, self.interval)
            lines[0] += f" (90 % interval {low} to {high})"
        if self.combination == "first":
            (rule,) = self.rules
            reason = "no rule matches" if rule.is_default else "it is the first rule whose conditions all hold"
            lines.append(f"Rule {rule.position} answers, because {reason}:")
            lines.append(f"  {rule.antecedent or '(otherwise)'}")
            lines.append(f"It answers {rule.n_answered} of {rule.n_samples} training samples.")
            return "\n".join(lines)
        *matching, intercept = self.rules
        lines.append("It is the sum of the intercept and of each rule that matches:")
        cells = [(shown(rule.value, signed=True), f"rule {rule.position}: {rule.antecedent}") for rule in matching]
        cells = [(shown(intercept.value), "always"), *cells]
        width = max(len(value) for value, _ in cells)
        return "\n".join([*lines, *(f"  {value:>{width}}  {reason}" for value, reason in cells)])


@attrs.frozen
class RegressionExplanations(Sequence[RegressionExplanation]):
    """Explanations of several samples, in order.

    Attributes
    ----------
    each : tuple of RegressionExplanation
    """

    each: tuple[RegressionExplanation, ...]

    def __len__(self) -> int:
        return len(self.each)

    @overload
    def __getitem__(self, position: int) -> RegressionExplanation: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[RegressionExplanation]: ...
    def __getitem__(self, position: int | slice) -> RegressionExplanation | Sequence[RegressionExplanation]:
        return self.each[position]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.each))


def explain(rules: RegressionRules, X: Any) -> RegressionExplanation | RegressionExplanations:
    """Explain the prediction of one sample, or of several."""
    samples = read_samples(X, rules.feature_names, numbers_only=not rules.conditions.categories.by_feature)
    numbers = rules.as_numbers(samples.values)
    matches, predicted = rules.matches_of(numbers), rules.answer(numbers)
    intervals = None if rules.quantiles is None else rules.interval(numbers, 0.9)
    found = []
    for sample in range(len(numbers)):
        matching = [position for position in range(len(rules) - 1) if matches[position, sample]]
        behind = [*matching, len(rules) - 1]
        if rules.combination == "first":
            del behind[1:]
        interval = None if intervals is None else (float(intervals[sample, 0]), float(intervals[sample, 1]))
        answering = tuple(rules[position] for position in behind)
        found.append(RegressionExplanation(float(predicted[sample]), interval, answering, rules.combination))
    return found[0] if len(found) == 1 else RegressionExplanations(tuple(found))
