"""Rules as rows of arrays: during the search, as estimators see them, and as the finished list."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray
from rulekit.core.engine.interface import Pairs
from rulekit.core.index import TrainingIndex
from rulekit.core.statistics import EVERY_RULE, row_sums

if TYPE_CHECKING:
    from rulekit.core.honest import HonestSamples
    from rulekit.core.training_data import TrainingData

# Samples times rules that are held as float64 numbers at once: 32 MB.
BLOCK = 2**22


@attrs.frozen(eq=False)
class Rules:
    """A batch of rules with the training samples that they cover.

    Attributes
    ----------
    conditions : ndarray of shape (n_rules, width)
        Condition ids of each antecedent, ascending, padded at the end with the index's `pad`.
    priors : ndarray of shape (n_rules, n_classes)
        Local class distribution inherited from the ensemble.
    classes : ndarray of shape (n_rules,)
        Index of the class that the rule predicts.
    samples : ndarray of shape (n_rules, n_words) or Pairs
        Samples that satisfy the antecedent: as bits, or as pairs of sets that they are the intersections of.
    counts : ndarray of shape (n_rules, n_classes)
        Number of these samples of each class.
    groups : ndarray of shape (n_rules,)
        Rules of different groups share no sample (leaves of one tree); all 0 where that is unknown.
    """

    conditions: IntArray
    priors: FloatArray
    classes: IntArray
    samples: BitArray | Pairs
    counts: IntArray
    groups: IntArray

    def __len__(self) -> int:
        return len(self.classes)

    @classmethod
    def of(
        cls, conditions: IntArray, priors: FloatArray, classes: IntArray, index: TrainingIndex, groups: IntArray | None
    ) -> Self:
        """Rules from their antecedents; bits and counts are looked up in the index."""
        bits = index.cover(conditions)
        groups = np.zeros(len(classes), dtype=np.int64) if groups is None else groups
        return cls(conditions, priors, classes, bits, index.count(bits), groups)

    def on(self, index: TrainingIndex) -> Self:
        """The same rules with the samples of another index of the same conditions."""
        return type(self).of(self.conditions, self.priors, self.classes, index, self.groups)

    @property
    def covered(self) -> IntArray:
        """Samples that each rule covers, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def bits(self) -> BitArray:
        """Samples that satisfy each antecedent, as bits of shape (n_rules, n_words)."""
        return self.samples.bits() if isinstance(self.samples, Pairs) else self.samples

    def take(self, rows: IntArray) -> Self:
        """Only these rules, in this order."""
        return type(self)(
            self.conditions[rows],
            self.priors[rows],
            self.classes[rows],
            self.samples.take(rows) if isinstance(self.samples, Pairs) else self.samples[rows],
            self.counts[rows],
            self.groups[rows],
        )

    def answering(self, index: TrainingIndex) -> Self:
        """Only the rules that answer some sample if they are tried in this order.

        A rule inside an earlier one is never among them: the earlier rule matches whatever it matches.
        """
        alive = np.flatnonzero(row_sums(answered_counts(self.bits, index)[:-1]))
        return self if len(alive) == len(self) else self.take(alive)


@attrs.frozen(eq=False)
class Refined:
    """What a refine stage returns if it has more to tell than its rules.

    Attributes
    ----------
    rules : Rules
        The list to use, in the order in which the rules are to be tried.
    path : tuple of Rules
        Lists of other lengths that the stage found on its way, for `model.path_`; in any order, at most one per length.
    honest : HonestSamples or None
        Honest probabilities, and virtual samples, that the final estimator may use again.
    report : mapping of str to object
        What the stage did, for `history_`: numbers and short strings.
    """

    rules: Rules
    path: tuple[Rules, ...] = ()
    honest: "HonestSamples | None" = None
    report: Mapping[str, Any] = attrs.field(factory=dict)

    @classmethod
    def of(cls, result: "Rules | Refined") -> "Refined":
        """The result of a refine stage, which may be rules alone."""
        return result if isinstance(result, Refined) else cls(result)


def joined(bits: Sequence[Any]) -> Any:
    """All sets of samples of several batches, in order: arrays of bits, or `SampleSets`."""
    return np.concatenate(bits) if isinstance(bits[0], np.ndarray) else type(bits[0]).joined(bits)


