"""Tasks in processes of this machine, any of which may die over one of them."""

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

import attrs
import joblib

from rulekit.study.errors import WorkerDiedError
from rulekit.study.result import Failure

#: How often a task is tried again, by itself, that may have ended its worker.
TRIES = 2


@attrs.frozen(eq=False)
class Task:
    """Something to do."""

    work: Callable[..., Any]
    arguments: Sequence[Any]


def outcomes_of(tasks: Sequence[Task], n_jobs: int | None) -> Generator[tuple[int, Any], None, None]:
    """What comes of each task as soon as it is there, with its position.

    A worker that dies, for want of memory or by a fault in compiled code, takes all workers with it. What is left is
    then given to new ones; the tasks that may have been to blame are run by themselves first, and one that ends its
    worker again and again is given up.

    Parameters
    ----------
    tasks : sequence of Task
    n_jobs : int or None
        In joblib's meaning.

    Yields
    ------
    position : int
    outcome : what the task returns, or Failure
        A Failure if no worker survived it.
    """
    left = dict(enumerate(tasks))
    while left:
        try:
            with closing(_together(left, n_jobs)) as outcomes:
                for position, outcome in outcomes:
                    del left[position]
                    yield position, outcome
        except BrokenExecutor:
            # Tasks are handed out in order: the dead worker had one of the first that are not back.
            for position in list(left)[: joblib.effective_n_jobs(n_jobs)]:
                yield position, _alone(left.pop(position))


def _together(tasks: dict[int, Task], n_jobs: int | None) -> Generator[tuple[int, Any], None, None]:
    # One task at a time, so that a result does not wait for others; files for large arrays would outlive a kill.
    options: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1, "max_nbytes": None}
    calls = [joblib.delayed(_numbered)(os.getpid(), position, task) for position, task in tasks.items()]
    with _closing_silently(joblib.Parallel(n_jobs=n_jobs, **options)(calls)) as outcomes:
        yield from outcomes


def _alone(task: Task) -> Any:
    """What comes of a task that has a worker, and the memory of the machine, to itself."""
    for _ in range(TRIES):
        try:
            # With one job joblib would run it here, where nothing would survive it.
            [(_, outcome)] = _together({0: task}, n_jobs=2)
            return outcome
        except BrokenExecutor:
            continue
    return Failure.of(
        WorkerDiedError(
            "Its worker process ended in the middle of it, and again when it had the machine to itself "
            f"(tried {TRIES} times): maybe for want of memory, maybe by a fault in compiled code."
        )
    )


@contextmanager
def _closing_silently(outcomes: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Stop the work when nobody wants its outcomes any more; joblib would warn of it."""
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            getattr(outcomes, "close", lambda: None)()


def _numbered(parent: int, position: int, task: Task) -> tuple[int, Any]:
    """A result, and which task it comes from."""
    if os.getppid() == parent:
        _end_with(parent)
    return position, task.work(*task.arguments)


@cache
def _end_with(parent: int) -> None:
    """End this worker when the process that started it is killed; its work would go on for nobody."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
