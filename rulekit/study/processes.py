"""Processes of this machine that do a study's work."""

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import attrs
import joblib

from rulekit.plugin.registry import Component
from rulekit.study.bundle_work import run_bundle
from rulekit.study.errors import WorkerDiedError
from rulekit.study.executor import GROUPS_AT_ONCE, Outcome
from rulekit.study.group_work import Fitted, fit_group, result_of
from rulekit.study.jobs import Job
from rulekit.study.result import Failure
from rulekit.study.work import registered_in_code


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
    runs = [(job.records, bundle, fitted, code) for job, fitted in ready for bundle in job.bundles]
    calls: list[tuple[Callable[..., Any], Sequence[Any]]] = [(run_bundle, run) for run in runs]
    calls += [(fit_group, (job.records, job.group, job.chosen, job.needs_inner, code)) for job in fits]
    fitted_groups: list[tuple[Job, Fitted | None]] = []
    tasks = [joblib.delayed(_numbered)(os.getpid(), position, *call) for position, call in enumerate(calls)]
    with _closing_silently(parallel(tasks) if tasks else iter(())) as outcomes:
        for position, outcome in outcomes:
            if position < len(runs):
                yield from zip(runs[position][1], outcome, strict=True)
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
