"""Counts of samples whatever their weights: what tables show beside fractions of weights."""

import numpy as np

from rulekit.core.arrays import BitArray, IntArray
from rulekit.core.engine.interface import Blocks, Engine
from rulekit.core.statistics import EVERY_RULE


class TrueCounts:
    """Counts each sample as one, on the bits of an engine that may weigh them.

    Parameters
    ----------
    engine : Engine
    is_counted : ndarray of shape (n_words,)
        One bit of each sample.
    """

    def __init__(self, engine: Engine, is_counted: BitArray) -> None:
        blocks = engine.blocks
        once = Blocks(blocks.bounds, blocks.classes, np.ones_like(blocks.multipliers))
        self._engine = type(engine)(once, engine.n_threads)
        self._engine.max_block_words = engine.max_block_words
        self._is_counted = is_counted

    def of(self, bits: BitArray) -> IntArray:
        """Samples of each class among `bits`: from (..., n_words) to (..., n_classes)."""
        return self._engine.count(bits & self._is_counted)

    def answered(self, bits: BitArray) -> IntArray:
        """Samples of each class that each rule of a list, then the default rule, answers; see `answered_counts`."""
        left = self._is_counted.copy()
        _, answered = self._engine.sequence(bits, np.zeros(len(bits), dtype=np.int64), left, EVERY_RULE)
        return np.vstack([answered, self._engine.count(left)])
