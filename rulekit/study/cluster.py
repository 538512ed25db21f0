"""The same work on a Dask cluster.

Groups and bundles of cells are tasks of their own: ensembles stay with the workers that fitted them. A task holds what
it needs to be done again, so that when a worker dies Dask gives its tasks to others and nothing is lost.
"""

from collections.abc import Generator, Iterator, Sequence
from importlib import import_module
from typing import Any

import attrs

from rulekit.core.errors import MissingExtraError
from rulekit.plugin.registry import Component
from rulekit.study.bundle_work import run_bundle
from rulekit.study.errors import StudyError
from rulekit.study.executor import GROUPS_AT_ONCE, Outcome
from rulekit.study.group_work import Fitted, fit_group, result_of
from rulekit.study.jobs import Job
from rulekit.study.plan import Cell
from rulekit.study.records import Records
from rulekit.study.result import Failure, Result
from rulekit.study.work import registered_in_code


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
        begun: dict[Any, tuple[Job, Sequence[Cell]]] = {}
        completed = _distributed().as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        while waiting or begun:
            # Workers join and leave; a few groups wait in line, so that none of them is idle.
            while waiting and len({id(job) for job, _ in begun.values()}) < GROUPS_AT_ONCE * max(1, self.n_workers):
                job = waiting.pop()
                for cells, future in self._submit(job, datasets.of(job), code):
                    begun[future] = job, cells
                    completed.add(future)
            future, found = next(completed)
            _, cells = begun.pop(future)
            yield from zip(cells, _as_outcomes(future, found, len(cells)), strict=True)

    def _submit(self, job: Job, records: Any, code: Sequence[Component]) -> Iterator[tuple[Sequence[Cell], Any]]:
        """Hand a job to the cluster: some cells at a time, with the future of their outcomes."""
        submit, fitted = self.client.submit, None
        if job.own is not None:
            fitted = submit(fit_group, records, job.group, job.chosen, job.needs_inner, code, pure=False)
            yield [job.own], submit(_in_a_list, fitted, pure=False)
        for bundle in job.bundles:
            # What is begun is brought to an end first: its ensembles can then be forgotten.
            yield bundle.cells, submit(run_bundle, records, bundle, fitted, code, pure=False, priority=1)


def _in_a_list(fitted: Fitted | Failure) -> list[Result | Failure]:
    return [result_of(fitted)]


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


def _as_outcomes(future: Any, found: Any, n_cells: int) -> list[Result | Failure]:
    """The outcomes of some cells; a task that Dask gave up, because several workers died over it, has failed."""
    if future.status == "finished":
        return list(found)
    return [Failure.of(found[1] if isinstance(found, tuple) else found)] * n_cells


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
