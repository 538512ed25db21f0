"""Counts of held-out samples for each rule; the samples themselves are not kept."""

from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import first_match
from rulekit.core.statistics import hits, precision_interval
from rulekit.evaluation.labels import class_indices
from rulekit.evaluation.overlap import shared_samples
from rulekit.ruleset import RuleSet


@attrs.frozen(eq=False)
class Fraction:
    """A fraction for each rule, as two counts.

    Attributes
    ----------
    part, whole : ndarray of shape (n_rules,)
    """

    part: IntArray
    whole: IntArray

    @property
    def values(self) -> FloatArray:
        """The fractions, NaN where `whole` is 0; shape (n_rules,)."""
        return np.divide(self.part, self.whole, out=np.full(len(self.part), np.nan), where=self.whole > 0)

    @property
    def intervals(self) -> tuple[FloatArray, FloatArray]:
        """Jeffreys' 95 % intervals of the fractions, each end of shape (n_rules,)."""
        return precision_interval(self.part, self.whole)

    def differs_from(self, other: "Fraction") -> BoolArray:
        """Where the two intervals are disjoint and neither `whole` is 0; shape (n_rules,)."""
        (low, high), (other_low, other_high) = self.intervals, other.intervals
        return ((low > other_high) | (other_low > high)) & (self.whole > 0) & (other.whole > 0)


@attrs.frozen(eq=False)
class Facts:
    """Counts of held-out and training samples for each rule; the default rule is last.

    Attributes
    ----------
    fired : Fraction
        Correct predictions among the held-out samples that a rule answers.
    precision, coverage : Fraction
        On the held-out samples that a rule covers; for the default rule, on those that no other rule covers.
    trained_precision, trained_coverage : Fraction
        The same for the training samples.
    overlap : Fraction
        Samples of a rule that another rule covers too.
    conflict : Fraction
        Samples of a rule that a rule of another class covers too.
    shared : ndarray of shape (n_rules - 1, n_rules - 1)
        Held-out samples that both rules cover.
    right : ndarray of shape (n_rules - 1, n_rules - 1)
        Number of them that belong to the class of the row's rule.
    n_samples : int
        Held-out samples.
    """

    fired: Fraction
    precision: Fraction
    coverage: Fraction
    trained_precision: Fraction
    trained_coverage: Fraction
    overlap: Fraction
    conflict: Fraction
    shared: IntArray
    right: IntArray
    n_samples: int

    @classmethod
    def of(cls, ruleset: RuleSet, X: Any, y: Any) -> Self:
        """Count the samples.

        Parameters
        ----------
        ruleset : RuleSet
        X : array-like or DataFrame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels.
        """
        matches, truth = ruleset.matches(X), class_indices(y, ruleset.classes)
        if matches.shape[1] != len(truth):
            raise ValueError(
                f"Each sample needs one label; X has {matches.shape[1]} samples and y has {len(truth)} labels."
            )
        concluded = ruleset.probabilities.argmax(axis=1)
        fired = _by_class(first_match(matches), truth, ruleset.probabilities.shape)
        covered = np.vstack([_covered(matches, truth, len(ruleset.classes)), fired[-1:]])
        trained = _trained(ruleset)
        n_rules, n_covered = len(ruleset), covered.sum(axis=1)
        return cls(
            fired=Fraction(hits(fired, concluded), fired.sum(axis=1)),
            precision=Fraction(hits(covered, concluded), n_covered),
            coverage=Fraction(n_covered, np.full(n_rules, len(truth))),
            trained_precision=Fraction(hits(trained, concluded), trained.sum(axis=1)),
            trained_coverage=Fraction(trained.sum(axis=1), np.full(n_rules, ruleset.n_samples)),
            overlap=Fraction(np.append(matches[:, matches.sum(axis=0) > 1].sum(axis=1), 0), n_covered),
            conflict=Fraction(np.append(_in_conflict(matches, concluded[:-1]), 0), n_covered),
            shared=shared_samples(matches),
            right=_right(matches, truth, concluded[:-1]),
            n_samples=len(truth),
        )


def _by_class(rules: IntArray, truth: IntArray, shape: tuple[int, ...]) -> IntArray:
    """Samples of each rule and class, from the rule and the class of each sample."""
    return np.bincount(rules * shape[1] + truth, minlength=shape[0] * shape[1]).reshape(shape)


def _covered(matches: BoolArray, truth: IntArray, n_classes: int) -> IntArray:
    """Samples of each class that each rule covers, of shape (n_rules, n_classes)."""
    columns = [matches[:, truth == position].sum(axis=1) for position in range(n_classes)]
    return np.column_stack(columns).astype(np.int64)


def _trained(ruleset: RuleSet) -> IntArray:
    """Training samples of each rule and class; none for a default rule that answered none."""
    counts = np.array(ruleset.counts, dtype=np.int64)
    if len(ruleset) > 1 and counts[-1].sum() == ruleset.n_samples:
        counts[-1] = 0
    return counts


def _in_conflict(matches: BoolArray, concluded: IntArray) -> IntArray:
    """Samples of each rule that a rule of another class covers too, of shape (n_rules,)."""
    classes = np.unique(concluded)
    n_answers = np.zeros(matches.shape[1], dtype=np.int64)
    for position in classes:
        n_answers += matches[concluded == position].any(axis=0)
    return matches[:, n_answers > 1].sum(axis=1)


def _right(matches: BoolArray, truth: IntArray, concluded: IntArray) -> IntArray:
    """Shared samples of the class of the row's rule, of shape (n_rules, n_rules)."""
    right = np.zeros((len(matches), len(matches)), dtype=np.int64)
    for position in np.unique(concluded):
        own = concluded == position
        right[own] = shared_samples(matches[:, truth == position])[own]
    return right
