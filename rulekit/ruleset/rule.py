"""One rule of a ruleset."""

from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.statistics import precision_interval
from rulekit.render.escaping import visible
from rulekit.ruleset.condition import Condition, Requirement, requirements


@attrs.frozen(eq=False)
class Rule:
    """IF all conditions hold THEN class, with the predicted probability.

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
        return self.n_covered / self.n_samples

    @property
    def precision(self) -> float:
        """Fraction of the covered training samples that are of the rule's class, 0 if there are none."""
        return float(self.counts[self.class_index] / max(self.n_covered, 1))

    @property
    def interval(self) -> tuple[float, float]:
        """Jeffreys' 95 % interval of `precision`, that of all covered samples."""
        return _interval(int(self.counts[self.class_index]), self.n_covered)

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
        return self.n_right / self.n_answered if self.n_answered and self.n_right is not None else None

    @property
    def answered_interval(self) -> tuple[float, float] | None:
        """Jeffreys' 95 % interval of `answered_precision`; None where that is None."""
        return _interval(self.n_right, self.n_answered) if self.n_answered and self.n_right is not None else None

    @property
    def support(self) -> float:
        """Fraction of the training samples that the rule covers and that are of its class."""
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


def _interval(right: int, whole: int) -> tuple[float, float]:
    low, high = precision_interval(right, whole)
    return float(low), float(high)


def _same(one: IntArray | None, other: IntArray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)
