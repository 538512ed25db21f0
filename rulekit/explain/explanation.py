"""The prediction for one sample, and the rules behind it."""

from __future__ import annotations

from typing import Any

import attrs

from rulekit.core.arrays import FloatArray
from rulekit.explain.check import Check, plain
from rulekit.ruleset.matching import UnexpectedMissing
from rulekit.ruleset.rule import Rule


@attrs.frozen
class Tried:
    """A rule that was tried and did not match.

    Attributes
    ----------
    rule : Rule
    failed : Check
        The first condition that fails.
    """

    rule: Rule
    failed: Check


@attrs.frozen(eq=False)
class Explanation:
    """The prediction for one sample, and the rules behind it.

    Attributes
    ----------
    label
        Predicted class.
    probabilities : ndarray of shape (n_classes,)
        Predicted probabilities, as the ruleset's inference mode computes them.
    classes : tuple
        The labels, in the order of the probabilities.
    rule : Rule
        The rule that answers; the first of them if there are several, the default rule if no other matches.
    together : tuple of Rule
        The rules that answer together with `rule`.
    others : tuple of Rule
        The other rules that match, including those of `together`.
    tried : tuple of Tried
        The rules before `rule`, each with the first condition that fails.
    sample : tuple
        The sample's values: numbers, and labels of categories.
    numbers : tuple of float
        The values as the rules compare them.
    feature_names : tuple of str
    is_first_match : bool
        Whether `rule` answers because it is the first rule that matches.
    mode : str
        Name of the inference mode.
    without : tuple of float
        The probability of `label` if one of the answering rules were removed: `rule`, then each of `together`, without
        the default rule. Empty if `is_first_match`.
    ensemble : ndarray of shape (n_classes,) or None
        Probabilities that the ensemble itself predicts, if they were computed.
    unexpected_missing : tuple of str
        Features whose value is missing although training had no missing values there.
    missing_choice : {"error", "default-rule", "other-conditions"}
        What the ruleset does then; see `RuleSet.with_unexpected_missing`.
    """

    label: Any
    probabilities: FloatArray
    classes: tuple[Any, ...]
    rule: Rule
    together: tuple[Rule, ...]
    others: tuple[Rule, ...]
    tried: tuple[Tried, ...]
    sample: tuple[Any, ...]
    numbers: tuple[float, ...]
    feature_names: tuple[str, ...]
    is_first_match: bool
    mode: str
    without: tuple[float, ...] = ()
    ensemble: FloatArray | None = None
    unexpected_missing: tuple[str, ...] = ()
    missing_choice: UnexpectedMissing = "error"

    @property
    def values(self) -> dict[str, Any]:
        """The sample's values by name."""
        return dict(zip(self.feature_names, self.sample, strict=True))

    @property
    def checks(self) -> tuple[Check, ...]:
        """Each condition of the rule with the sample's value."""
        return checks_of(self.rule, self.sample, self.numbers)

    @property
    def agreeing(self) -> tuple[Rule, ...]:
        """Those of the other matching rules that predict the same class."""
        return tuple(other for other in self.others if other.label == self.label)

    @property
    def ensemble_label(self) -> Any:
        """The class that the ensemble itself predicts; None without `ensemble`."""
        return None if self.ensemble is None else self.classes[int(self.ensemble.argmax())]

    def answering(self, probabilities: FloatArray) -> Explanation:
        """The explanation with other probabilities, such as calibrated ones, of shape (n_classes,)."""
        label = self.classes[int(probabilities.argmax())]
        return attrs.evolve(self, label=label, probabilities=probabilities)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types, for JSON; missing values become None."""
        rules = (self.rule, *self.together)
        return {
            "label": plain(self.label),
            "classes": [plain(label) for label in self.classes],
            "probabilities": self.probabilities.tolist(),
            "inference": self.mode,
            "sample": [
                {"feature": name, "value": plain(value)}
                for name, value in zip(self.feature_names, self.sample, strict=True)
            ],
            "rule": describe(self.rule),
            "checks": [check.to_dict() for check in self.checks],
            "tried": [{"rule": each.rule.position, "failed": each.failed.to_dict()} for each in self.tried],
            "together": [rule.position for rule in self.together],
            "others": [{**describe(other), "agrees": other.label == self.label} for other in self.others],
            "unexpected_missing": list(self.unexpected_missing),
            "without": {str(rule.position): value for rule, value in zip(rules, self.without, strict=False)},
            "ensemble": None
            if self.ensemble is None
            else {"label": plain(self.ensemble_label), "probabilities": self.ensemble.tolist()},
        }

    def __str__(self) -> str:
        from rulekit.explain.sentences import lines

        return "\n".join(lines(self))

    def _repr_html_(self) -> str:
        from rulekit.explain.notebook import explanation_html

        return explanation_html(self)


def checks_of(rule: Rule, sample: tuple[Any, ...], numbers: tuple[float, ...]) -> tuple[Check, ...]:
    """Each condition of a rule, checked against a sample."""
    positions = ((condition, condition.feature_index) for condition in rule.conditions)
    return tuple(Check(condition, sample[position], numbers[position]) for condition, position in positions)


def describe(rule: Rule) -> dict[str, Any]:
    """A rule in plain types."""
    return {
        "rule": rule.position,
        "is_default": rule.is_default,
        "conditions": rule.antecedent,
        "label": plain(rule.label),
        "probability": rule.probability,
        "precision": rule.precision,
        "interval": list(rule.interval),
        "n_covered": rule.n_covered,
        "n_samples": rule.n_samples,
        "counts": rule.counts.tolist(),
        "answered": None
        if rule.answered_counts is None
        else {
            "precision": rule.answered_precision,
            "interval": None if rule.answered_interval is None else list(rule.answered_interval),
            "n_answered": rule.n_answered,
            "n_right": rule.n_right,
            "counts": rule.answered_counts.tolist(),
            "inside": rule.inside,
        },
    }
