"""Parts on the workers of a Dask cluster: conditions and counts travel, samples stay.

Each part is the result of a task that reads one partition, so Dask can repeat it elsewhere: if a worker dies, the parts
that it held are made again, and the search goes on where it was.
"""

import pickle
import threading
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from rulekit.core.arrays import IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.errors import SourceError
from rulekit.core.parts import Parts
from rulekit.core.parts.counting import summed
from rulekit.sources.frames import imported
from rulekit.sources.reading import Part, Reading

# A part is not made for several threads at once.
_ONE_AT_A_TIME = threading.Lock()


class DaskParts(Parts):
    """Parts of a Dask cluster.

    A request goes to each worker once and asks for the sum over its parts, so neither the number of samples nor that of
    parts changes how much is sent.

    Parameters
    ----------
    client : distributed.Client
    futures : sequence of Future
        Of the parts.

    Attributes
    ----------
    n_requests : int
        Questions to a worker so far.
    n_bytes : int
        Bytes of these questions and of their answers.
    """

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self.client = client
        self.futures = list(futures)
        self.n_requests = 0
        self.n_bytes = 0
        self._workers: frozenset[str] = frozenset()
        self._groups: list[tuple[str, list[Any]]] = []

    def total(self, count: Callable[..., IntArray], *arguments: Any) -> IntArray:
        """The sum over all parts, added up by each worker and then here."""
        return summed(iter(self.of_workers(_total, count, arguments)))

    def of_workers(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """What `work(parts, *arguments)` returns on each worker for the parts that it holds."""
        asked = [
            # Another worker may step in: if this one dies, the task would otherwise wait for ever.
            self.client.submit(
                work, parts, *arguments, workers=[worker], allow_other_workers=True, pure=False, priority=1
            )
            for worker, parts in self._by_worker()
        ]
        answers = self.client.gather(asked)
        question = len(pickle.dumps((work, arguments)))
        self.n_requests += len(asked)
        self.n_bytes += sum(question + len(pickle.dumps(answer)) for answer in answers)
        return list(answers)

    def _by_worker(self) -> list[tuple[str, list[Any]]]:
        """The parts that each worker holds; looked up again when workers have come or gone."""
        workers = frozenset(self.client.nthreads())
        if workers != self._workers:
            groups: dict[str, list[Any]] = {}
            imported("distributed", "dask", "A Dask cluster").wait(self.futures)
            holders = self.client.who_has(self.futures)
            for future in self.futures:
                held_by = holders.get(future.key) or sorted(workers)
                groups.setdefault(held_by[0], []).append(future)
            self._groups, self._workers = sorted(groups.items()), workers
        return self._groups


def client_of(client: Any = None) -> Any:
    """The given client, or the one that this process has made last."""
    distributed = imported("distributed", "dask", "A Dask cluster")
    if client is not None:
        return client
    try:
        return distributed.get_client()
    except ValueError as error:
        raise SourceError(
            "There is no connection to a Dask cluster. Make one first: `client = distributed.Client(address)`."
        ) from error


def is_dask(source: Any) -> bool:
    """Whether this is a Dask DataFrame, or a list of Delayed objects."""
    some = source[0] if isinstance(source, list | tuple) and len(source) else source
    return type(some).__module__.partition(".")[0] in ("dask", "dask_expr", "distributed")


def partitions_of(source: Any, client: Any) -> list[Any]:
    """A future for each partition of a Dask DataFrame or each Delayed of a list."""
    delayed = source.to_delayed() if hasattr(source, "to_delayed") else list(source)
    if not len(delayed):
        raise SourceError("The source has no partitions.")
    return list(client.compute(list(delayed)))


def local_model(ensemble: Any) -> Any:
    """A model that was trained on a Dask cluster, as its library has it in one process; any other model itself."""
    if not type(ensemble).__name__.startswith("Dask"):
        return ensemble
    if hasattr(ensemble, "to_local"):  # LightGBM
        return ensemble.to_local()
    return ensemble.get_booster() if hasattr(ensemble, "get_booster") else ensemble  # XGBoost


def make_parts(
    client: Any, partitions: Sequence[Any], reading: Reading, conditions: Conditions, cache_bytes: int
) -> list[Any]:
    """A future of the part of each partition, which is not kept afterwards."""
    # As a task: scattered data would be lost with its worker.
    shared = client.submit(_same, (reading, conditions), pure=False)
    return [client.submit(_part, partition, shared, cache_bytes, pure=False) for partition in partitions]


def parts_on(client: Any, parts: Sequence[Any], conditions: Conditions, cache_bytes: int) -> list[Any]:
    """Futures of the same parts with other conditions."""
    shared = client.submit(_same, conditions, pure=False)
    return [client.submit(_part_on, part, shared, cache_bytes, pure=False) for part in parts]


def gathered_facts(parts: DaskParts) -> ColumnFacts:
    """What all parts tell of their columns."""
    return reduce(ColumnFacts.joined, parts.of_workers(_facts))


def class_counts(index: Any) -> IntArray:
    """Samples of each class in one part."""
    return np.asarray(index.class_counts)


def condition_counts(index: Any) -> IntArray:
    """Samples of each class that satisfy each condition in one part."""
    return np.asarray(index.condition_counts)


def first_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Some rows of a partition, by which the ensemble is matched with the columns."""
    return frame.iloc[:1000]


def _same(thing: Any) -> Any:
    return thing


def _part(frame: pd.DataFrame, shared: tuple[Reading, Conditions], cache_bytes: int) -> Part:
    reading, conditions = shared
    X, y = reading.samples(frame)
    part = Part.of(X, y, conditions, len(reading.forest.classes), np.zeros)
    part.index.set_cache(cache_bytes)
    return part


def _part_on(part: Part, conditions: Conditions, cache_bytes: int) -> Part:
    changed = part.on(conditions, np.zeros)
    changed.index.set_cache(cache_bytes)
    return changed


def _facts(parts: Sequence[Part]) -> ColumnFacts:
    return reduce(ColumnFacts.joined, (part.facts for part in parts))


def _total(parts: Sequence[Part], count: Callable[..., IntArray], arguments: tuple[Any, ...]) -> IntArray:
    with _ONE_AT_A_TIME:
        return summed(count(part.index, *arguments) for part in parts)
