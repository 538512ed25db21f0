"""The same work on a Dask cluster.

Groups and cells are tasks of their own: ensembles stay with the workers that fitted them. A task holds what it needs
to be done again, so that when a worker dies Dask gives its tasks to others and nothing is lost.
"""

from collections.abc import Generator, Iterator, Sequence
from importlib import import_module
from typing import Any

import attrs

from rulekit.core.errors import MissingExtraError
from rulekit.plugin.registry import Component
from rulekit.study.errors import StudyError
from rulekit.study.plan import Cell, Records
from rulekit.study.run import GROUPS_AT_ONCE, Job, Outcome
from rulekit.study.work import Failure, fit_group, registered_in_code, result_of, run_cell


@attrs.frozen(eq=False)
class Dask:
    """Workers of a Dask cluster; each needs the same rulekit and plugins as this process.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    """

    client: Any

    @property
    def n_workers(self) -> int:
        """Threads of all workers: how much is done at the same time."""
        return sum(self.client.nthreads().values())

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """What comes of each cell, as soon as it is there."""
        code, waiting = registered_in_code(), list(reversed(jobs))
        datasets = _Datasets(self.client)
        begun: dict[Any, tuple[Job, Cell]] = {}
        completed = _distributed().as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        while waiting or begun:
            # Workers join and leave; a few groups wait in line, so that none of them is idle.
            while waiting and len({id(job) for job, _ in begun.values()}) < GROUPS_AT_ONCE * max(1, self.n_workers):
                job = waiting.pop()
                for cell, future in self._submit(job, datasets.of(job), code):
                    begun[future] = job, cell
                    completed.add(future)
            future, outcome = next(completed)
            _, cell = begun.pop(future)
            yield cell, _as_outcome(future, outcome)

    def _submit(self, job: Job, records: Any, code: Sequence[Component]) -> Iterator[tuple[Cell, Any]]:
        """Hand a job to the cluster: its cells, each with the future of its outcome."""
        submit, fitted = self.client.submit, None
        if job.own is not None:
            fitted = submit(fit_group, records, job.group, job.chosen, job.needs_inner, code, pure=False)
            yield job.own, submit(result_of, fitted, pure=False)
        for cell in job.cells:
            # What is begun is brought to an end first: its ensembles can then be forgotten.
            yield cell, submit(run_cell, records, cell, fitted, code, pure=False, priority=1)


class _Datasets:
    """Datasets on the cluster, each sent once, as tasks: data that is only scattered would die with its worker."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._futures: dict[str, Any] = {}

    def of(self, job: Job) -> Any:
        name = job.records.name
        if name not in self._futures:
            self._futures[name] = self._client.submit(_same, job.records, pure=False)
        return self._futures[name]


def _same(records: Records) -> Records:
    return records


def _as_outcome(future: Any, outcome: Any) -> Any:
    """An outcome; a task that Dask gave up, because several workers died over it, has failed."""
    if future.status == "finished":
        return outcome
    return Failure.of(outcome[1] if isinstance(outcome, tuple) else outcome)


def connect(address: str, seconds: float = 10) -> Any:
    """A client of the cluster whose scheduler listens at an address, such as `tcp://machine:8786`."""
    try:
        return _distributed().Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        raise StudyError(f"No Dask scheduler answers at {address}: {error}.") from error


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingExtraError(
            "A Dask cluster needs distributed, which is not installed: pip install 'rulekit-rcprob[dask]'."
        ) from error
