"""Candidates for the cover: nodes of the trees, and intersections of two, that are precise enough."""

from collections.abc import Iterator, Sequence
from typing import Self

import attrs
import numpy as np

from rulekit.plugin import BitArray, FloatArray, IntArray, ProbabilityEstimator, hits, row_sums
from rulekit_set_cover.samples import Samples

# Words of bits that are processed at once: 32 MB.
BLOCK_WORDS = 2**22


@attrs.frozen(eq=False)
class Candidates:
    """Antecedents with their probabilities.

    Attributes
    ----------
    antecedents : ndarray of shape (n, width)
        Condition ids, padded; rows ascend.
    probabilities : ndarray of shape (n, n_classes)
        Class probabilities; the most probable class is the one that the rule predicts.
    bits : ndarray of shape (n, n_words)
        Samples that satisfy each antecedent, as `Samples.predicted` lays them out.
    """

    antecedents: IntArray
    probabilities: FloatArray
    bits: BitArray

    def __len__(self) -> int:
        return len(self.antecedents)

    @property
    def classes(self) -> IntArray:
        """The class that each rule predicts, of shape (n,)."""
        return self.probabilities.argmax(axis=1)

    def lengths(self, pad: int) -> IntArray:
        """Conditions of each rule, of shape (n,)."""
        return np.count_nonzero(self.antecedents != pad, axis=1)

    def take(self, rows: IntArray) -> Self:
        """Only these, in this order."""
        return type(self)(self.antecedents[rows], self.probabilities[rows], self.bits[rows])


def precise(
    antecedents: IntArray, samples: Samples, estimator: ProbabilityEstimator, min_precision: float, at_most: int
) -> Candidates:
    """Antecedents that agree with the ensemble on enough of the samples that they cover.

    Parameters
    ----------
    antecedents : ndarray of shape (n, width)
    samples : Samples
    estimator : ProbabilityEstimator
        Fitted; its probabilities determine the class of each rule.
    min_precision : float
        Fraction of a rule's samples for which the ensemble must predict its class.
    at_most : int
        If there are more, those that agree on most samples are kept; of equal ones the first.
    """
    kept, estimated, agreed = [], [], []
    for rows in blocks(len(antecedents), samples.predicted.all_samples.size):
        counts = samples.predicted.count(samples.predicted.cover(antecedents[rows]))
        needed = np.maximum(min_precision * row_sums(counts), 1)
        # Only a rule of the ensemble's most frequent class can be precise: estimate few.
        hopeful = np.flatnonzero(counts.max(axis=1) >= needed)
        probabilities = estimator.estimate(samples.counted.rule_list(antecedents[rows[hopeful]]))
        right = hits(counts[hopeful], probabilities.argmax(axis=1))
        is_precise = right >= needed[hopeful]
        kept.append(rows[hopeful[is_precise]])
        estimated.append(probabilities[is_precise])
        agreed.append(right[is_precise])
    best = np.sort(np.argsort(-np.concatenate(agreed), kind="stable")[:at_most])
    chosen = antecedents[np.concatenate(kept)[best]]
    return Candidates(chosen, np.concatenate(estimated)[best], samples.predicted.cover(chosen))


def joined(antecedents: IntArray, samples: Samples, uncovered: BitArray, at_most: int) -> IntArray:
    """Intersections of two antecedents each, of shape (n, 2 * width).

    Partners are the most promising antecedents, as many as make `at_most` pairs.

    Parameters
    ----------
    antecedents : ndarray of shape (n_antecedents, width)
    samples : Samples
    uncovered : ndarray of shape (n_words,)
        Bits of `Samples.predicted`.
    at_most : int
    """
    data = samples.predicted
    promise = np.concatenate(
        [_promise(antecedents[rows], samples, uncovered) for rows in blocks(len(antecedents), data.all_samples.size)]
    )
    n_partners = int((1 + np.sqrt(1 + 8 * at_most)) / 2)
    partners = np.argsort(-promise, kind="stable")[:n_partners]
    partners = antecedents[partners[promise[partners] > 0]]
    first, second = np.triu_indices(len(partners), 1)
    both = np.column_stack([partners[first], partners[second]])
    return distinct(data.without_redundancy(both), data.pad)


def _promise(antecedents: IntArray, samples: Samples, uncovered: BitArray) -> FloatArray:
    """Uncovered samples on which an antecedent agrees with the ensemble, for each one on which it does not; (n,).

    An intersection with another antecedent may exclude the latter.
    """
    data = samples.predicted
    bits = data.cover(antecedents)
    counts = data.count(bits)
    classes = counts.argmax(axis=1)
    return hits(data.count(bits & uncovered), classes) / (1 + row_sums(counts) - hits(counts, classes))


def distinct(antecedents: IntArray, pad: int) -> IntArray:
    """Antecedents with at least one condition, each once, ascending."""
    rows = antecedents[(antecedents != pad).any(axis=1)]
    return np.unique(rows, axis=0) if rows.size else rows


def stacked(parts: Sequence[IntArray], pad: int) -> IntArray:
    """All rows of several arrays of antecedents, padded to one width."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=pad) for part in parts])


def blocks(n_rows: int, n_words: int) -> Iterator[IntArray]:
    """Rows that are processed together; at least one block."""
    at_once = max(1, BLOCK_WORDS // max(1, n_words))
    yield from (np.arange(start, min(start + at_once, n_rows)) for start in range(0, max(n_rows, 1), at_once))
