"""One rule of a ruleset."""

from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.statistics import precision_interval
from rulekit.render.escaping import visible
from rulekit.ruleset.condition import Condition, Requirement, requirements


@attrs.frozen(eq=False)
class RuleWeights:
    """What the training samples of one rule weigh.

    Attributes
    ----------
    counts : ndarray of shape (n_classes,)
        Of the samples that the rule covers, by class; for the default rule, of those that no rule covers.
    answered_counts : ndarray of shape (n_classes,) or None
        Of the samples that it answers; None if these are unknown.
    total : float
        Of all training samples.
    """

    counts: FloatArray
    answered_counts: FloatArray | None
    total: float


@attrs.frozen(eq=False)
class Rule:
    """IF all conditions hold THEN class, with the predicted probability.

    Counts are those of samples. Fractions, such as `precision` and `coverage`, are those of their weights, if `fit` got
    weights.

    Attributes
    ----------
    position : int
        Position in the ruleset, from 1.
    conditions : tuple of Condition
        Empty for the default rule.
    label
        The class that the rule predicts: the most probable one.
    class_index : int
    probabilities : ndarray of shape (n_classes,)
        Predicted class probabilities.
    counts : ndarray of shape (n_classes,)
        Covered training samples of each class; for the default rule, those that no rule covers (all samples if there
        are none).
    n_samples : int
        Size of the training set.
    answered_counts : ndarray of shape (n_classes,) or None
        Training samples of each class that the rule answers, because it is the first that matches; None if that is
        unknown, or if the inference mode lets other rules answer them too.
    inside : int or None
        Position of the first earlier rule that this one lies inside, so that it can never answer. None if there is
        none, where the answered samples are None, and in rulesets too large to compare all rules (more than 2,000).
    weights : RuleWeights or None
        What the samples weigh; None if each counts as one.
    """

    position: int
    conditions: tuple[Condition, ...]
    label: Any
    class_index: int
    probabilities: FloatArray
    counts: IntArray
    n_samples: int
    answered_counts: IntArray | None = None
    inside: int | None = None
    weights: RuleWeights | None = None

    @property
    def is_default(self) -> bool:
        """Whether this is the default rule, which answers when no other rule does."""
        return not self.conditions

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What the conditions require of each feature, in the order of first use."""
        return requirements(self.conditions)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The requirements as strings to be joined by "and"; among several, one with an "or" is in parentheses."""
        required = self.requirements
        return tuple(f"({each})" if each.contains_or and len(required) > 1 else str(each) for each in required)

    @property
    def antecedent(self) -> str:
        """The conditions as one string, empty for the default rule."""
        return " and ".join(self.clauses)

    @property
    def probability(self) -> float:
        """Predicted probability of the rule's class."""
        return float(self.probabilities[self.class_index])

    @property
    def n_covered(self) -> int:
        """Number of training samples that the rule covers."""
        return int(self.counts.sum())

    @property
    def coverage(self) -> float:
        """Fraction of the training samples that the rule covers."""
        if self.weights is not None:
            return float(self.weights.counts.sum()) / self.weights.total
        return self.n_covered / self.n_samples

    @property
    def precision(self) -> float:
        """Fraction of the covered training samples that are of the rule's class, 0 if there are none."""
        if self.weights is not None:
            return _fraction(self.weights.counts, self.class_index)
        return float(self.counts[self.class_index] / max(self.n_covered, 1))

    @property
    def interval(self) -> tuple[float, float]:
        """Jeffreys' 95 % interval of `precision`, that of all covered samples."""
        by_weight = None if self.weights is None else self.precision
        return interval(int(self.counts[self.class_index]), self.n_covered, by_weight)

    @property
    def n_answered(self) -> int | None:
        """Number of training samples that the rule answers; None if unknown."""
        return None if self.answered_counts is None else int(self.answered_counts.sum())

    @property
    def n_right(self) -> int | None:
        """Number of the answered training samples that are of the rule's class; None if unknown."""
        return None if self.answered_counts is None else int(self.answered_counts[self.class_index])

    @property
    def answered_precision(self) -> float | None:
        """Fraction of the answered training samples that are of the rule's class; None if unknown or without any."""
        if not self.n_answered or self.n_right is None:
            return None
        if self.weights is not None and self.weights.answered_counts is not None:
            return _fraction(self.weights.answered_counts, self.class_index)
        return self.n_right / self.n_answered

    @property
    def answered_interval(self) -> tuple[float, float] | None:
        """Jeffreys' 95 % interval of `answered_precision`; None where that is None."""
        if not self.n_answered or self.n_right is None:
            return None
        return interval(self.n_right, self.n_answered, None if self.weights is None else self.answered_precision)

    @property
    def support(self) -> float:
        """Fraction of the training samples that the rule covers and that are of its class."""
        if self.weights is not None:
            return float(self.weights.counts[self.class_index] / self.weights.total)
        return float(self.counts[self.class_index] / self.n_samples)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return (
            (self.position, self.conditions, self.label, self.n_samples)
            == (other.position, other.conditions, other.label, other.n_samples)
            and np.array_equal(self.probabilities, other.probabilities)
            and np.array_equal(self.counts, other.counts)
            and _same(self.answered_counts, other.answered_counts)
            and _same_weights(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        samples = f"covers {self.n_covered} of {self.n_samples} samples"
        if self.answered_counts is not None:
            samples = f"answers {self.n_answered or 'none'} and {samples}"
        conclusion = f"{visible(self.label)} (p = {self.probability:.3f}, {samples})"
        if self.is_default:
            return f"ELSE {conclusion}"
        return f"IF {self.antecedent} THEN {conclusion}"


def interval(right: int, whole: int, by_weight: float | None) -> tuple[float, float]:
    """Jeffreys' 95 % interval of a precision: that of counts, or one by weight of as many samples."""
    low, high = precision_interval(right if by_weight is None else by_weight * whole, whole)
    return float(low), float(high)


def _fraction(weights: FloatArray, class_index: int) -> float:
    total = float(weights.sum())
    return float(weights[class_index]) / total if total else 0.0


def _same(one: IntArray | FloatArray | None, other: IntArray | FloatArray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def _same_weights(one: RuleWeights | None, other: RuleWeights | None) -> bool:
    if one is None or other is None:
        return one is other
    return (
        one.total == other.total
        and _same(one.counts, other.counts)
        and _same(one.answered_counts, other.answered_counts)
    )
