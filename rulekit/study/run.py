"""Running a study: what is left to do is handed to workers, and each result is committed when it is there."""

import os
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Protocol, TypeAlias

import attrs
import joblib

from rulekit.plugin.registry import Component
from rulekit.study.definition import Study
from rulekit.study.errors import WorkerDiedError
from rulekit.study.plan import Cell, Group, Records, load_records, plan
from rulekit.study.search import configurations
from rulekit.study.store import Store, as_json
from rulekit.study.work import (
    Failure,
    Fitted,
    Result,
    check_parts,
    fit_group,
    registered_in_code,
    result_of,
    run_cell,
)

#: Groups that are worked on together, for each worker: enough to keep all busy, few enough for the memory.
GROUPS_AT_ONCE = 2


@attrs.frozen(eq=False)
class Job:
    """What is left to do with one ensemble on one split, or with one variant that needs no ensemble.

    Attributes
    ----------
    records : Records
    group : Group or None
        None if the variant brings its own ensemble.
    own : Cell or None
        Of the ensemble itself.
    cells : tuple of Cell
        Of the variants.
    chosen : dict or None
        The ensemble's hyperparameters, if an earlier run has chosen them.
    """

    records: Records
    group: Group | None
    own: Cell | None
    cells: tuple[Cell, ...]
    chosen: dict[str, Any] | None = None

    @property
    def needs_inner(self) -> bool:
        """Whether a variant chooses hyperparameters on the inner folds."""
        grids = [cell.variant.grid for cell in self.cells if cell.variant is not None]
        return any(len(configurations(grid)) > 1 for grid in grids)


Outcome: TypeAlias = tuple[Cell, Result | Failure]


class Executor(Protocol):
    """Who does the work."""

    @property
    def n_workers(self) -> int:
        """How much is done at the same time."""

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """What comes of each cell, as soon as it is there, in any order."""


class Watcher(Protocol):
    """Who is told how a study goes."""

    def begin(self, n_cells: int, n_before: int, n_workers: int) -> None:
        """Tell how many cells there are, and how many an earlier run has finished."""

    def finished(self, cell: Cell, result: Result | Failure, n_cells: int) -> None:
        """Tell what came of a cell, which stands for several if they ask for the same."""


@attrs.frozen
class Summary:
    """How a study ended.

    Attributes
    ----------
    n_cells : int
        Of the whole study.
    n_before : int
        That an earlier run had finished.
    n_done, n_failed : int
        In this run.
    """

    n_cells: int
    n_before: int
    n_done: int
    n_failed: int


def run_study(
    study: Study,
    store: Store | str | os.PathLike[str],
    *,
    n_jobs: int | None = -1,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
) -> Summary:
    """Run what is left to do of a study.

    Cells that are done in the store, under the same definition, are not run again; those that failed are.

    Parameters
    ----------
    study : Study
    store : Store or path
        Where results go; a file that is not there is made.
    n_jobs : int or None, default=-1
        Processes, in joblib's meaning; None means what `joblib.parallel_config` says, which also chooses its backend.
    executor : Executor, optional
        Who does the work instead of joblib, such as `rulekit.study.cluster.Dask`.
    watcher : Watcher, optional
        Who is told how it goes.

    Returns
    -------
    summary : Summary
    """
    check_parts(study)
    records = load_records(study)
    cells = plan(study, records)
    times = Counter(cell.key for cell in cells)
    executor = executor or Processes(n_jobs)
    store = store if isinstance(store, Store) else Store(store)
    with store.writing() as writer:
        writer.set_plan(study.to_dict(), cells)
        done = writer.done() & times.keys()
        n_before = sum(times[key] for key in done)
        n_failed = n_done = 0
        if watcher is not None:
            watcher.begin(len(cells), n_before, executor.n_workers)
        jobs = left_to_do(cells, records, done, writer.chosen())
        with closing(executor.outcomes(jobs)) as outcomes:
            for cell, result in outcomes:
                if cell.key in done:
                    continue  # an ensemble that was only fitted again for the sake of its variants
                writer.save(cell, result)
                n_failed += times[cell.key] * isinstance(result, Failure)
                n_done += times[cell.key] * isinstance(result, Result)
                if watcher is not None:
                    watcher.finished(cell, result, times[cell.key])
    return Summary(len(cells), n_before, n_done, n_failed)


