"""Where the samples of a fit are, and who counts them: all that another kind of cluster has to implement.

`fit_from` asks a `Partitions` four things, in this order, and then releases it:

1. `first_rows`: some samples, by which the ensemble is matched with the columns;
2. `index_samples`: make a `Part` of every partition where it is, and return what all tell of their columns;
3. `change_conditions`, at most once: where missing values go is part of a condition, and only now is known which
   features have some;
4. `total`, some thousand times: call a function of `rulekit.core.parts.counting` on the index of each part, and return
   the sum of the integer arrays that come back.

The order of the parts and how samples are divided among them change nothing, because sums of integers do not depend on
either.
"""

from abc import abstractmethod

import pandas as pd

from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.parts import Parts
from rulekit.sources.reading import Reading


class Partitions(Parts):
    """Samples in partitions, each of which becomes a `Part` of the index.

    A subclass also implements `Parts.total`.
    """

    @abstractmethod
    def first_rows(self) -> pd.DataFrame:
        """Some samples with their labels, at least one; called once, before all else."""

    @abstractmethod
    def index_samples(self, reading: Reading, conditions: Conditions) -> ColumnFacts:
        """Make the part of each partition, and return their facts joined.

        Parameters
        ----------
        reading : Reading
            `reading.part(frame, conditions)` makes the part of a frame. It can be pickled.
        conditions : Conditions
        """

    @abstractmethod
    def change_conditions(self, conditions: Conditions) -> None:
        """Replace each part by `part.on(conditions)`."""

    def release(self) -> None:
        """Forget all parts; called at the end, however a fit ends. By default there is nothing to do."""
