"""What extraction from samples in parts costs for each value, sample, tree and question: to estimate larger runs."""

import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import attrs

from benchmarks.isolation import isolated
from benchmarks.measures import UNIT
from benchmarks.rows import Row
from benchmarks.runs.beyond import MIN_COVERAGE, N_TREES
from benchmarks.samples_in_files import N_FEATURES, TARGET, samples, trained_ensemble, write_files
from benchmarks.settings import Settings

N_SAMPLES: Final = 2_000_000
N_WAITS: Final = 200


@attrs.frozen
class Costs:
    """What one extraction took; `seconds` are of CPU.

    Attributes
    ----------
    reading_seconds, search_seconds : float
    n_questions, n_bytes : int
        Asked of all parts together, and the bytes of questions and answers.
    """

    reading_seconds: float
    search_seconds: float
    n_questions: int
    n_bytes: int


def run(settings: Settings, n_samples: int = N_SAMPLES, n_trees: int = N_TREES) -> Iterator[Row]:
    """Each unit cost, and the waiting time of a question to a Dask worker on this machine."""
    with TemporaryDirectory() as name:
        write_files(Path(name), n_samples)
        for engine in settings.engines:
            settings.announce(f"units: {n_samples:,} samples, {engine}")
            costs = isolated(costs_of, Path(name), n_samples, n_trees, environment={"RULEKIT_ENGINE": engine})
            for case, value in (
                ("reading and coding a value, ns", 1e9 * costs.reading_seconds / (n_samples * N_FEATURES)),
                ("search, ns for each sample and tree", 1e9 * costs.search_seconds / (n_samples * n_trees)),
                ("questions for each tree", costs.n_questions / n_trees),
                ("bytes of a question and its answer", costs.n_bytes / costs.n_questions),
            ):
                yield Row("units", engine, case, UNIT.name, value, None, f"{n_samples:,} samples, {n_trees} trees")
    settings.announce("units: a Dask worker")
    yield Row("units", "", "waiting for a Dask worker, ms", UNIT.name, 1e3 * seconds_of_a_question())


def costs_of(folder: Path, n_samples: int, n_trees: int) -> Costs:
    """Extract rules from the files of a folder; called in a process of its own."""
    import rulekit
    from rulekit.core.arrays import IntArray
    from rulekit.sources.local import LocalPartitions

    class Measured(LocalPartitions):
        def __init__(self, source: Any) -> None:
            super().__init__(source, 2**19, None, 3 * 2**28, 1)
            self.reading, self.search, self.n_questions, self.n_bytes_sent = 0.0, 0.0, 0, 0

        def index_samples(self, *arguments: Any) -> Any:
            start = time.process_time()
            facts = super().index_samples(*arguments)
            self.reading += time.process_time() - start
            return facts

        def total(self, count: Callable[..., IntArray], *arguments: Any) -> IntArray:
            start = time.process_time()
            counts = super().total(count, *arguments)
            self.search += time.process_time() - start
            self.n_questions += 1
            self.n_bytes_sent += len(pickle.dumps((count, arguments))) + len(pickle.dumps(counts))
            return counts

    model = rulekit.build("rcprob", trained_ensemble(n_trees), min_coverage=MIN_COVERAGE)
    model.fit_from(samples(0, 1000), TARGET)  # loads what is compiled
    measured = Measured(folder)
    model.fit_from(measured, TARGET)
    return Costs(measured.reading, measured.search, measured.n_questions, measured.n_bytes_sent)


def seconds_of_a_question() -> float:
    """The least time in which a Dask worker in another process has answered a question that takes no work."""
    import distributed

    options: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    least = float("inf")
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        (worker,) = client.nthreads()
        for _ in range(N_WAITS):
            start = time.perf_counter()
            client.submit(int, 0, workers=[worker], pure=False).result()
            least = min(least, time.perf_counter() - start)
    return least
