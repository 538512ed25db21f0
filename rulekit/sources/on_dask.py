"""Parts on the workers of a Dask cluster: conditions and counts travel, samples stay.

Each part is the result of a task that reads one partition, so Dask can repeat it elsewhere: if a worker dies, the parts
that it held are made again, the others stay, and the search goes on where it was.
"""

import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import pandas as pd

from rulekit.core.arrays import IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.errors import SourceError
from rulekit.core.parts.counting import summed
from rulekit.sources.frames import imported
from rulekit.sources.partitions import Partitions
from rulekit.sources.reading import Part, Reading

#: Rows of the first partition by which the ensemble is matched with the columns.
FIRST_ROWS = 1000
#: Seconds without an answer after which it is worth asking whether the worker is still there.
PATIENCE = 1.0
# The store of conditions of a part is not made for several threads at once.
_ONE_AT_A_TIME = threading.Lock()


class DaskPartitions(Partitions):
    """Partitions of a Dask collection, each indexed by the worker that has it.

    A request goes to each worker once and asks for the sum over its parts, so neither the number of samples nor that of
    parts changes how much is sent.

    Parameters
    ----------
    client : distributed.Client
    source : Dask DataFrame or list of Delayed
    cache_bytes : int
        Memory for the bits of conditions of each worker.

    Attributes
    ----------
    n_requests : int
        Questions to a worker so far.
    n_bytes_sent : int
        Bytes of these questions and of their answers.
    """

    def __init__(self, client: Any, source: Any, cache_bytes: int) -> None:
        self.client = client
        self.cache_bytes = cache_bytes
        self.n_requests = 0
        self.n_bytes_sent = 0
        self._partitions = delayed_of(source)
        self._parts: list[Any] = []
        self._workers: frozenset[str] = frozenset()
        self._groups: list[tuple[str, list[Any]]] = []

    def first_rows(self) -> pd.DataFrame:
        """The first rows of the first partition that has any."""
        for partition in self._partitions:
            rows = self.client.submit(_first_rows, self.client.compute(partition), pure=False).result()
            if len(rows):
                found: pd.DataFrame = rows
                return found
        raise SourceError("The source has no rows.")

    def index_samples(self, reading: Reading, conditions: Conditions) -> ColumnFacts:
        """See `Partitions`."""
        # As a task: scattered data would be lost with its worker.
        shared = self.client.submit(_same, (reading, conditions), pure=False)
        frames = self.client.compute(self._partitions)
        self._hold([self.client.submit(_part, frame, shared, self._cache_of_each(), pure=False) for frame in frames])
        return reduce(ColumnFacts.joined, self._of_workers(_facts))

    def change_conditions(self, conditions: Conditions) -> None:
        """See `Partitions`."""
        shared = self.client.submit(_same, conditions, pure=False)
        cache_bytes = self._cache_of_each()
        changed = [
            # Where the part is, but if that worker dies, elsewhere.
            self.client.submit(
                _part_on, part, shared, cache_bytes, workers=[worker], allow_other_workers=True, pure=False
            )
            for worker, parts in self._by_worker()
            for part in parts
        ]
        self._hold(changed)

    def total(self, count: Callable[..., IntArray], *arguments: Any) -> IntArray:
        """The sum over all parts, added up by each worker and then here."""
        return summed(self._of_workers(_total, count, arguments))

    def release(self) -> None:
        """See `Partitions`; without the futures, workers forget the parts, too."""
        self._parts, self._groups = [], []

    def _hold(self, parts: list[Any]) -> None:
        self._parts, self._workers = parts, frozenset()

    def _cache_of_each(self) -> int:
        n_workers = max(1, len(self.client.nthreads()))
        return self.cache_bytes // -(-len(self._partitions) // n_workers)

    def _of_workers(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """What `work(parts, *arguments)` returns on each worker for the parts that it holds."""
        question = len(pickle.dumps((work, arguments)))
        while True:
            # Nowhere else, or the scheduler may send parts to another worker that happens to be idle.
            asked = [
                self.client.submit(work, parts, *arguments, workers=[worker], pure=False, priority=1)
                for worker, parts in self._by_worker()
            ]
            self.n_requests += len(asked)
            self.n_bytes_sent += len(asked) * question
            if self._are_answered(asked):
                answers: list[Any] = self.client.gather(asked)
                self.n_bytes_sent += sum(len(pickle.dumps(answer)) for answer in answers)
                return answers

    def _are_answered(self, asked: list[Any]) -> bool:
        """Wait for the answers; False if a worker that was asked has gone, so that its answer will never come."""
        distributed = imported("distributed", "dask", "A Dask cluster")
        while True:
            try:
                distributed.wait(asked, timeout=PATIENCE)
            except TimeoutError:
                if not self._workers <= frozenset(self.client.nthreads()):
                    self.client.cancel(asked)
                    return False
            else:
                return True

    def _by_worker(self) -> list[tuple[str, list[Any]]]:
        """The parts that each worker holds; looked up again when workers have come or gone."""
        workers = frozenset(self.client.nthreads())
        if workers != self._workers:
            groups: dict[str, list[Any]] = {}
            imported("distributed", "dask", "A Dask cluster").wait(self._parts)
            holders = self.client.who_has(self._parts)
            for part in self._parts:
                held_by = holders.get(part.key) or sorted(workers)
                groups.setdefault(held_by[0], []).append(part)
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


def delayed_of(source: Any) -> list[Any]:
    """A Delayed for each partition of a Dask DataFrame, or those of a list."""
    delayed = list(source.to_delayed() if hasattr(source, "to_delayed") else source)
    if not delayed:
        raise SourceError("The source has no partitions.")
    return delayed


def results_of(client: Any, source: Any, work: Callable[..., Any], *arguments: Any) -> Iterator[Any]:
    """What `work(frame, *arguments)` returns for each partition with rows, computed where it is, in order."""
    shared = client.submit(_same, arguments, pure=False)
    frames = client.compute(delayed_of(source))
    results = [client.submit(_work_on, work, frame, shared, pure=False) for frame in frames]
    del frames
    while results:
        # Each result is kept on the cluster until it has been asked for.
        result = results.pop(0).result()
        if len(result):
            yield result


def _work_on(work: Callable[..., Any], frame: pd.DataFrame, shared: tuple[Any, ...]) -> Any:
    return work(frame, *shared)


def _first_rows(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[:FIRST_ROWS]


def _same(thing: Any) -> Any:
    return thing


def _part(frame: pd.DataFrame, shared: tuple[Reading, Conditions], cache_bytes: int) -> Part:
    reading, conditions = shared
    part = reading.part(frame, conditions)
    part.index.set_cache(cache_bytes)
    return part


def _part_on(part: Part, conditions: Conditions, cache_bytes: int) -> Part:
    changed = part.on(conditions)
    changed.index.set_cache(cache_bytes)
    return changed


def _facts(parts: Sequence[Part]) -> ColumnFacts:
    return reduce(ColumnFacts.joined, (part.facts for part in parts))


def _total(parts: Sequence[Part], count: Callable[..., IntArray], arguments: tuple[Any, ...]) -> IntArray:
    with _ONE_AT_A_TIME:
        return summed(count(part.index, *arguments) for part in parts)
