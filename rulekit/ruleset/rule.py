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
    """

    position: int
    conditions: tuple[Condition, ...]
    label: Any
    class_index: int
    probabilities: FloatArray
    counts: IntArray
    n_samples: int

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
        """Jeffreys' 95 % interval of the precision."""
        low, high = precision_interval(self.counts[self.class_index], self.n_covered)
        return float(low), float(high)

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
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        conclusion = f"{visible(self.label)} (p = {self.probability:.3f}, {self.n_covered} of {self.n_samples} samples)"
        if self.is_default:
            return f"ELSE {conclusion}"
        return f"IF {self.antecedent} THEN {conclusion}"
