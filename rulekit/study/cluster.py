"""The same work on a Dask cluster.

Groups and bundles of cells are tasks of their own: ensembles stay with the workers that fitted them. A task contains
everything it needs to be repeated, so when a worker dies Dask gives its tasks to others and nothing is lost.
"""

from collections.abc import Generator, Sequence
from importlib import import_module
from typing import Any

import attrs

from rulekit.core.errors import MissingExtraError
from rulekit.plugin.code_components import CodeComponents
from rulekit.study.bundle import Bundle
from rulekit.study.bundle_work import run_bundle
from rulekit.study.data import StudyDataset
from rulekit.study.errors import StudyError
from rulekit.study.executor import GROUPS_AT_ONCE, Outcome
from rulekit.study.group_work import fit_group, result_of
from rulekit.study.jobs import Job
from rulekit.study.limits import given_up_after, is_too_late
from rulekit.study.plan import Cell
from rulekit.study.result import Failure, Result


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
        """Threads of all workers: the number of tasks that run at the same time."""
        return sum(self.client.nthreads().values())

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcome of each cell as soon as it is available."""
        code, waiting = CodeComponents.of_this_process(), list(reversed(jobs))
        datasets = _Datasets(self.client)
        begun: dict[Any, _Begun] = {}
        completed = _distributed().as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        while waiting or begun:
            # Workers join and leave; a few groups wait in line, so none of them is idle.
            while waiting and len({id(each.job) for each in begun.values()}) < GROUPS_AT_ONCE * max(1, self.n_workers):
                job = waiting.pop()
                new = self._submit(job, datasets.of(job), code)
                begun |= new
                completed.update(new)
            future, found = next(completed)
            one = begun.pop(future)
            if is_too_late(found) and one.bundle is not None and len(one.bundle) > 1:
                # Only one of its cells may have caused it: run the others separately.
                new = self._submit_bundles(one.job, one.bundle.apart, datasets.of(one.job), one.fitted, code)
                begun |= new
                completed.update(new)
                continue
            yield from zip(one.cells, _as_outcomes(future, found, len(one.cells)), strict=True)

    def _submit(self, job: Job, samples: Any, code: CodeComponents) -> "dict[Any, _Begun]":
        """Hand a job to the cluster, some cells at a time; their futures come from this."""
        if job.own is None:
            return self._submit_bundles(job, job.bundles, samples, None, code)
        limits = job.seconds_for(1), job.cell_seconds
        work = fit_group, samples, job.group, job.chosen, job.needs_inner, code
        fitted = self.client.submit(given_up_after, *limits, *work, pure=False)
        own = self.client.submit(result_of, fitted, pure=False)
        return {own: _Begun(job, [job.own])} | self._submit_bundles(job, job.bundles, samples, fitted, code)

    def _submit_bundles(
        self, job: Job, bundles: Sequence[Bundle], samples: Any, fitted: Any, code: CodeComponents
    ) -> "dict[Any, _Begun]":
        begun = {}
        for bundle in bundles:
            limits = job.seconds_for(len(bundle)), job.cell_seconds
            work = run_bundle, samples, bundle, fitted, code
            # Groups that were started are finished first, to free their ensembles.
            future = self.client.submit(given_up_after, *limits, *work, pure=False, priority=1)
            begun[future] = _Begun(job, bundle.cells, bundle, fitted)
        return begun


@attrs.frozen(eq=False)
class _Begun:
    """Cells that the cluster has got; their bundle, and the future of its ensembles, unless they are an ensemble's."""

    job: Job
    cells: Sequence[Cell]
    bundle: Bundle | None = None
    fitted: Any = None


class _Datasets:
    """Datasets on the cluster, each sent once, as tasks: scattered data would be lost with its worker."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._futures: dict[str, Any] = {}

    def of(self, job: Job) -> Any:
        name = job.samples.name
        if name not in self._futures:
            self._futures[name] = self._client.submit(_same, job.samples, pure=False)
        return self._futures[name]


def _same(samples: StudyDataset) -> StudyDataset:
    return samples


def _as_outcomes(future: Any, found: Any, n_cells: int) -> list[Result | Failure]:
    """The outcomes of some cells; a task that Dask gave up, because several workers died over it, has failed."""
    if future.status == "finished":
        return found if isinstance(found, list) else [found] * n_cells
    return [Failure.of(found[1] if isinstance(found, tuple) else found)] * n_cells


def connect(address: str, seconds: float = 10) -> Any:
    """A client of the cluster with the scheduler at an address, such as `tcp://machine:8786`."""
    try:
        return _distributed().Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"Cannot connect to a Dask scheduler at {address}: {error}. Check the address, and that the scheduler runs."
        ) from error


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingExtraError(
            "A Dask cluster needs distributed, which is not installed: pip install 'rulekit-rcprob[dask]'."
        ) from error