def left_to_do(
    cells: Sequence[Cell], records: Mapping[str, Records], done: set[str], chosen: Mapping[str, str]
) -> list[Job]:
    """What has to be done for the cells that are not done, in their order.

    Parameters
    ----------
    cells : sequence of Cell
    records : mapping of str to Records
        By the name of their dataset.
    done : set of str
        Keys of cells.
    chosen : mapping of str to str
        Hyperparameters as JSON, by the key of their group.
    """
    missing = {cell.key: cell for cell in cells if cell.key not in done}
    own = {cell.group.key: cell for cell in cells if cell.variant is None}
    members: dict[str, list[Cell]] = {}
    for cell in missing.values():
        # A variant that brings its own ensemble is a group by itself.
        members.setdefault(cell.group.key if cell.uses_ensemble else cell.key, []).append(cell)
    jobs = []
    for key, of_group in members.items():
        first = of_group[0]
        of_dataset = records[first.group.split.dataset]
        variants = tuple(cell for cell in of_group if cell.variant is not None)
        if first.uses_ensemble:
            jobs.append(Job(of_dataset, first.group, own[key], variants, _configuration(first.group, chosen.get(key))))
        else:
            jobs.append(Job(of_dataset, None, None, variants))
    return jobs


def _configuration(group: Group, text: str | None) -> dict[str, Any] | None:
    """The configuration of a group's grid that reads so."""
    return next((each for each in configurations(group.ensemble.grid) if as_json(each) == text), None)


@attrs.frozen
class Processes:
    """Work on this machine, or wherever a backend of joblib takes it.

    Parameters
    ----------
    n_jobs : int or None
        In joblib's meaning.
    """

    n_jobs: int | None = -1

    @property
    def n_workers(self) -> int:
        """How much is done at the same time."""
        return int(joblib.effective_n_jobs(self.n_jobs))

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """What comes of each cell, as soon as it is there."""
        code = registered_in_code()
        at_once = GROUPS_AT_ONCE * self.n_workers
        # One task at a time, so that a result does not wait for others; files for large arrays would outlive a kill.
        options: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1, "max_nbytes": None}
        ready: list[tuple[Job, Fitted | None]] = []
        try:
            with joblib.Parallel(n_jobs=self.n_jobs, **options) as parallel:
                # Each wave runs the variants of the groups that the wave before has fitted, and fits the next groups.
                for start in range(0, len(jobs) + at_once, at_once):
                    wave = jobs[start : start + at_once]
                    ready += [(job, None) for job in wave if job.group is None]
                    fits = [job for job in wave if job.group is not None]
                    ready = yield from _wave(parallel, ready, fits, code)
        except BrokenExecutor as error:
            raise WorkerDiedError(
                "A worker process ended in the middle of its work, maybe for want of memory. What was finished is "
                "kept: run the study again, with fewer processes at a time if it happens again."
            ) from error


def _wave(
    parallel: Any, ready: Sequence[tuple[Job, Fitted | None]], fits: Sequence[Job], code: Sequence[Component]
) -> Generator[Outcome, None, list[tuple[Job, Fitted | None]]]:
    """Run the variants of fitted groups, and fit other groups; return those."""
    runs = [(job.records, cell, fitted, code) for job, fitted in ready for cell in job.cells]
    calls: list[tuple[Callable[..., Any], Sequence[Any]]] = [(run_cell, run) for run in runs]
    calls += [(fit_group, (job.records, job.group, job.chosen, job.needs_inner, code)) for job in fits]
    fitted_groups: list[tuple[Job, Fitted | None]] = []
    tasks = [joblib.delayed(_numbered)(os.getpid(), position, *call) for position, call in enumerate(calls)]
    with _closing_silently(parallel(tasks) if tasks else iter(())) as outcomes:
        for position, outcome in outcomes:
            if position < len(runs):
                yield runs[position][1], outcome
                continue
            job = fits[position - len(runs)]
            assert job.own is not None, "a group has an ensemble"
            yield job.own, result_of(outcome)
            if isinstance(outcome, Failure):
                yield from ((cell, outcome) for cell in job.cells)
            else:
                fitted_groups.append((job, outcome))
    return fitted_groups


@contextmanager
def _closing_silently(outcomes: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Stop the work when nobody wants its outcomes any more; joblib would warn of it."""
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            getattr(outcomes, "close", lambda: None)()


def _numbered(parent: int, position: int, work: Callable[..., Any], arguments: Sequence[Any]) -> tuple[int, Any]:
    """A result, and which task it comes from."""
    if os.getppid() == parent:
        _end_with(parent)
    return position, work(*arguments)


@cache
def _end_with(parent: int) -> None:
    """End this worker when the process that started it is killed; its work would go on for nobody."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
