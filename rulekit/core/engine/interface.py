"""The few operations that a search spends its time in; all other code is the same for every engine.

Data layout. A set of training samples is a row of 64-bit words. Samples are grouped in blocks, each padded with zeros
to whole words. All samples of a block have one class, and one bit of a block counts as its multiplier. So the class
counts of a set of samples are sums of popcounts over word ranges, times multipliers:

    word          0 .. a-1        a .. b-1        b .. W-1
    class         0               1               1
    multiplier    1               1               2                 bounds = [0, a, b, W]

Without weights there is one block for each class, its multiplier is 1, and each sample has one bit. A sample of another
weight has bits in blocks whose multipliers add up to its weight, measured in `unit`, a power of two: conditions hold
for all bits of a sample or for none, so only counting knows of weights.

Features are rows of integer codes, one per bit of this layout: `x <= cutoff` exactly when `1 <= code <= level`, 0 is
a missing value. A condition is an interval of codes, or its complement: its row of bits takes one comparison per slot.
Rows of conditions are made when they are first needed and kept in a `store`; its row 0 is that of no condition: all
samples.

An antecedent is a row of condition ids, ascending, padded with the id `pad`; `rows` are the rows of its conditions in
the store. A rule's samples are the AND of these rows. Candidates of the search are pairs (left, right) of rows of two
such sets, which are not materialised: their samples are computed as `left & right` where they are needed. Conditions
are hashed to random words, antecedents to the sum of these.

Counts are int64 of shape (..., n_classes), or float64 where the unit of weights is below 1: whole numbers of units,
which float64 holds exactly. Floating-point numbers are computed by the same operations in the same order: engines agree
to the last bit, with any number of threads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, NamedTuple, Self

import attrs
import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs

from rulekit.core.arrays import WORD, BitArray, BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.statistics import Limits, RuleOrder
from rulekit.core.weights import Weights, digits

HashArray = npt.NDArray[np.uint64]
CodeArray = npt.NDArray[np.unsignedinteger]

# Threads pay off from about this many words of work, some milliseconds.
WORDS_WORTH_A_THREAD = 2**22


class Blocks(NamedTuple):
    """Which words belong to which class, and what their bits count as.

    Attributes
    ----------
    bounds : ndarray of shape (n_blocks + 1,)
        First word of each block, followed by the number of words.
    classes : ndarray of shape (n_blocks,)
        Class of each block; every class has a block, which may have no words.
    multipliers : ndarray of shape (n_blocks,)
        How many units one bit of each block counts as; positive.
    unit : float
        What one unit counts as in samples: a power of two, 1 at most.
    """

    bounds: IntArray
    classes: IntArray
    multipliers: IntArray
    unit: float = 1.0

    @classmethod
    def of_classes(cls, bounds: IntArray) -> Self:
        """One block for each class, each sample counted once: the layout without weights."""
        n_classes = len(bounds) - 1
        return cls(bounds, np.arange(n_classes), np.ones(n_classes, dtype=np.int64))

    @property
    def table(self) -> IntArray:
        """A row for each block: first word, word after the last, class, and multiplier; shape (n_blocks, 4)."""
        return np.column_stack([self.bounds[:-1], self.bounds[1:], self.classes, self.multipliers]).astype(np.int64)


@attrs.frozen(eq=False)
class Layout:
    """The blocks of one training set, and the slots of its samples in them.

    A sample without a weight of its own has one slot, in the block of its class. Others have their weight written in
    digits of some bits each, and a slot for each digit that is not 0: in the block of its class for this digit at this
    place. So samples of few different weights have one slot each, and weights of 12 bits have two or three.

    Attributes
    ----------
    blocks : Blocks
    slots : ndarray of shape (n_slots,)
        Every slot that is taken.
    owners : ndarray of shape (n_slots,) or None
        The sample of each slot; None if each sample has one, in the order of the samples.
    first : ndarray of shape (n_samples,)
        One slot of each sample.
    """

    blocks: Blocks
    slots: IntArray
    owners: IntArray | None
    first: IntArray

    @classmethod
    def of(cls, y: IntArray, n_classes: int, weights: Weights | None) -> Self:
        """Lay out samples of these classes.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
        n_classes : int
        weights : Weights or None
        """
        factors = np.ones(n_classes, dtype=np.int64) if weights is None else weights.of_class
        unit = 1.0 if weights is None else weights.unit
        if weights is None or weights.units is None:
            blocks, slots = _in_blocks(y, n_classes)
            return cls(Blocks(blocks, np.arange(n_classes), factors, unit), slots, None, slots)
        keys, owners, classes, multipliers = [], [], [], []
        n_keys = 0
        for class_index in range(n_classes):
            members = np.flatnonzero(y == class_index)
            of_slots, places, of_keys = digits(weights.units[members])
            keys.append(n_keys + of_slots)
            owners.append(members[places])
            classes += [class_index] * len(of_keys)
            multipliers += (of_keys * factors[class_index]).tolist()
            n_keys += len(of_keys)
        bounds, slots = _in_blocks(np.concatenate(keys), n_keys)
        owner = np.concatenate(owners)
        first = np.empty(len(y), dtype=np.int64)
        first[owner[::-1]] = slots[::-1]
        blocks_of_all = Blocks(bounds, np.array(classes), np.array(multipliers, dtype=np.int64), unit)
        return cls(blocks_of_all, slots, owner, first)


def _in_blocks(keys: IntArray, n_blocks: int) -> tuple[IntArray, IntArray]:
    """The first word of each block and the number of words, and a slot in its block for each entry of `keys`."""
    counts = np.bincount(keys, minlength=n_blocks)
    bounds = np.concatenate([[0], np.cumsum(-(-counts // WORD))])
    by_block = np.argsort(keys, kind="stable")
    first_of_block = np.concatenate([[0], np.cumsum(counts)[:-1]])
    position = np.empty(len(keys), dtype=np.int64)
    position[by_block] = np.arange(len(keys)) - first_of_block[keys[by_block]]
    return bounds, bounds[keys] * WORD + position


class Pairs(NamedTuple):
    """Sets of samples, each the intersection of a row of `left` and a row of `right`."""

    left: BitArray
    left_rows: IntArray
    right: BitArray
    right_rows: IntArray

    def take(self, rows: IntArray) -> "Pairs":
        """Only these rows, in this order."""
        return self._replace(left_rows=self.left_rows[rows], right_rows=self.right_rows[rows])

    def bits(self) -> BitArray:
        """The intersections, of shape (n_pairs, n_words)."""
        return self.left[self.left_rows] & self.right[self.right_rows]


class Choices(NamedTuple):
    """The choices of greedy covering, one entry each; those of a group are in the order in which they were made.

    `primary` and `secondary` are the statistics by which each choice was the best.
    """

    rows: IntArray
    groups: IntArray
    primary: FloatArray
    secondary: FloatArray


class Engine(ABC):
    """Operations on the bits of one training set.

    Parameters
    ----------
    blocks : Blocks
    n_jobs : int or None
        Threads, as in joblib; they are used where they pay off.
    """

    name: ClassVar[str]

    def __init__(self, blocks: Blocks, n_jobs: int | None = None) -> None:
        self.blocks = blocks
        self.n_words = int(blocks.bounds[-1])
        self.n_classes = int(blocks.classes.max()) + 1
        self.n_threads = effective_n_jobs(n_jobs)
        #: Most words of bits to work on at once; set by `TrainingIndex` from its memory limit.
        self.max_block_words = 2**62

    def weighed(self, units: IntArray) -> CountArray:
        """Counts in samples, from counts in units."""
        return units if self.blocks.unit == 1 else units * self.blocks.unit

    @abstractmethod
    def pack(
        self, codes: CodeArray, rows: IntArray, low: IntArray, high: IntArray, outside: BoolArray, bits: BitArray
    ) -> None:
        """Write slots whose code in `codes[rows[i]]` is inside `low[i]..high[i]`, or outside of it, into `bits[i]`."""

    @abstractmethod
    def count(self, bits: BitArray) -> CountArray:
        """Samples of each class, or their weights: from (..., n_words) to (..., n_classes)."""

    @abstractmethod
    def conjoin(self, store: BitArray, rows: IntArray) -> BitArray:
        """The AND of several rows of the store: from (n_rules, width) to (n_rules, n_words)."""

    @abstractmethod
    def pair_counts(self, left: BitArray, right: BitArray) -> CountArray:
        """Class counts of every intersection, of shape (n_left, n_right, n_classes)."""

    @abstractmethod
    def moved_counts(self, parts: BitArray, bits: BitArray, first: int) -> CountArray:
        """What later rules of a list would answer of the parts of some rules, if these were deleted one at a time.

        Parameters
        ----------
        parts : ndarray of shape (n_parts, n_words)
            Samples that the rules `first`, `first + 1`, … of the list answer.
        bits : ndarray of shape (n_rules, n_words)
            Samples that each rule of the list covers.
        first : int

        Returns
        -------
        counts : ndarray of shape (n_parts, n_rules + 1, n_classes)
            Class counts of the samples that each rule would take over; the last column is that of the default rule.
        """

    @abstractmethod
    def removal_counts(self, store: BitArray, rows: IntArray) -> CountArray:
        """Class counts of antecedents without one of their conditions, of shape (n_removals, n_classes).

        One removal for each entry of `rows` that is not 0, row by row.
        """

    @abstractmethod
    def unite(self, left: IntArray, right: IntArray, pad: int, words: HashArray) -> tuple[IntArray, HashArray]:
        """Unions of antecedents row by row, and their hashes; shapes (n_rules, width) and (n_rules,)."""

    @abstractmethod
    def drop_redundant(self, antecedents: IntArray, conditions: Conditions) -> IntArray:
        """Antecedents of the same meaning, with the tightest condition per feature and operator.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Tidy condition ids: each row ascending, pads at the end.
        conditions : Conditions

        Returns
        -------
        antecedents : ndarray of shape (n_rules, narrower width)
        """

    @abstractmethod
    def sums(self, table: FloatArray, conditions: IntArray) -> FloatArray:
        """Sums of table entries over each antecedent: from (n_columns, n_conditions + 1) to (n_columns, n_rules)."""

    @abstractmethod
    def removal_sums(self, table: FloatArray, conditions: IntArray, pad: int) -> FloatArray:
        """The same for all antecedents without one of their conditions, of shape (n_columns, n_removals).

        A rule's sum minus one entry, which equals the sum of the others if all sums are exact; where it is infinite,
        the others are added up.
        """

    @abstractmethod
    def shorten(
        self,
        antecedents: IntArray,
        errors: FloatArray,
        active: IntArray,
        classes: IntArray,
        probabilities: FloatArray,
        support: FloatArray,
        of_class: FloatArray,
        z: float,
        pad: int,
    ) -> tuple[IntArray, int]:
        """Remove from each active rule the condition that leaves the lowest error, provided it does not increase.

        If several conditions tie, the first is removed. `antecedents` and `errors` are modified in place; pads stay at
        the end.

        Parameters
        ----------
        antecedents, errors, classes : ndarrays of shapes (n_rules, width), (n_rules,) and (n_rules,)
            All rules.
        active : ndarray of shape (n_active,)
            Rows of the rules to shorten.
        probabilities, support : ndarrays of shapes (n_removals, n_classes) and (n_removals,)
            The estimator's results for each active rule without each of its conditions.
        of_class : ndarray of shape (n_classes,)
            Errors of rules without conditions.
        z : float
            See `deviations`.
        pad : int

        Returns
        -------
        active : ndarray
            Rows of the rules that lost a condition and may lose another.
        longest : int
            Number of conditions of the longest of them.
        """

    @abstractmethod
    def choose(
        self,
        pairs: Pairs,
        counts: CountArray,
        classes: IntArray,
        groups: IntArray,
        limits: Limits,
        order: RuleOrder,
        check_time: Callable[[], None],
    ) -> Choices:
        """Greedy covering within each group: repeatedly choose the best candidate on the samples left uncovered.

        A candidate must exceed the limits on these samples. If candidates tie, the first is chosen.

        Parameters
        ----------
        pairs : Pairs
            The candidates' samples.
        counts, classes : ndarrays of shapes (n_candidates, n_classes) and (n_candidates,)
        groups : ndarray of shape (n_candidates,)
            Ascending.
        limits : Limits
        order : {"support", "coverage", "precision"}
            The statistic that ranks candidates first.
        check_time : callable
            Called between blocks of work; raises to end it.
        """

    def bytes_to_choose(self, groups: IntArray) -> int:
        """Memory that `choose` takes for its largest group; 0 unless the candidates' samples are materialised."""
        return 0

    @abstractmethod
    def sequence(
        self, bits: BitArray, classes: IntArray, uncovered: BitArray, limits: Limits
    ) -> tuple[BoolArray, CountArray]:
        """Which rules, one after the other, exceed the limits on the samples that earlier kept rules leave uncovered.

        `uncovered`, of shape (n_words,), holds the samples left before the first rule, and is modified in place to
        those left after the last. Negative limits keep every rule.

        Returns
        -------
        kept : ndarray of shape (n_rules,)
        counts : ndarray of shape (n_rules, n_classes)
            Class counts of the uncovered samples that each rule covers.
        """

    def spread(self, work: Callable[[int, int], None], n_rows: int, row_words: int, block_words: int) -> None:
        """Call `work(start, stop)` on blocks of rows of at most `block_words`, in several threads if that pays off."""
        at_once = max(1, block_words // max(1, row_words))
        if self.n_threads > 1 and n_rows * row_words >= WORDS_WORTH_A_THREAD:
            at_once = min(at_once, -(-n_rows // self.n_threads))
            starts = range(0, n_rows, at_once)
            with ThreadPoolExecutor(self.n_threads) as pool:
                list(pool.map(lambda start: work(start, min(start + at_once, n_rows)), starts))
        else:
            for start in range(0, n_rows, at_once):
                work(start, min(start + at_once, n_rows))