def concatenate(parts: Sequence[Rules], pad: int) -> Rules:
    """All rules of several batches, in order."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.conditions.shape[1] for part in parts)
    widened = [
        np.pad(part.conditions, ((0, 0), (0, width - part.conditions.shape[1])), constant_values=pad) for part in parts
    ]
    others = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("priors", "classes", "counts", "groups")
    )
    priors, classes, counts, groups = others
    bits = joined([part.bits for part in parts])
    return Rules(np.concatenate(widened), priors, classes, bits, counts, groups)


class RuleBatch:
    """Antecedents whose class probabilities are to be estimated.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_rules, width)
        Condition ids, padded with `index.pad`; pads may be at any position.
    priors : ndarray of shape (n_rules, n_classes)
        Local class distribution that each rule inherits from the ensemble.
    counts : ndarray of shape (n_rules, n_classes), optional
        Samples of each class that satisfy each antecedent, if they are already known.
    """

    def __init__(
        self, index: TrainingIndex, conditions: IntArray, priors: FloatArray, counts: IntArray | None = None
    ) -> None:
        self.index = index
        self._conditions = conditions
        self._priors = priors
        if counts is not None:
            self.__dict__["counts"] = counts

    def __len__(self) -> int:
        return len(self._conditions)

    @property
    def conditions(self) -> IntArray:
        """Condition ids of each antecedent and pads, of shape (n_rules, width)."""
        return self._conditions

    @property
    def priors(self) -> FloatArray:
        """Local class distributions, of shape (n_rules, n_classes)."""
        return self._priors

    @cached_property
    def counts(self) -> IntArray:
        """Samples of each class that satisfy each antecedent, of shape (n_rules, n_classes)."""
        return self.index.count(self.index.cover(self.conditions))

    @cached_property
    def support(self) -> IntArray:
        """Samples that satisfy each antecedent, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def is_empty(self) -> BoolArray:
        """Whether an antecedent has no condition, of shape (n_rules,)."""
        return np.asarray((self.conditions == self.index.pad).all(axis=1))

    def sum_over_conditions(self, table: FloatArray) -> FloatArray:
        """Sums of a table's entries over the conditions of each antecedent.

        Parameters
        ----------
        table : ndarray of shape (n_columns, n_conditions + 1)
            The last entry of a row, that of `index.pad`, should be 0.

        Returns
        -------
        sums : ndarray of shape (n_columns, n_rules)
        """
        return self.index.engine.sums(table, self.conditions)


class RemovalBatch(RuleBatch):
    """Every antecedent that arises by removing one condition from one of the given rules, rule by rule.

    Parameters
    ----------
    index : TrainingIndex
    conditions : ndarray of shape (n_parents, width)
    priors : ndarray of shape (n_parents, n_classes)
    """

    def __len__(self) -> int:
        return len(self._removed[0])

    @cached_property
    def _removed(self) -> tuple[IntArray, IntArray]:
        """For each antecedent, the given rule and the position of the condition that is removed from it."""
        parents, positions = np.nonzero(self._conditions != self.index.pad)
        return parents, positions

    @cached_property
    def conditions(self) -> IntArray:
        """Condition ids of each antecedent and pads, of shape (n_rules, width)."""
        parents, positions = self._removed
        removals = self._conditions[parents]
        removals[np.arange(len(parents)), positions] = self.index.pad
        return removals

    @cached_property
    def priors(self) -> FloatArray:
        """Local class distributions, those of the given rules; shape (n_rules, n_classes)."""
        return self._priors[self._removed[0]]

    @cached_property
    def counts(self) -> IntArray:
        """Samples of each class that satisfy each antecedent, counted for all removals of a rule at once."""
        return self.index.removal_counts(self._conditions)

    def sum_over_conditions(self, table: FloatArray) -> FloatArray:
        """Sums as for any batch, each computed from its rule's sum by subtracting one term.

        They are exact if all sums are, as those of `exact_logs` are. Where a sum is infinite, the other terms are added
        up instead.
        """
        return self.index.engine.removal_sums(table, self._conditions, self.index.pad)


