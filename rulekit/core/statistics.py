"""Statistics of rules from their class counts, and the order of rules that follows from them."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from rulekit.core.arrays import BoolArray, CountArray, FloatArray, IntArray


def row_sums(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums along the last axis where it is short: from (n, k) to (n,).

    Adding up columns is several times faster than NumPy's own sum of many short rows.
    """
    total = table[..., 0].copy()
    for column in range(1, table.shape[-1]):
        total += table[..., column]
    return total


def hits(counts: CountArray, classes: IntArray) -> CountArray:
    """Samples of each rule's own class: from (n_rules, n_classes) to (n_rules,)."""
    return counts[np.arange(len(classes)), classes]


def precision(counts: CountArray, classes: IntArray) -> FloatArray:
    """Fraction of each rule's samples that are of its class, 0 for a rule without samples; shape (n_rules,)."""
    return _fraction_right(hits(counts, classes), row_sums(counts))


def _fraction_right(own: CountArray, covered: CountArray) -> FloatArray:
    return np.asarray(own / np.where(covered > 0, covered, 1))


def precision_interval(
    right: npt.ArrayLike, covered: npt.ArrayLike, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Jeffreys' interval of the fraction of correct samples: quantiles of Beta(right + 1/2, wrong + 1/2).

    It stays between 0 and 1, reaches 0 where none is correct and 1 where all are, and keeps its nominal coverage on
    average even for a handful of samples (Brown, Cai and DasGupta 2001). Without samples it is the whole range from 0
    to 1.

    Parameters
    ----------
    right, covered : array-like of the same shape
        Number of samples of the rule's class, and of all samples that it covers.
    confidence : float, default=0.95

    Returns
    -------
    low, high : ndarrays of that shape

    Examples
    --------
    >>> low, high = precision_interval(19, 20)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.789 to 0.995
    """
    right, covered = np.asarray(right), np.asarray(covered)
    wrong, tail = covered - right, (1 - confidence) / 2
    low = np.where(right == 0, 0.0, betaincinv(right + 0.5, wrong + 0.5, tail))
    high = np.where(wrong == 0, 1.0, betaincinv(right + 0.5, wrong + 0.5, 1 - tail))
    return low, high


class Limits(NamedTuple):
    """Strict lower limits of a rule's coverage and precision.

    Attributes
    ----------
    n_samples : int or float
        Number of samples, or their weight, that coverage is a fraction of.
    min_coverage, min_precision : float
    min_class_coverage : float
        Limit of the fraction of the samples of its class that a rule covers; below 0 for none.
    class_counts : ndarray of shape (n_classes,) or None
        The samples of each class, or their weights, that it is a fraction of; None if there is no such limit.
    """

    n_samples: float
    min_coverage: float
    min_precision: float
    min_class_coverage: float = -1.0
    class_counts: CountArray | None = None

    @property
    def most_disjoint(self) -> float:
        """At most how many rules that share no sample exceed the limits of coverage; infinite if there are none."""
        most = math.inf if self.min_coverage <= 0 else math.ceil(1 / self.min_coverage)
        if self.class_counts is None or self.min_class_coverage <= 0:
            return most
        return min(most, len(self.class_counts) * math.ceil(1 / self.min_class_coverage))

    def may_be_general(self, counts: CountArray) -> BoolArray:
        """Whether rules with these counts cover enough samples to predict some class; from (..., n_classes) to (...).

        Where it is false, it is so of every rule inside, whatever class that one predicts.
        """
        enough = row_sums(counts) / self.n_samples > self.min_coverage
        if self.class_counts is not None:
            enough &= (counts / self.of_classes(counts.shape[-1]) > self.min_class_coverage).any(axis=-1)
        return np.asarray(enough)

    def exceeded_by(self, counts: CountArray, classes: IntArray) -> BoolArray:
        """Whether rules with these counts are general and precise enough; shape (n_rules,)."""
        return self.exceeded(hits(counts, classes), row_sums(counts), classes)

    def exceeded(self, own: CountArray, covered: CountArray, classes: IntArray) -> BoolArray:
        """The same for rules that cover so many samples of their own class and of any; shape (n_rules,)."""
        exceeds = covered / self.n_samples > self.min_coverage
        exceeds &= _fraction_right(own, covered) > self.min_precision
        if self.class_counts is not None:
            exceeds &= own / self.of_classes(len(self.class_counts))[classes] > self.min_class_coverage
        return np.asarray(exceeds)

    def of_classes(self, n_classes: int) -> FloatArray:
        """What coverage within a class is a fraction of: 1 for a class without samples; shape (n_classes,)."""
        if self.class_counts is None:
            return np.ones(n_classes)
        return np.where(self.class_counts > 0, self.class_counts, 1).astype(np.float64)


#: Limits that every rule exceeds.
EVERY_RULE = Limits(1, -1.0, -1.0)


SMALLEST = float(np.finfo(np.float64).tiny)


def deviations(confidence: float) -> float:
    """How many standard deviations the upper limit lies above the observed error; more for a smaller confidence."""
    # Computed in the lower tail: near 1, half of a small confidence would vanish and the quantile be infinite.
    return -float(ndtri(max(confidence / 2.0, SMALLEST)))


def pessimistic_error(support: FloatArray | int, error: FloatArray, z: float) -> FloatArray:
    """Upper limit, in percent, of the error rate of rules with an observed rate `error` on `support` samples.

    The upper limit of the Wilson score interval at `z` standard deviations; 0 for rules without samples.

    Parameters
    ----------
    support, error : ndarray of shape (n_rules,)
        A single support applies to all rules.
    z : float
        See `deviations`.
    """
    square = z * z
    # Numerator and denominator of the usual form times the support, which may be tiny.
    spread = z * np.sqrt(support * error * (1.0 - error) + square / 4.0)
    limit = (support * error + square / 2.0 + spread) / np.where(support > 0, support + square, 1.0)
    return np.where(support > 0, 100.0 * limit, 0.0)


RuleOrder = Literal["support", "coverage", "precision"]
RULE_ORDERS: tuple[RuleOrder, ...] = ("support", "coverage", "precision")


def merits(counts: CountArray, classes: IntArray, first: RuleOrder) -> tuple[FloatArray, FloatArray]:
    """Two numbers per rule that order rules by their statistics, larger first, the second where the first ones tie.

    Support, coverage and precision follow from any two of them, so two decide.
    """
    return merits_of(hits(counts, classes), row_sums(counts), first)


def merits_of(own: CountArray, covered: CountArray, first: RuleOrder) -> tuple[FloatArray, FloatArray]:
    """The same for rules that cover so many samples of their own class and of any."""
    if first == "precision":
        return _fraction_right(own, covered), own.astype(np.float64)
    both = own.astype(np.float64), covered.astype(np.float64)
    return both if first == "support" else both[::-1]


def string_order(conditions: IntArray, pad: int) -> IntArray:
    """Rows sorted by number of conditions, longest first, then by string; condition ids are ranks of their strings."""
    if not conditions.shape[1]:
        return np.arange(len(conditions))
    # Big-endian bytes compare as the numbers do: one sort of byte strings orders whole rows.
    keys = np.empty((len(conditions), 1 + conditions.shape[1]), dtype=">u4")
    keys[:, 0] = (conditions == pad).sum(axis=1)
    keys[:, 1:] = conditions
    rows = keys.view(f"S{keys.itemsize * keys.shape[1]}")[:, 0]
    return np.argsort(rows, kind="stable")
