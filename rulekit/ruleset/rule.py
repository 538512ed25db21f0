"""A rule as a person looks at it."""

from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.statistics import precision_interval
from rulekit.render.escaping import visible
from rulekit.ruleset.condition import Condition, Requirement, requirements


@attrs.frozen(eq=False)
class Rule:
    """IF all conditions hold THEN class, with the stated probability.

    Attributes
    ----------
    position : int
        Place in the ruleset, from 1.
    conditions : tuple of Condition
        Empty for the default rule.
    label
        The class that the rule concludes: the one with the largest stated probability.
    class_index : int
    probabilities : ndarray of shape (n_classes,)
        Stated class probabilities.
    counts : ndarray of shape (n_classes,)
        Training samples of each class that satisfy the conditions; for the default rule, those that no rule covers (all
        samples if there are none).
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
        """Whether this is the rule that answers when no other does."""
        return not self.conditions

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What the conditions ask of each feature, in the order in which they first speak of it."""
        return requirements(self.conditions)

    @property
    def clauses(self) -> tuple[str, ...]:
        """What is asked of each feature, as texts that can be joined by "and": an "or" among several is in brackets."""
        asked = self.requirements
        return tuple(f"({each})" if each.says_or and len(asked) > 1 else str(each) for each in asked)

    @property
    def antecedent(self) -> str:
        """The conditions as one text, empty for the default rule."""
        return " and ".join(self.clauses)

    @property
    def probability(self) -> float:
        """Stated probability of the rule's class."""
        return float(self.probabilities[self.class_index])

    @property
    def n_covered(self) -> int:
        """Training samples that satisfy the conditions."""
        return int(self.counts.sum())

    @property
    def coverage(self) -> float:
        """Share of the training samples that satisfy the conditions."""
        return self.n_covered / self.n_samples

    @property
    def precision(self) -> float:
        """Share of the rule's class among the training samples that it covers, 0 if there are none."""
        return float(self.counts[self.class_index] / max(self.n_covered, 1))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the precision on other samples lies, with 95 % confidence: Jeffreys' interval of the counts."""
        low, high = precision_interval(self.counts[self.class_index], self.n_covered)
        return float(low), float(high)

    @property
    def support(self) -> float:
        """Share of the training samples that satisfy the conditions and are of the rule's class."""
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