class RuleList(RuleBatch):
    """The finished list of rules, in order, followed by the default rule: the input of the final estimator.

    A sample is covered by every rule whose conditions it satisfies, and answered by the first of them. The default rule
    answers the samples that no other rule covers.

    Parameters
    ----------
    data : TrainingData
        The samples to count: all of the training data, or those that the final estimator held back.
    conditions : ndarray of shape (n_rules, width)
        Condition ids in the order in which the rules are tried, padded with `data.index.pad`.
    priors : ndarray of shape (n_rules, n_classes), optional
        Local class distribution that each rule inherits from the ensemble; by default the mean of what the ensemble
        predicts for the samples that a rule covers, or for all samples where it covers none.
    counts : ndarray of shape (n_rules, n_classes), optional
        Covered samples of each class, if they are already known.
    bits : ndarray of shape (n_rules, n_words), optional
        Covered samples as bits, if they are already known.
    honest : HonestSamples, optional
        Honest probabilities that the refine stage made.
    """

    def __init__(
        self,
        data: "TrainingData",
        conditions: IntArray,
        priors: FloatArray | None = None,
        counts: IntArray | None = None,
        bits: BitArray | None = None,
        honest: "HonestSamples | None" = None,
    ) -> None:
        super().__init__(data.index, conditions, np.empty((0, 0)))
        self.data = data
        self.honest = honest
        known = {"priors": priors, "counts": counts, "bits": bits}
        self.__dict__.update({name: array for name, array in known.items() if array is not None})

    @cached_property
    def priors(self) -> FloatArray:
        """Local class distributions, of shape (n_rules, n_classes)."""
        probabilities, covered = self.data.ensemble_probabilities, self.support
        weights = self.index.weights_of(self.data.y)
        means = np.tile(np.average(probabilities, axis=0, weights=weights), (len(self), 1))
        probabilities = weights[:, None] * probabilities
        at_once = max(1, BLOCK // max(1, len(probabilities)))
        for start in range(0, len(self), at_once):
            rows = start + np.flatnonzero(covered[start : start + at_once])
            sums = self.index.samples(self.bits[rows]).astype(np.float64) @ probabilities
            means[rows] = sums / covered[rows, None]
        return means

    @cached_property
    def bits(self) -> BitArray:
        """Samples that each rule covers, as bits of shape (n_rules, n_words)."""
        return self.index.cover(self.conditions)

    @cached_property
    def counts(self) -> IntArray:
        """Covered samples of each class, of shape (n_rules, n_classes)."""
        return self.index.count(self.bits)

    @cached_property
    def answered_counts(self) -> IntArray:
        """Answered samples of each class, of shape (n_rules + 1, n_classes); the last row is the default rule's."""
        return answered_counts(self.bits, self.index)

    @cached_property
    def answering(self) -> IntArray:
        """The rule that answers each sample of `data`, of shape (n_samples,); `n_rules` stands for the default rule."""
        answering = np.full(self.index.n_samples, len(self))
        for rule in range(len(self) - 1, -1, -1):
            answering[self.index.samples(self.bits[rule])] = rule
        return answering

    @property
    def default_counts(self) -> IntArray:
        """Samples of each class that no rule answers, or all samples if there are none; shape (n_classes,)."""
        return default_counts(self.answered_counts, self.index)

    @property
    def default_fractions(self) -> FloatArray:
        """Class fractions of `default_counts`, of shape (n_classes,)."""
        return self.default_counts / self.default_counts.sum()


def answered_counts(bits: BitArray, index: TrainingIndex) -> IntArray:
    """Samples of each class that each rule of a list answers, of shape (n_rules + 1, n_classes).

    Parameters
    ----------
    bits : ndarray of shape (n_rules, n_words)
        Samples that each rule covers, in the order of the rules.
    index : TrainingIndex

    Returns
    -------
    counts : ndarray of shape (n_rules + 1, n_classes)
        The last row counts the samples that no rule covers.
    """
    _, answered = index.engine.sequence(bits, np.zeros(len(bits), dtype=np.int64), index.all_samples.copy(), EVERY_RULE)
    return np.vstack([answered, index.class_counts - answered.sum(axis=0)])


def list_counts(bits: BitArray, index: TrainingIndex) -> tuple[IntArray, IntArray]:
    """Samples of each class that each rule of a list covers, and those that it answers; see `answered_counts`.

    Returns
    -------
    counts, answered : ndarrays of shape (n_rules + 1, n_classes)
        The last row of `counts` is that of the default rule, see `default_counts`.
    """
    answered = answered_counts(bits, index)
    return np.vstack([index.count(bits), default_counts(answered, index)]), answered


def default_counts(answered: IntArray, index: TrainingIndex) -> IntArray:
    """Samples of each class behind the default rule: those it answers, or all samples if there are none."""
    return answered[-1] if answered[-1].any() else index.class_counts
