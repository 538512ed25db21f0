"""The training data of one fit whose samples are in parts."""

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.errors import NotInMemoryError
from rulekit.core.parts.index import NO_SAMPLES
from rulekit.core.rules import Rules
from rulekit.core.statistics import Limits
from rulekit.core.training_data import TrainingData
from rulekit.core.tree_rules import Block, RoundRules
from rulekit.core.weights import Weights


class AbsentSamples:
    """What stands for samples that are not in memory; every use of it raises `NotInMemoryError`."""

    def _raise(self, *_: Any, **__: Any) -> NoReturn:
        raise NotInMemoryError(NO_SAMPLES)

    __getitem__ = __len__ = __iter__ = __array__ = _raise

    def __getattr__(self, name: str) -> NoReturn:
        # Copying and inspecting ask for such names, and do not need the samples.
        if name.startswith("__"):
            raise AttributeError(name)
        self._raise()


class CountedRound(RoundRules):
    """A round of trees whose leaves are counted before the large ones are chosen: there are no bits to go down with."""

    def large(self) -> Rules:
        """See `RoundRules`."""
        rules = self.all()
        return rules.take(np.flatnonzero(self.block.limits.may_be_general(rules.counts)))


@attrs.frozen(eq=False, slots=False, repr=False, kw_only=True)
class PartitionedData(TrainingData):
    """The same training data, without `X` and `y`: all that is known of the samples comes from their parts.

    Attributes
    ----------
    facts : ColumnFacts
    """

    facts: ColumnFacts

    def __repr__(self) -> str:
        return f"<PartitionedData: {self.n_samples} samples, {len(self.leaves)} trees>"

    def round_rules(self, limits: Limits) -> Iterator[RoundRules]:
        """See `TrainingData.round_rules`; every pass over the parts counts the samples of all leaves of a round."""
        return (CountedRound(of_round, Block([of_round], self.index, limits), 0) for of_round in self.leaves)

    def feature_scales(self, features: IntArray) -> FloatArray:
        """See `TrainingData.feature_scales`."""
        scales = np.ones(len(self.facts.deviations))
        used = np.unique(features)
        scales[used] = self.facts.deviations[used]
        scales[scales == 0] = 1.0
        return scales

    def neighbours(self, feature: int, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `TrainingData.neighbours`."""
        return self.facts.neighbours(feature, cutoffs)

    def whole_features(self, features: Iterable[int]) -> frozenset[int]:
        """See `TrainingData.whole_features`."""
        return self.facts.whole_features(features)

    def subset(self, rows: BoolArray, *, hides_others: bool = False) -> NoReturn:
        """Not supported: no process has all samples."""
        raise NotInMemoryError(NO_SAMPLES)

    def with_samples(self, X: FloatArray, y: IntArray, weights: Weights | None = None) -> NoReturn:
        """Not supported: no process has all samples."""
        raise NotInMemoryError(NO_SAMPLES)
