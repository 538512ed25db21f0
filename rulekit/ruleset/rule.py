"""A rule as a person looks at it."""

import math
from typing import Any, Literal

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.ruleset.numbers import readable


@attrs.frozen
class Condition:
    """One condition of a rule.

    Attributes
    ----------
    feature : str
        Name of the column.
    feature_index : int
    operator : {"<=", ">", "in", "not in"}
    threshold : float or None
        As the ensemble states it; None for sets.
    cutoff : float or None
        The exact float64 limit: ensembles that compare in float32 draw the line within a rounding of the threshold.
    labels : tuple
        The categories of a set.
    codes : frozenset of int
        Their codes.
    or_missing : bool
        Whether the condition also holds where the value is missing.
    """

    feature: str
    feature_index: int
    operator: Literal["<=", ">", "in", "not in"]
    threshold: float | None
    cutoff: float | None
    labels: tuple[Any, ...] = ()
    codes: frozenset[int] = frozenset()
    or_missing: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value (a category's code, for sets) satisfies the condition; NaN stands for a missing one."""
        if math.isnan(value):
            return self.or_missing
        inside = value in self.codes if self.cutoff is None else value <= self.cutoff
        return bool(inside) == (self.operator in ("<=", "in"))

    def __str__(self) -> str:
        names = f"{{{', '.join(str(label) for label in self.labels)}}}"
        limit = names if self.threshold is None else readable(self.threshold)
        return f"{self.feature} {self.operator} {limit}{' or missing' if self.or_missing else ''}"


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
        Training records of each class that satisfy the conditions; for the default rule, those that no rule covers (all
        records if there are none).
    n_records : int
        Size of the training set.
    """

    position: int
    conditions: tuple[Condition, ...]
    label: Any
    class_index: int
    probabilities: FloatArray
    counts: IntArray
    n_records: int

    @property
    def is_default(self) -> bool:
        """Whether this is the rule that answers when no other does."""
        return not self.conditions

    @property
    def clauses(self) -> tuple[str, ...]:
        """The conditions as texts that can be joined by "and": an "or" among several stands in brackets."""
        if len(self.conditions) == 1:
            return (str(self.conditions[0]),)
        return tuple(f"({each})" if each.or_missing else str(each) for each in self.conditions)

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
        """Training records that satisfy the conditions."""
        return int(self.counts.sum())

    @property
    def coverage(self) -> float:
        """Share of the training records that satisfy the conditions."""
        return self.n_covered / self.n_records

    @property
    def precision(self) -> float:
        """Share of the rule's class among the training records that it covers, 0 if there are none."""
        return float(self.counts[self.class_index] / max(self.n_covered, 1))

    @property
    def support(self) -> float:
        """Share of the training records that satisfy the conditions and are of the rule's class."""
        return float(self.counts[self.class_index] / self.n_records)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return (
            (self.position, self.conditions, self.label, self.n_records)
            == (other.position, other.conditions, other.label, other.n_records)
            and np.array_equal(self.probabilities, other.probabilities)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        conclusion = f"{self.label} (p = {self.probability:.3f}, {self.n_covered} of {self.n_records} records)"
        if self.is_default:
            return f"ELSE {conclusion}"
        return f"IF {self.antecedent} THEN {conclusion}"
