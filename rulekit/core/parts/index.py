"""One index of samples in several parts."""

from typing import Any

import numpy as np

from rulekit.core.arrays import BitArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.errors import NotInMemoryError
from rulekit.core.index import TrainingIndex
from rulekit.core.parts import counting
from rulekit.core.parts.counting import Parts
from rulekit.core.parts.engine import PartitionedEngine
from rulekit.core.parts.sets import SampleSets, UncoveredSamples


class PartitionedIndex(TrainingIndex):
    """The same questions as to one `TrainingIndex`; sets of samples are `SampleSets` instead of bits.

    Parameters
    ----------
    parts : Parts
        Each part's index has these conditions and classes.
    conditions : Conditions
    class_counts : ndarray of shape (n_classes,)
        Samples of each class.
    condition_counts : ndarray of shape (n_conditions + 1, n_classes)
        Samples of each class that satisfy each condition; the last row is that of `pad`.
    """

    def __init__(
        self, parts: Parts, conditions: Conditions, class_counts: IntArray, condition_counts: IntArray
    ) -> None:
        self.parts = parts
        self.conditions = conditions
        self.class_counts = class_counts
        self.condition_counts = condition_counts
        self.n_samples = int(class_counts.sum())
        self.n_classes = len(class_counts)
        self.n_conditions = self.pad = len(conditions)
        self.n_jobs = None
        self.weights = None
        # No bits are kept here: a set of samples takes no memory that grows with the samples.
        self.n_words = 0
        self.max_cache_bytes = 0
        self.engine = PartitionedEngine(parts, self.n_classes)
        everything: Any = UncoveredSamples(np.empty((0, 1), dtype=np.int64), self.pad)
        self.all_samples = everything

    @property
    def n_bytes(self) -> int:
        """Memory that the index takes in this process."""
        return int(self.condition_counts.nbytes) + self.parts.n_bytes

    def bits(self, ids: IntArray) -> Any:
        """Samples that satisfy single conditions, as `SampleSets`."""
        return SampleSets(ids.reshape(-1, 1), self.pad)

    def cover(self, conditions: IntArray) -> Any:
        """Samples that satisfy every condition of a row, as `SampleSets`."""
        return SampleSets(conditions, self.pad)

    def removal_counts(self, conditions: IntArray) -> IntArray:
        """See `TrainingIndex.removal_counts`."""
        return self.parts.total(counting.removal_counts, conditions)

    def sample_bits(self, samples: Any) -> BitArray:
        """Not supported: no process has all samples."""
        raise NotInMemoryError(NO_SAMPLES)

    def samples(self, bits: Any) -> Any:
        """Not supported: no process has all samples."""
        raise NotInMemoryError(NO_SAMPLES)


NO_SAMPLES = (
    "This component looks at single samples, which are not in memory: the samples are in parts. Use one that works on "
    "counts, as those of the methods 'rc+' and 'rcprob' do, or fit on a sample of the data that fits into memory."
)
