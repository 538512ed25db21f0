"""The questions that each part answers with integers, and where the parts are.

Every function takes the index of one part first, and antecedents: arrays of condition ids of shape (n, width), padded.
It returns an array of counts; `Parts.total` adds up those of all parts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from rulekit.core.arrays import BoolArray, IntArray
from rulekit.core.index import TrainingIndex

#: Words of bits that a part works on at once: 32 MB.
WORDS_AT_ONCE = 2**22


class Parts(ABC):
    """Where the parts are; see `rulekit.sources.partitions` for how they come to be there.

    Attributes
    ----------
    n_bytes : int
        Memory that the parts take in this process.
    """

    n_bytes: int = 0

    @abstractmethod
    def total(self, count: Callable[..., IntArray], *arguments: Any) -> IntArray:
        """The sum of `count(index, *arguments)` over the indices of all parts.

        Parameters
        ----------
        count : function of a module
            Of this one, for instance. It can be pickled by its name.
        *arguments
            They can be pickled too, and do not grow with the samples: arrays of condition ids, above all.
        """


def summed(counts: Iterable[IntArray]) -> IntArray:
    """The sum of arrays of equal shape; there is at least one."""
    each = iter(counts)
    whole = next(each).copy()
    for of_part in each:
        whole += of_part
    return whole


def class_counts(index: TrainingIndex) -> IntArray:
    """Samples of each class, of shape (n_classes,)."""
    return index.class_counts


def condition_counts(index: TrainingIndex) -> IntArray:
    """Samples of each class that satisfy each condition, of shape (n_conditions + 1, n_classes)."""
    return index.condition_counts


def covered_counts(index: TrainingIndex, antecedents: IntArray) -> IntArray:
    """Samples of each class that satisfy each antecedent, of shape (n, n_classes)."""
    return np.concatenate([index.count(index.cover(antecedents[rows])) for rows in _blocks(index, len(antecedents))])


def pair_counts(index: TrainingIndex, left: IntArray, right: IntArray) -> IntArray:
    """Samples of each class that satisfy two antecedents, of shape (n_left, n_right, n_classes)."""
    counts = np.empty((len(left), len(right), index.n_classes), dtype=index.class_counts.dtype)
    for columns in _blocks(index, len(right)):
        of_right = index.cover(right[columns])
        for rows in _blocks(index, len(left)):
            counts[rows, columns] = index.engine.pair_counts(index.cover(left[rows]), of_right)
    return counts


def removal_counts(index: TrainingIndex, antecedents: IntArray) -> IntArray:
    """See `TrainingIndex.removal_counts`."""
    return index.removal_counts(antecedents)


def sequence_counts(index: TrainingIndex, antecedents: IntArray, takes: BoolArray) -> IntArray:
    """Samples of each class that satisfy each antecedent and none of the earlier ones that take their samples.

    Parameters
    ----------
    index : TrainingIndex
    antecedents : ndarray of shape (n, width)
        In order.
    takes : ndarray of shape (n,)
        Whether later antecedents find the samples of an antecedent taken.

    Returns
    -------
    counts : ndarray of shape (n, n_classes)
    """
    uncovered, counts = index.all_samples.copy(), []
    for rows in _blocks(index, len(antecedents)):
        bits = index.cover(antecedents[rows])
        for fresh, is_taken in zip(bits, takes[rows], strict=True):
            fresh &= uncovered
            if is_taken:
                uncovered ^= fresh
        counts.append(index.count(bits))
    return np.concatenate(counts)


def uncovered_counts(
    index: TrainingIndex, left: IntArray, left_rows: IntArray, right: IntArray, right_rows: IntArray, chosen: IntArray
) -> IntArray:
    """Samples of each class of candidates that are in none of the chosen candidates.

    Parameters
    ----------
    index : TrainingIndex
    left, right : ndarrays of shape (n_left, width) and (n_right, width)
        A candidate's samples satisfy a row of both.
    left_rows, right_rows : ndarrays of shape (n_candidates,)
    chosen : ndarray of shape (n_chosen, 2)
        Rows of `left` and `right`.

    Returns
    -------
    counts : ndarray of shape (n_candidates, n_classes)
    """
    uncovered = index.all_samples.copy()
    for rows in _blocks(index, len(chosen)):
        covered = index.cover(left[chosen[rows, 0]])
        covered &= index.cover(right[chosen[rows, 1]])
        uncovered &= ~np.bitwise_or.reduce(covered, axis=0)
    counts = []
    for rows in _blocks(index, len(left_rows)):
        used_left, of_left = np.unique(left_rows[rows], return_inverse=True)
        used_right, of_right = np.unique(right_rows[rows], return_inverse=True)
        bits = (index.cover(right[used_right]) & uncovered)[of_right]
        bits &= index.cover(left[used_left])[of_left]
        counts.append(index.count(bits))
    return np.concatenate(counts)


def _blocks(index: TrainingIndex, n_rows: int) -> Iterator[slice]:
    """Slices of rows whose bits are looked up at once; at least one."""
    at_once = max(1, WORDS_AT_ONCE // max(1, index.n_words))
    for start in range(0, max(n_rows, 1), at_once):
        yield slice(start, min(start + at_once, n_rows))
