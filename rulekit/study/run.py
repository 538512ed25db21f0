"""Running a study: the remaining work is given to workers, and each result is committed when it is available."""

import os
from collections import Counter
from contextlib import closing
from typing import Protocol

import attrs

from rulekit.render.console import messages
from rulekit.study.checks import check_parts
from rulekit.study.data import load_datasets
from rulekit.study.definition import Study
from rulekit.study.errors import StudyError
from rulekit.study.executor import Executor
from rulekit.study.jobs import left_to_do
from rulekit.study.plan import Cell, plan
from rulekit.study.processes import Processes
from rulekit.study.progress import is_interactive, progress_on
from rulekit.study.result import Failure, Result
from rulekit.study.store import Store


class Watcher(Protocol):
    """Receives the progress of a study."""

    def begin(self, n_cells: int, n_before: int, n_workers: int) -> None:
        """Receive the number of cells, and how many an earlier run has finished."""

    def finished(self, cell: Cell, result: Result | Failure, n_cells: int) -> None:
        """Receive the outcome of a cell, which counts for several if they are identical."""


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
    resume: bool = True,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
    progress: bool | None = None,
) -> Summary:
    """Run the remaining cells of a study.

    Cells that are done in the store, under the same definition, are not run again; those that failed are.

    Parameters
    ----------
    study : Study
    store : Store or path
        Store of the results; the file is created if necessary.
    n_jobs : int or None, default=-1
        Processes, in joblib's meaning; None means what `joblib.parallel_config` says, which also chooses its backend.
    resume : bool, default=True
        Whether to keep what is done; otherwise the study's results are deleted first, and all cells are run.
    executor : Executor, optional
        Runs the work instead of joblib, such as `rulekit.study.cluster.Dask`.
    watcher : Watcher, optional
        Receives the progress, which is then not shown.
    progress : bool or None, default=None
        Whether to show the progress: as a bar on a terminal, or in a notebook that has ipywidgets; otherwise as a line
        for each cell. None shows it in notebooks and interactive sessions only.

    Returns
    -------
    summary : Summary
    """
    if progress and watcher is not None:
        raise StudyError("progress=True and a watcher: give one of them. A watcher shows the progress as it likes.")
    console = messages()
    if watcher is None and (is_interactive(console) if progress is None else progress):
        with progress_on(console) as watcher:
            return _run(study, store, n_jobs, resume, executor, watcher)
    return _run(study, store, n_jobs, resume, executor, watcher)


def _run(
    study: Study,
    store: Store | str | os.PathLike[str],
    n_jobs: int | None,
    resume: bool,
    executor: Executor | None,
    watcher: Watcher | None,
) -> Summary:
    check_parts(study)
    samples = load_datasets(study)
    cells = plan(study, samples)
    times = Counter(cell.key for cell in cells)
    executor = executor or Processes(n_jobs)
    store = store if isinstance(store, Store) else Store(store)
    with store.writing() as writer:
        writer.set_plan(study.to_dict(), cells, study.base)
        if not resume:
            writer.forget(cells)
        done = writer.done() & times.keys()
        n_before = sum(times[key] for key in done)
        n_failed = n_done = 0
        if watcher is not None:
            watcher.begin(len(cells), n_before, executor.n_workers)
        jobs = left_to_do(cells, samples, done, writer.chosen(), study.cell_seconds)
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
