"""Partitions in temporary files of this process: one pass through a source, and only counts stay in memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from rulekit.core.arrays import IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.parts.counting import summed
from rulekit.sources.frames import frames_of
from rulekit.sources.partitions import Partitions
from rulekit.sources.reading import Part, Reading, rechunked
from rulekit.sources.scratch import Scratch


class LocalPartitions(Partitions):
    """Partitions whose codes are in temporary files.

    Parameters
    ----------
    source
        See `RuleExtractor.fit_from`.
    part_size : int
        Samples of one part, at most.
    folder : Path or None
        Of the temporary files.
    cache_bytes : int
        Memory for the bits of conditions of all parts together.
    n_threads : int
        Parts that are counted at once.
    """

    def __init__(self, source: Any, part_size: int, folder: Path | None, cache_bytes: int, n_threads: int) -> None:
        self.part_size = part_size
        self.n_bytes = cache_bytes
        self.n_threads = n_threads
        self.parts: list[Part] = []
        self._scratch = Scratch(folder)
        self._frames = frames_of(source, part_size)

    def first_rows(self) -> pd.DataFrame:
        """The first frame, which is read again by `index_samples`."""
        first = next(self._frames)
        self._frames = chain([first], self._frames)
        return first

    def index_samples(self, reading: Reading, conditions: Conditions) -> ColumnFacts:
        """See `Partitions`."""
        n_classes = len(reading.forest.classes)
        pieces = (reading.samples(frame, f"Part {n} of the source") for n, frame in enumerate(self._frames, 1))
        for samples in rechunked(pieces, self.part_size):
            self.parts.append(Part.of(samples, conditions, n_classes, self._scratch.allocate))
        self._share_cache()
        return reduce(ColumnFacts.joined, (part.facts for part in self.parts))

    def change_conditions(self, conditions: Conditions) -> None:
        """See `Partitions`."""
        for position, part in enumerate(self.parts):
            self.parts[position] = part.on(conditions, self._scratch.allocate)
        self._share_cache()

    def total(self, count: Callable[..., IntArray], *arguments: Any) -> IntArray:
        """See `Parts`."""

        def of_part(part: Part) -> IntArray:
            return count(part.index, *arguments)

        if self.n_threads == 1:
            return summed(map(of_part, self.parts))
        with ThreadPoolExecutor(self.n_threads) as threads:
            return summed(threads.map(of_part, self.parts))

    def release(self) -> None:
        """See `Partitions`."""
        self.parts = []

    def _share_cache(self) -> None:
        for part in self.parts:
            part.index.set_cache(self.n_bytes // len(self.parts))
